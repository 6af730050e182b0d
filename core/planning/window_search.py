# SPDX-License-Identifier: GPL-3.0-or-later
"""Exact search for the cheapest path through the transition graph from the beginning of a window to its end (Viterbi
1967, over the beginnings of segments, whose lengths are bounded).

Moves of single segments do not escape a minimum that takes two changes at once, such as a dead end of an example
together with the segment that leads to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..examples.transition_graph import TransitionGraph
from .stretches import Piece

Frames = NDArray[np.int64]
Rows = NDArray[np.float32]

ENTRIES_AT_ONCE = 1 << 19
"""Largest number of entries in the cost table of several windows, 2 MB; more windows are planned in blocks. With twice
as many entries, results of 10,000 frames take 1.1 times as long, because the system must allocate more memory."""


@dataclass(frozen=True, eq=False)
class PathWindow:
    """A piece of a path to replan in the same number of frames.

    first_costs: `(N,)` cost of beginning at each example frame; None: the first frame is kept. free_end: True if the
    piece may end anywhere; otherwise its last frame is kept. rewards: `(N,)` reward of showing each example frame, in
    edge cost; None: no rewards.
    """

    piece: Piece
    first_costs: Rows | None = None
    free_end: bool = False
    rewards: Rows | None = None


def cheapest_pieces(graph: TransitionGraph, windows: Sequence[PathWindow]) -> list[Piece]:
    """Return the cheapest piece for each window: least edge costs, less the rewards of its frames.

    A window for which no path exists keeps its piece.
    """
    costs = graph.predecessor_edge_costs
    cheapest: dict[int, Piece] = {}
    for block in _blocks(graph, windows):
        here = [windows[number] for number in block]
        cheapest |= dict(zip(block, _Search.through(graph, costs, here).pieces(here), strict=True))
    return [cheapest[number] for number in range(len(windows))]


def _blocks(graph: TransitionGraph, windows: Sequence[PathWindow]) -> list[list[int]]:
    """Return the numbers of the windows that are planned together, the longest first, because the longest window of a
    block determines the size of its table.
    """
    sizes = [window.piece.frames + graph.longest for window in windows]
    blocks: list[list[int]] = []
    for number in sorted(range(len(windows)), key=lambda number: -sizes[number]):
        if not blocks or (len(blocks[-1]) + 1) * sizes[blocks[-1][0]] * _places(graph) > ENTRIES_AT_ONCE:
            blocks.append([])
        blocks[-1].append(number)
    return blocks


def _places(graph: TransitionGraph) -> int:
    """Return the number of places: one for each example frame, and a gap for each example that no segment spans."""
    return graph.frames + graph.longest * len(graph.bounds.starts)


@dataclass(frozen=True, eq=False)
class _Search:
    """Least costs of the segments that begin at each frame of B windows, of at most T frames.

    Windows lie along the last axis, so that each lookup for a frame serves all windows.

    costs: `(M, N)` edge costs from the graph's predecessors. places: `(N,)` places of the example frames among P, with
    gaps before each example so that no segment leads from one example to another. sums: `(N + 1, B)` rewards of all
    example frames before each. begun: `(longest + T, P, B)` least cost of beginning a segment at a window's
    frame, with the sum at its first frame added; a window begins at row `longest`, and its last frames, from which no
    segment reaches the end, are left out. left: `(longest + T, N, B)` least cost of a path whose last frame before a
    window's frame is each example frame.
    """

    graph: TransitionGraph
    costs: Rows
    places: Frames
    sums: Rows
    begun: Rows
    left: Rows

    @classmethod
    def through(cls, graph: TransitionGraph, costs: Rows, windows: Sequence[PathWindow]) -> "_Search":
        """Return the search from the beginnings of windows to their ends."""
        index = np.arange(graph.frames)
        places = index + graph.longest * (1 + graph.bounds.example_of(index))
        size = max(window.piece.frames for window in windows)
        sums = np.zeros((graph.frames + 1, len(windows)), np.float32)
        rows = graph.longest + max(size - graph.shortest, 0) + 1
        begun = np.full((rows, int(places[-1]) + 1, len(windows)), np.inf, np.float32)
        for row, window in enumerate(windows):
            if window.rewards is not None:
                np.cumsum(window.rewards, out=sums[1:, row])
            if window.first_costs is None:
                first = window.piece.sources[0]
                begun[graph.longest, places[first], row] = sums[first, row]
            else:
                begun[graph.longest, places, row] = window.first_costs + sums[:-1, row]
        left = np.empty((rows, *sums[1:].shape), np.float32)
        search = cls(graph, costs, places, sums, begun, left)
        search._begin_segments()
        return search

    def _begin_segments(self) -> None:
        """Fill in the least costs for `shortest` frames at once, which is possible because no segment is shorter."""
        graph, places, step = self.graph, self.places, self.graph.shortest
        least = _LeastOfLengths(self.begun, step, graph.longest)
        sources = np.ascontiguousarray(graph.predecessors.frames.T)
        # Repeated for each window, so that whole rows are added.
        costs = np.repeat(self.costs[:, :, None], self.begun.shape[2], axis=2)
        # With a single example the places are contiguous and can be sliced.
        single = len(graph.bounds.starts) == 1
        here = slice(int(places[0]), int(places[-1]) + 1) if single else places
        onward = slice(None) if single else places - graph.longest
        buffer = np.empty((step, *costs.shape), np.float32)
        for frame in range(graph.longest, len(self.begun), step):
            rows = slice(frame, min(frame + step, len(self.begun)))
            if frame > graph.longest:
                left = self.left[rows]
                np.subtract(least.until(rows)[:, onward], self.sums[1:], out=left)
                candidates = left.take(sources, axis=1, out=buffer[: len(left)], mode="clip")
                candidates += costs
                begun = candidates.min(axis=1)
                begun += self.sums[:-1]
                self.begun[rows][:, here] = begun
            least.add(rows)

    def pieces(self, windows: Sequence[PathWindow]) -> list[Piece]:
        """Return the cheapest piece of each window, traced backward one segment at a time in all windows."""
        cheapest = [window.piece for window in windows]
        frames = np.array([piece.frames for piece in cheapest])
        rows, begins, lengths = self._last_segments(windows, frames)
        segments: dict[int, list[tuple[int, int]]] = {row: [] for row in rows.tolist()}
        while True:
            for row, *segment in zip(rows.tolist(), begins.tolist(), lengths.tolist(), strict=True):
                segments[row].append((segment[0], segment[1]))
            frames[rows] -= lengths
            on = frames[rows] > 0
            if not on.any():
                break
            rows, begins = rows[on], begins[on]
            begins, lengths = self._segments_before(rows, frames[rows], begins)
        for row, backward in segments.items():
            sources, spans = np.array(backward[::-1]).T
            cheapest[row] = Piece(sources, spans)
        return cheapest

    def _last_segments(self, windows: Sequence[PathWindow], frames: Frames) -> tuple[Frames, Frames, Frames]:
        """Return the windows `(A,)` that have a path, and the first frames and lengths of their last segments."""
        free = np.array([window.free_end for window in windows])
        fixed_ends = np.array([[window.piece.sources[-1] + window.piece.lengths[-1] - 1] for window in windows])
        anywhere = np.broadcast_to(np.arange(self.graph.frames), (len(windows), self.graph.frames))
        # The last segment of a path may be cut by the end of the result and be too short.
        possible = frames >= self.graph.shortest
        segments = []
        for rows, ends in ((np.flatnonzero(possible & ~free), fixed_ends), (np.flatnonzero(possible & free), anywhere)):
            costs, lengths = self._by_length(rows, frames[rows], ends[rows])
            each, best = np.arange(len(rows)), costs.argmin(axis=1)
            spans, reached = lengths[each, best], np.isfinite(costs[each, best])
            segments.append(np.stack((rows, ends[rows, best] + 1 - spans, spans))[:, reached])
        rows, begins, spans = np.concatenate(segments, axis=1)
        return rows, begins, spans

    def _segments_before(self, rows: Frames, frames: Frames, begins: Frames) -> tuple[Frames, Frames]:
        """Return the first frames and lengths `(A,)` of the segments before those that begin with `begins`."""
        ends = self.graph.predecessors.frames[begins]
        costs = self.left[(self.graph.longest + frames)[:, None], ends, rows[:, None]] + self.costs.T[begins]
        ends = ends[np.arange(len(rows)), costs.argmin(axis=1)]
        _, lengths = self._by_length(rows, frames, ends[:, None])
        return ends + 1 - lengths[:, 0], lengths[:, 0]

    def _by_length(self, rows: Frames, frames: Frames, ends: Frames) -> tuple[Rows, Frames]:
        """Return the least costs `(A, E)` of showing `ends` `(A, E)` last before frames `(A,)` of windows, and the
        lengths `(A, E)` of these segments.

        The least costs are infinite before a window begins and between two examples, where no segment begins.
        """
        _, places, windows = self.begun.shape
        lengths = np.arange(self.graph.shortest, self.graph.longest + 1)
        entries = ((self.graph.longest + frames) * places)[:, None] + self.places[ends] + 1
        entries = entries * windows + rows[:, None] - (lengths * ((places + 1) * windows))[:, None, None]
        costs = self.begun.ravel().take(entries)
        least = np.minimum.reduce(costs, axis=0)
        least -= self.sums[ends + 1, rows[:, None]]
        return least, lengths[costs.argmin(axis=0)]


class _LeastOfLengths:
    """Least cost over all possible lengths of segments, computed from that over two, four and eight lengths.

    Each level covers twice as many lengths as the one before. The order is that of `begun`, `(longest + T, P, B)`, so
    that one frame and one place back are always the same number of entries back. Entries beyond the first place belong
    to an earlier frame; they only affect the `longest` places before each example, which are never read.
    """

    def __init__(self, begun: Rows, shortest: int, longest: int) -> None:
        self.shape, self.longest = begun.shape, longest
        self.row, place = begun[0].size, begun[0, 0].size
        self.diagonal = self.row + place
        doublings = (longest - shortest + 1).bit_length() - 1
        # A segment of n frames that ends before a frame began n frames earlier, n - 1 places before its last place.
        self.shortest_back = shortest * self.diagonal - place
        self.longest_back = (longest + 1 - (1 << doublings)) * self.diagonal - place
        self.levels = [begun.ravel(), *(np.empty(begun.size, np.float32) for _ in range(doublings))]
        # No segment begins before a window does.
        for level in self.levels[1:]:
            level[: longest * self.row] = np.inf

    def add(self, rows: slice) -> None:
        """Add the segments that begin at some frames; those of all earlier frames must have been added."""
        begin, end, back = rows.start * self.row, rows.stop * self.row, self.diagonal
        for below, level in pairwise(self.levels):
            np.minimum(below[begin:end], below[begin - back : end - back], out=level[begin:end])
            back *= 2

    def until(self, rows: slice) -> Rows:
        """Return the least cost `(R, P - longest, B)` of segments that end at each place before each of some frames.

        The first `longest` places are left out.
        """
        begin, end, widest = rows.start * self.row, rows.stop * self.row, self.levels[-1]
        shorter, longer = (widest[begin - back : end - back] for back in (self.shortest_back, self.longest_back))
        return np.minimum(shorter, longer).reshape(-1, *self.shape[1:])[:, self.longest :]
