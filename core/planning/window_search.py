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

from ..arrays import Indices, Rows
from ..examples.transition_graph import TransitionGraph
from ..features.graph_size import MOST_NEIGHBORS, neighbors_kept
from ..progress import Progress, report_progress
from .stretches import PathWindow, Piece
from .window_frames import likely_frames

ENTRIES_AT_ONCE = 1 << 19
"""Largest number of entries in the cost table of several windows, 2 MB; more windows are planned in blocks. With twice
as many entries, results of 10,000 frames take 1.1 times as long, because the system must allocate more memory."""


def cheapest_pieces(
    graph: TransitionGraph, windows: Sequence[PathWindow], progress: Progress | None = None
) -> list[Piece]:
    """Return the cheapest piece for each window: least edge costs, less the rewards of its frames.

    A window for which no path exists keeps its piece. Over so many example frames that each keeps fewer than
    MOST_NEIGHBORS, a window is searched over `likely_frames`.
    """
    cheapest: dict[int, Piece] = {}
    everything = np.arange(graph.frames)
    if neighbors_kept(graph.frames) == MOST_NEIGHBORS:
        searched = _SearchedFrames.of(graph, everything)
        sizes = [(window.piece.frames + graph.longest) * searched.width for window in windows]
        for block in _blocks(sizes):
            report_progress(progress, len(cheapest) / len(windows))
            here = [windows[number] for number in block]
            cheapest |= dict(zip(block, _Search.through_windows(searched, here).pieces(here), strict=True))
        return [cheapest[number] for number in range(len(windows))]
    # The costs before each frame and after it are two tables.
    for block in _blocks([2 * graph.frames] * len(windows)):
        here = [windows[number] for number in block]
        for number, window, frames in zip(block, here, likely_frames(graph, here), strict=True):
            report_progress(progress, len(cheapest) / len(windows))
            searched = _SearchedFrames.of(graph, frames)
            (cheapest[number],) = _Search.through_windows(searched, [window]).pieces([window])
    return [cheapest[number] for number in range(len(windows))]


def _blocks(sizes: Sequence[int]) -> list[list[int]]:
    """Return the numbers of the windows that are planned together, the largest first, because the largest window of a
    block determines the size of its table.

    sizes: entries that the table has for each window.
    """
    blocks: list[list[int]] = []
    for number in sorted(range(len(sizes)), key=lambda number: -sizes[number]):
        if not blocks or (len(blocks[-1]) + 1) * sizes[blocks[-1][0]] > ENTRIES_AT_ONCE:
            blocks.append([])
        blocks[-1].append(number)
    return blocks


@dataclass(frozen=True, eq=False)
class _SearchedFrames:
    """The n example frames among which windows are searched, and their transitions.

    numbers: `(n,)` of the frames, ascending. places: `(n,)` places of the frames among P, as far apart as the frames,
    with gaps before each example so that no segment leads from one example to another. predecessors: `(n, M)`, as
    indices of the n frames. costs: `(M, n)` edge costs from them.
    """

    numbers: Indices
    places: Indices
    predecessors: Indices
    costs: Rows
    shortest: int
    longest: int

    @classmethod
    def of(cls, graph: TransitionGraph, numbers: Indices) -> "_SearchedFrames":
        """Return some of a graph's frames, and the transitions between them."""
        examples, lengths = graph.bounds.example_of(numbers), (graph.shortest, graph.longest)
        if len(numbers) == graph.frames:
            predecessors, costs = graph.predecessors.frames, graph.predecessor_edge_costs
            return cls(numbers, numbers + graph.longest * (1 + examples), predecessors, costs, *lengths)
        # No frame looks back farther than the longest segment, so wider gaps would be of no use.
        steps = np.where(np.diff(examples) > 0, graph.longest + 1, np.minimum(np.diff(numbers), graph.longest + 1))
        places = graph.longest + np.concatenate(([0], np.cumsum(steps)))
        index = np.full(graph.frames, -1)
        index[numbers] = np.arange(len(numbers))
        predecessors = index[graph.predecessors.frames[numbers]]
        # Those among the frames come first; the rest is cut off where no frame has more.
        order = np.argsort(predecessors < 0, axis=1, kind="stable")
        order = order[:, : max(1, int(np.count_nonzero(predecessors >= 0, axis=1).max()))]
        predecessors = np.take_along_axis(predecessors, order, axis=1)
        costs = graph.predecessor_edge_costs[order.T, numbers]
        costs[predecessors.T < 0] = np.inf
        return cls(numbers, places, np.maximum(predecessors, 0), costs, *lengths)

    @property
    def width(self) -> int:
        """Return the number of places."""
        return int(self.places[-1]) + 1


