# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of many examples that the cheapest path through a window may show.

Over a library, almost all frames lie on detours only. A relaxation of the search tells which: the least cost of a path
through each frame, with few transitions, that need not have the window's length. This takes a few passes over the
frames where the search takes one for each frame of the window; the search then has a graph as small as that of a few
clips.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ..arrays import Indices, Rows
from ..examples.transition_graph import TransitionGraph
from ..features.graph_size import ALL_EDGES_FRAMES
from .stretches import WINDOW_SEGMENTS, PathWindow


def likely_frames(graph: TransitionGraph, windows: Sequence[PathWindow]) -> Iterator[Indices]:
    """Yield for each window ALL_EDGES_FRAMES frames, ascending: those on the cheapest paths, and its piece's own.

    Paths have up to WINDOW_SEGMENTS transitions before a frame and after it.
    """
    before, through = _sums(graph, windows)
    begun, left = _first_and_last(graph, windows)
    sources, costs = graph.predecessors.frames.T, graph.predecessor_edge_costs
    places = np.arange(graph.frames)
    places += graph.longest * graph.bounds.example_of(places)
    flat = sources.ravel()
    order = np.argsort(flat, kind="stable")
    order = order[np.isfinite(costs.ravel()[order])]
    leaves, firsts = np.unique(flat[order], return_index=True)
    arrivals, onward_costs = order % graph.frames, costs.ravel()[order, None]
    for transitions in range(WINDOW_SEGMENTS + 1):
        # Of leaving each frame after a segment from the beginning, and of beginning a segment to the end with each.
        leaving = _least_of_lengths(graph, (begun + before)[::-1], places[-1] - places[::-1])[::-1] - through
        beginning = _least_of_lengths(graph, left - through, places) + before
        if transitions < WINDOW_SEGMENTS:
            for frames, costs_of_frames in zip(sources, costs, strict=True):
                arriving = leaving.take(frames, axis=0)
                arriving += costs_of_frames[:, None]
                np.minimum(begun, arriving, out=begun)
            onward = beginning.take(arrivals, axis=0)
            onward += onward_costs
            left[leaves] = np.minimum(left[leaves], np.minimum.reduceat(onward, firsts, axis=0))
    costs_through = np.minimum(begun + beginning, leaving + left)
    for window, costs_of_window in zip(windows, costs_through.T, strict=True):
        limit = np.partition(costs_of_window, ALL_EDGES_FRAMES)[ALL_EDGES_FRAMES]
        likely = np.isfinite(costs_of_window) & (costs_of_window <= limit)
        likely[window.piece.sources] = likely[window.piece.sources + window.piece.lengths - 1] = True
        yield np.flatnonzero(likely)


def _sums(graph: TransitionGraph, windows: Sequence[PathWindow]) -> tuple[Rows, Rows]:
    """Return the rewards `(N, B)` of all frames before each, and up to and including it.

    Each window's rewards are less the mean of its piece, so that no path is cheaper because it is longer.
    """
    sums = np.zeros((graph.frames + 1, len(windows)), np.float32)
    for column, window in enumerate(windows):
        if window.rewards is not None:
            np.cumsum(window.rewards - window.rewards[window.piece.path].mean(), out=sums[1:, column])
    return sums[:-1], sums[1:]


def _first_and_last(graph: TransitionGraph, windows: Sequence[PathWindow]) -> tuple[Rows, Rows]:
    """Return the costs `(N, B)` of beginning and of ending with each frame, infinite where a window does not."""
    begun, left = np.full((2, graph.frames, len(windows)), np.inf, np.float32)
    for column, window in enumerate(windows):
        piece = window.piece
        if window.first_costs is None:
            begun[piece.sources[0], column] = 0.0
        else:
            begun[:, column] = window.first_costs
        left[slice(None) if window.free_end else piece.sources[-1] + piece.lengths[-1] - 1, column] = 0.0
    return begun, left


def _least_of_lengths(graph: TransitionGraph, values: Rows, places: Indices) -> Rows:
    """Return the least value `(N, B)` at the last frames of all possible segments that begin at each frame.

    places: `(N,)` ascending, with gaps between examples, so that no segment leads from one to another.
    """
    shortest, longest = graph.shortest, graph.longest
    least = np.full((int(places[-1]) + 1 + longest, values.shape[1]), np.inf, np.float32)
    least[places] = values
    doublings = (longest - shortest + 1).bit_length() - 1
    for step in (1 << doubling for doubling in range(doublings)):
        least = np.minimum(least[:-step], least[step:])
    far = longest - (1 << doublings)
    return np.asarray(np.minimum(least[shortest - 1 :][places], least[far:][places]))
