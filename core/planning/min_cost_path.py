# SPDX-License-Identifier: GPL-3.0-or-later
"""The path through the examples for which most patches vote."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..examples.transition_costs import Bounds
from ..examples.transition_graph import Predecessors
from .frame_cost import UnaryCosts

Rows = NDArray[np.float32]

VOTED_TRANSITION_COST = 2.0
"""Cost of any transition, in frames' worth of votes, in addition to its transition cost."""


@dataclass(frozen=True, eq=False)
class _Transitions:
    """Transitions to each example frame from predecessors `(N, M)`, at costs in votes.

    Continuing from the frame before costs nothing. firsts: the first frame of each example, which has none before it.
    """

    predecessors: NDArray[np.int64]
    costs: Rows
    firsts: NDArray[np.int64]

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

    def _with_onward(self) -> tuple[NDArray[np.int64], Rows]:
        """Return the sources and the costs `(M + 1, N)` of all transitions to each example frame, and of continuing.

        Continuing from the frame before is one more source, which costs nothing; with few frames, a separate call would
        take longer than this addition. The origins are computed along the final path only, not at every frame.
        """
        count = len(self.costs)
        onward = np.zeros(count, np.float32)
        onward[self.firsts] = np.inf
        sources = np.concatenate((self.predecessors.T, np.maximum(np.arange(count) - 1, 0)[None]))
        return sources, np.concatenate((self.costs.T, onward[None]))

    def path(self, totals: Rows) -> NDArray[np.int64]:
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


def min_cost_path(unary_costs: UnaryCosts, predecessors: Predecessors, bounds: Bounds) -> NDArray[np.int64]:
    """Return the path `(F,)` of least frame cost, and fewest and cheapest transitions (Viterbi 1967)."""
    costs = VOTED_TRANSITION_COST + predecessors.costs
    transitions = _Transitions(predecessors.frames, costs.astype(np.float32), bounds.starts)
    return transitions.path(transitions.least_totals(unary_costs))
