# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of least frame cost through the examples (Viterbi 1967), with or without a shortest segment.

Under high frame costs, a path that could leave at any frame would follow all of them by several cheap transitions in a
row, with segments too short for a crossfade.
"""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Int64, Mask, Rows
from ..examples.transition_costs import Bounds
from ..examples.transition_graph import Predecessors
from ..features.pyramid import patched_length
from .frame_cost import UnaryCosts
from .path_objective import NO_EDGE
from .stretches import NONE

Number = TypeVar("Number", np.float32, np.int32)

VOTED_TRANSITION_COST = 2.0
"""Cost of any transition, in frames' worth of votes, in addition to its transition cost."""
COST_OF_SQUARE = 0.3
"""Cost of a transition, in votes, for each squared unit of its cost: two visible transitions beat one bad one."""


@dataclass(frozen=True, eq=False)
class _Transitions:
    """Transitions to each example frame from predecessors `(N, M)`, at costs in votes.

    Continuing from the frame before costs nothing. firsts: the first frame of each example, which has none before it.
    """

    predecessors: Int64
    costs: Rows
    firsts: Int64

    def least_totals(self, unary_costs: UnaryCosts) -> Rows:
        """Return the least totals `(F, N)` of paths."""
        frames = len(unary_costs.initial_path)
        totals = np.empty((frames, len(self.costs)), np.float32)
        sources, costs = self._with_onward()
        flat, candidates = sources.ravel(), np.empty(sources.shape, np.float32)
        filled, before = candidates.reshape(-1), None
        for best, frame_costs in zip(totals, unary_costs.of_frames(len(self.costs)), strict=True):
            if before is None:
                best[:] = frame_costs
            else:
                before.take(flat, out=filled, mode="clip")
                np.add(candidates, costs, out=candidates)
                np.minimum.reduce(candidates, axis=0, out=best)
                np.subtract(best, np.minimum.reduce(best), out=best)
                np.add(best, frame_costs, out=best)
            before = best
        return totals

    def _with_onward(self) -> tuple[Int64, Rows]:
        """Return the sources and the costs `(M + 1, N)` of all transitions to each example frame, and of continuing.

        Continuing from the frame before is one more source, which costs nothing; with few frames, a separate call would
        take longer than this addition. The origins are computed along the final path only, not at every frame.
        """
        count = len(self.costs)
        onward = np.zeros(count, np.float32)
        onward[self.firsts] = np.inf
        sources = np.concatenate((self.predecessors.T, np.maximum(np.arange(count) - 1, 0)[None]))
        return sources, np.concatenate((self.costs.T, onward[None]))

    def path(self, totals: Rows) -> Int64:
        """Return the path `(frames,)` that has the least totals `(frames, N)`."""
        path, begins = np.empty(len(totals), np.int64), np.zeros(totals.shape[1], bool)
        begins[self.firsts] = True
        path[-1] = here = int(totals[-1].argmin())
        for frame in reversed(range(len(path) - 1)):
            sources = self.predecessors[here]
            candidates = totals[frame, sources] + self.costs[here]
            best = int(candidates.argmin())
            jumps = begins[here] or candidates[best] < totals[frame, here - 1]
            path[frame] = here = int(sources[best]) if jumps else here - 1
        return path


def min_cost_path(unary_costs: UnaryCosts, predecessors: Predecessors, bounds: Bounds) -> Int64:
    """Return the path `(F,)` of least frame cost, and fewest and cheapest transitions (Viterbi 1967)."""
    costs = VOTED_TRANSITION_COST + predecessors.costs
    transitions = _Transitions(predecessors.frames, costs.astype(np.float32), bounds.starts)
    return transitions.path(transitions.least_totals(unary_costs))


def min_cost_long_path(
    unary_costs: UnaryCosts, predecessors: Predecessors, bounds: Bounds, shortest: int, weight: float = 1.0
) -> Int64:
    """Return the path `(F,)` of least frame cost, and fewest and cheapest transitions (Viterbi 1967).

    No segment is shorter than `shortest` frames, unless F or most of the examples are shorter. weight: of the squared
    costs of transitions.
    """
    total, frames = bounds.frames, len(unary_costs.initial_path)
    lengths = bounds.ends - bounds.starts
    shortest = max(1, min(shortest, frames, patched_length(lengths)))
    inside = np.arange(total) - bounds.starts[bounds.example_of(np.arange(total))]
    ripe = inside >= shortest - 1
    # A path by the dearest transition is still better than none.
    squares = np.minimum(weight * COST_OF_SQUARE * predecessors.costs**2, NO_EDGE / 2)
    cost_of_transition = VOTED_TRANSITION_COST + squares
    came_from = np.empty((frames, total), np.int32)
    # Sums along the diagonals give the votes against a segment; recent arrivals wait until they are long enough.
    sums, free = np.zeros(total, np.float32), np.full(total, NO_EDGE, np.float32)
    waiting: list[tuple[Rows, NDArray[np.int32]]] = []
    for frame, votes in enumerate(unary_costs.of_frames(total)):
        if frame == 0:
            arrived, source = np.zeros(total, np.float32), np.zeros(total, np.int32)
        else:
            cheapest, arrived = predecessors.cheapest(free, cost_of_transition)
            source = cheapest.astype(np.int32)
        before = _shifted(sums, 1, inside >= 1, 0.0)
        waiting.append((arrived - before, source))
        sums = before + votes
        stay = _shifted(free, 1, inside >= 1, NO_EDGE) + votes
        came_from[frame], free = NONE, stay
        if frame >= shortest - 1:
            landed, source = waiting.pop(0)
            done = _shifted(landed, shortest - 1, ripe, NO_EDGE) + sums
            better = done < stay
            free = np.where(better, done, stay)
            came = _shifted(source, shortest - 1, ripe, NONE)
            came_from[frame] = np.where(better, came, NONE)
            low = free.min()
            free = np.minimum(free - low, NO_EDGE)
            waiting = [(values - low, sources) for values, sources in waiting]
    return _backtrack(came_from, int(free.argmin()), shortest)


def _shifted(values: NDArray[Number], by: int, valid: Mask, otherwise: float) -> NDArray[Number]:
    """Return the values `by` frames before each example frame; `otherwise` where that is not in the same example."""
    moved = np.full_like(values, otherwise)
    if by == 0:
        return values.copy()
    moved[by:] = values[:-by]
    moved[~valid] = otherwise
    return moved


def _backtrack(came_from: NDArray[np.int32], last: int, shortest: int) -> Int64:
    """Return the path `(F,)` that ends at `last`.

    came_from: `(F, N)` the frame that a segment came from if it has just reached `shortest` frames; NONE for a frame
    that continues the one before.
    """
    path = np.empty(len(came_from), np.int64)
    frame, source_frame = len(path) - 1, last
    while frame >= 0:
        came = int(came_from[frame, source_frame])
        if came == NONE:
            path[frame] = source_frame
            frame, source_frame = frame - 1, source_frame - 1
            continue
        path[frame - shortest + 1 : frame + 1] = np.arange(source_frame - shortest + 1, source_frame + 1)
        frame, source_frame = frame - shortest, came
    return path