@dataclass(frozen=True, eq=False)
class _Search:
    """Least costs of the segments that begin at each of n frames in B windows, of at most T frames.

    Windows lie along the last axis, so that each lookup for a frame serves all windows.

    before, through: `(n, B)` rewards of all example frames before each, and up to and including it. begun:
    `(longest + T, P, B)` least cost of beginning a segment at a window's frame, with the sum before its first frame
    added; a window begins at row `longest`, and its last frames, from which no segment reaches the end, are left out.
    left: `(longest + T, n, B)` least cost of a path whose last frame before a window's frame is each example frame.
    """

    searched: _SearchedFrames
    before: Rows
    through: Rows
    begun: Rows
    left: Rows

    @classmethod
    def through_windows(cls, searched: _SearchedFrames, windows: Sequence[PathWindow]) -> "_Search":
        """Return the search from the beginnings of windows to their ends."""
        numbers, places, longest = searched.numbers, searched.places, searched.longest
        size = max(window.piece.frames for window in windows)
        sums = np.zeros((int(numbers[-1]) + 2, len(windows)), np.float32)
        for row, window in enumerate(windows):
            if window.rewards is not None:
                np.cumsum(window.rewards[: len(sums) - 1], out=sums[1:, row])
        whole = len(numbers) == len(sums) - 1
        before, through = (sums[:-1], sums[1:]) if whole else (sums[numbers], sums[numbers + 1])
        rows = longest + max(size - searched.shortest, 0) + 1
        begun = np.full((rows, searched.width, len(windows)), np.inf, np.float32)
        for row, window in enumerate(windows):
            if window.first_costs is None:
                first = np.searchsorted(numbers, window.piece.sources[0])
                begun[longest, places[first], row] = before[first, row]
            else:
                begun[longest, places, row] = window.first_costs[numbers] + before[:, row]
        left = np.empty((rows, *before.shape), np.float32)
        search = cls(searched, before, through, begun, left)
        search._begin_segments()
        return search

    def _begin_segments(self) -> None:
        """Fill in the least costs for `shortest` frames at once, which is possible because no segment is shorter."""
        searched, places = self.searched, self.searched.places
        step, longest = searched.shortest, searched.longest
        least = _LeastOfLengths(self.begun, step, longest)
        sources = np.ascontiguousarray(searched.predecessors.T)
        # Repeated for each window, so that whole rows are added.
        costs = np.repeat(searched.costs[:, :, None], self.begun.shape[2], axis=2)
        # The places of a single example are contiguous and can be sliced.
        contiguous = searched.width - longest == len(places)
        here = slice(longest, searched.width) if contiguous else places
        onward = slice(None) if contiguous else places - longest
        buffer = np.empty((step, *costs.shape), np.float32)
        for frame in range(longest, len(self.begun), step):
            rows = slice(frame, min(frame + step, len(self.begun)))
            if frame > longest:
                left = self.left[rows]
                np.subtract(least.until(rows)[:, onward], self.through, out=left)
                candidates = left.take(sources, axis=1, out=buffer[: len(left)], mode="clip")
                candidates += costs
                begun = candidates.min(axis=1)
                begun += self.before
                self.begun[rows][:, here] = begun
            least.add(rows)

    def pieces(self, windows: Sequence[PathWindow]) -> list[Piece]:
        """Return the cheapest piece of each window, traced backward one segment at a time in all windows."""
        cheapest = [window.piece for window in windows]
        frames = np.array([piece.frames for piece in cheapest])
        rows, begins, lengths = self._last_segments(windows, frames)
        segments: dict[int, list[tuple[int, int]]] = {row: [] for row in rows.tolist()}
        while True:
            sources = self.searched.numbers[begins]
            for row, *segment in zip(rows.tolist(), sources.tolist(), lengths.tolist(), strict=True):
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

    def _last_segments(self, windows: Sequence[PathWindow], frames: Indices) -> tuple[Indices, Indices, Indices]:
        """Return the windows `(A,)` that have a path, and the first frames and lengths of their last segments."""
        numbers = self.searched.numbers
        free = np.array([window.free_end for window in windows])
        ends = np.array([[window.piece.sources[-1] + window.piece.lengths[-1] - 1] for window in windows])
        fixed_ends = np.searchsorted(numbers, ends)
        anywhere = np.broadcast_to(np.arange(len(numbers)), (len(windows), len(numbers)))
        # The last segment of a path may be cut by the end of the result and be too short.
        possible = frames >= self.searched.shortest
        segments = []
        for rows, ends in ((np.flatnonzero(possible & ~free), fixed_ends), (np.flatnonzero(possible & free), anywhere)):
            costs, lengths = self._by_length(rows, frames[rows], ends[rows])
            each, best = np.arange(len(rows)), costs.argmin(axis=1)
            reached = np.isfinite(costs[each, best])
            rows, last, spans = rows[reached], ends[rows, best][reached], lengths[each, best][reached]
            segments.append(np.stack((rows, self._first_of(last, spans), spans)))
        rows, begins, spans = np.concatenate(segments, axis=1)
        return rows, begins, spans

    def _segments_before(self, rows: Indices, frames: Indices, begins: Indices) -> tuple[Indices, Indices]:
        """Return the first frames and lengths `(A,)` of the segments before those that begin with `begins`."""
        searched = self.searched
        ends = searched.predecessors[begins]
        costs = self.left[(searched.longest + frames)[:, None], ends, rows[:, None]] + searched.costs.T[begins]
        ends = ends[np.arange(len(rows)), costs.argmin(axis=1)]
        _, lengths = self._by_length(rows, frames, ends[:, None])
        return self._first_of(ends, lengths[:, 0]), lengths[:, 0]

    def _first_of(self, ends: Indices, lengths: Indices) -> Indices:
        """Return the first frames of segments."""
        places = self.searched.places
        return np.asarray(np.searchsorted(places, places[ends] + 1 - lengths))

    def _by_length(self, rows: Indices, frames: Indices, ends: Indices) -> tuple[Rows, Indices]:
        """Return the least costs `(A, E)` of showing `ends` `(A, E)` last before frames `(A,)` of windows, and the
        lengths `(A, E)` of these segments.

        The least costs are infinite before a window begins and between two examples, where no segment begins.
        """
        _, places, windows = self.begun.shape
        searched = self.searched
        lengths = np.arange(searched.shortest, searched.longest + 1)
        entries = ((searched.longest + frames) * places)[:, None] + searched.places[ends] + 1
        entries = entries * windows + rows[:, None] - (lengths * ((places + 1) * windows))[:, None, None]
        costs = self.begun.ravel().take(entries)
        least = np.minimum.reduce(costs, axis=0)
        least -= self.through[ends, rows[:, None]]
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
