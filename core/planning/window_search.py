# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows of paths planned anew: of all ways through the transition graph from where one begins to where it ends, the
cheapest, found exactly (Viterbi 1967, over the beginnings of segments, whose lengths are bounded).

Moves of single segments do not get out of a poor place that takes two changes at once: a dead end of an example that
must be left, and what leads to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..library.transition_graph import TransitionGraph
from .stretches import Piece

Frames = NDArray[np.int64]
Rows = NDArray[np.float32]

MOST_ENTRIES = 1 << 22
"""Entries of the largest table of costs; more windows are planned in blocks."""


@dataclass(frozen=True, eq=False)
class Window:
    """A piece of a path that may be planned anew, in as many frames.

    first_costs: `(N,)` the cost of beginning at each example frame; None: the first one is kept. free_end: whether it
    may end anywhere; else its last frame is kept. rewards: `(N,)` what showing each example frame is worth, in edge
    cost; None: nothing.
    """

    piece: Piece
    first_costs: Rows | None = None
    free_end: bool = False
    rewards: Rows | None = None


def cheapest_pieces(graph: TransitionGraph, windows: Sequence[Window]) -> list[Piece]:
    """Return for each window the piece of least edge costs, less the rewards of what it shows; some have none but their
    own.
    """
    costs = graph.edge_costs_between(graph.predecessors.frames, np.arange(graph.frames)[:, None])
    longest = max(int(window.piece.lengths.sum()) for window in windows)
    block = max(1, MOST_ENTRIES // (longest * (graph.frames + longest)))
    found: list[Piece] = []
    for first in range(0, len(windows), block):
        found += _Search.through(graph, costs, windows[first : first + block]).pieces(windows[first : first + block])
    return found


@dataclass(frozen=True, eq=False)
class _Search:
    """Least costs of the segments that begin at each frame of B windows, of T frames at most.

    places: `(N,)` of the example frames among P, so far apart for different examples that no segment leads from one to
    another. A segment stays at one offset: T and its place less the window's frame. sums: `(B, N + 1)` rewards of all
    example frames before each. begun: `(T, B, P + T)` the least cost of beginning a segment at a window's frame, by
    offset, with the sum at its first frame added. arrived: `(T, B, N)` the predecessor that each example frame is best
    come to from.
    """

    graph: TransitionGraph
    places: Frames
    sums: Rows
    begun: Rows
    arrived: NDArray[np.int32]

    @classmethod
    def through(cls, graph: TransitionGraph, costs: Rows, windows: Sequence[Window]) -> "_Search":
        """Return the search from the beginnings of windows to their ends; costs: `(N, M)` from the predecessors."""
        total, count, index = graph.frames, len(windows), np.arange(graph.frames)
        size = max(int(window.piece.lengths.sum()) for window in windows)
        places = index + graph.longest * graph.bounds.example_of(index)
        sums = np.zeros((count, total + 1), np.float32)
        begun = np.full((size, count, int(places[-1]) + 1 + size), np.inf, np.float32)
        for row, window in enumerate(windows):
            if window.rewards is not None:
                np.cumsum(window.rewards, out=sums[row, 1:])
            if window.first_costs is None:
                first = window.piece.sources[0]
                begun[0, row, size + places[first]] = sums[row, first]
            else:
                begun[0, row, size + places] = window.first_costs + sums[row, :-1]
        arrived = np.zeros((size, count, total), np.int32)
        sources = graph.predecessors.frames
        least = _LeastOfLengths(graph, begun)
        for frame in range(graph.shortest, size):
            ways = least.before(frame)[:, places + (size + 1 - frame)]
            ways -= sums[:, 1:]
            ways = ways[:, sources]
            ways += costs
            best = ways.argmin(axis=2)
            arrived[frame] = sources[index, best]
            begun[frame][:, places + (size - frame)] = (
                np.take_along_axis(ways, best[:, :, None], 2)[:, :, 0] + sums[:, :-1]
            )
        return cls(graph, places, sums, begun, arrived)

    def pieces(self, windows: Sequence[Window]) -> list[Piece]:
        """Return the cheapest piece of each window."""
        return [self._piece(row, window) for row, window in enumerate(windows)]

    def _piece(self, row: int, window: Window) -> Piece:
        frame = int(window.piece.lengths.sum())
        ends = np.arange(self.graph.frames) if window.free_end else window.piece.path[-1:]
        costs, lengths = self._left(row, frame, ends)
        best = int(costs.argmin())
        if not np.isfinite(costs[best]):
            return window.piece
        end, length = int(ends[best]), int(lengths[best])
        sources, spans = [], []
        while True:
            frame -= length
            sources.append(end + 1 - length)
            spans.append(length)
            if frame == 0:
                return Piece(np.array(sources[::-1]), np.array(spans[::-1]))
            end = int(self.arrived[frame, row, sources[-1]])
            length = int(self._left(row, frame, np.array([end]))[1][0])

    def _left(self, row: int, frame: int, ends: Frames) -> tuple[Rows, Frames]:
        """Return the least cost of having shown each of `ends` last before a frame, and for how long."""
        lengths = np.arange(self.graph.shortest, min(self.graph.longest, frame) + 1)
        offsets = len(self.begun) + self.places[ends] + 1 - frame
        costs = self.begun[(frame - lengths)[:, None], row, offsets]
        best = costs.argmin(axis=0)
        return costs[best, np.arange(len(ends))] - self.sums[row, ends + 1], lengths[best]


class _LeastOfLengths:
    """The least cost over all lengths that segments may have, out of that of two, of four, of eight lengths."""

    def __init__(self, graph: TransitionGraph, begun: Rows) -> None:
        self.shortest, self.count = graph.shortest, graph.longest - graph.shortest + 1
        self.levels, self.width = [begun], 1
        while 2 * self.width <= self.count:
            self.levels.append(np.empty_like(begun))
            self.width *= 2
        self.done = 0

    def before(self, frame: int) -> Rows:
        """Return the least cost `(B, P + T)`, by offset, of what may end before a frame, all before it known."""
        newest = frame - self.shortest
        for begin in range(self.done, newest + 1):
            for below, level, by in zip(
                self.levels[:-1], self.levels[1:], 1 << np.arange(len(self.levels)), strict=False
            ):
                if begin < by:
                    level[begin] = below[begin]
                else:
                    np.minimum(below[begin], below[begin - by], out=level[begin])
        self.done = newest + 1
        oldest = max(newest + 1 - self.count, 0) + self.width - 1
        if oldest >= newest:
            return np.asarray(self.levels[-1][newest])
        return np.asarray(np.minimum(self.levels[-1][newest], self.levels[-1][oldest]))
