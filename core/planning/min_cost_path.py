# SPDX-License-Identifier: GPL-3.0-or-later
"""The path through the examples that most patches vote for."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..features.voting import count_votes
from ..library.transition_costs import Bounds
from ..library.transition_graph import Predecessors
from .frame_cost import FrameCost

Rows = NDArray[np.float32]


VOTED_TRANSITION_COST = 2.0
"""A transition must win this many frames' worth of votes ..."""
COST_PER_UNIT = 1.0
"""... and this many more for each unit of its cost."""
FIXED_FRAME_COST = 1e4
"""Votes against leaving the held beginning; not infinite, so that one which leads nowhere still leads on."""
VOTE_BLOCK = 2048


def min_cost_path(
    chosen: NDArray[np.int64],
    length: int,
    predecessors: Predecessors,
    bounds: Bounds,
    initial_path: NDArray[np.int64],
    trust: float,
    fixed_frames: int = 1,
    frame_costs: Sequence[FrameCost] = (),
) -> NDArray[np.int64]:
    """Return the example frame `(F,)` of each stage frame: most votes, fewest and cheapest transitions (Viterbi 1967).

    chosen: `(F - p + 1,)` the patches' starts. length: p. initial_path: `(F,)` the initial path, which has `trust`
    votes of its own, and whose first `fixed_frames` frames are kept.
    """
    total, frames = bounds.frames, len(initial_path)
    cost_of_transition = VOTED_TRANSITION_COST + COST_PER_UNIT * predecessors.costs
    # Least totals alone are kept: where each came from is asked for along the one path, and not at every frame.
    totals = np.zeros((frames, total), np.float32)
    sources, costs = (np.ascontiguousarray(one.T) for one in (predecessors.frames, cost_of_transition))
    ways, stay, index = np.empty(costs.shape, np.float32), np.empty(total, np.float32), np.arange(total)
    stay[:1], starts = np.inf, bounds.starts[1:]
    for block in range(0, frames, VOTE_BLOCK):
        votes = _votes_of_block(chosen, length, total, block, min(block + VOTE_BLOCK, frames))
        for frame, vote in enumerate(votes, start=block):
            best = totals[frame]
            if frame > 0:
                before = totals[frame - 1]
                before.take(sources, out=ways, mode="clip")
                np.add(ways, costs, out=ways)
                stay[1:] = before[:-1]
                if len(starts):
                    stay[starts] = np.inf
                np.minimum.reduce(ways, axis=0, out=best)
                np.minimum(best, stay, out=best)
                best -= np.minimum.reduce(best)
            if frame < fixed_frames:
                best[index != initial_path[frame]] += FIXED_FRAME_COST
            best -= vote
            best[initial_path[frame]] -= trust
            for frame_cost in frame_costs:
                if frame_cost.rows[frame] >= 0:
                    best += frame_cost.table[frame_cost.rows[frame]]
    return _backtrack(totals, predecessors.frames, cost_of_transition, bounds)


def _votes_of_block(chosen: NDArray[np.int64], length: int, total: int, first: int, last: int) -> Rows:
    low, high = max(first - length + 1, 0), min(last, len(chosen))
    return count_votes(chosen[low:high], length, total)[first - low : last - low]


def _backtrack(totals: Rows, sources: NDArray[np.int64], costs: Rows, bounds: Bounds) -> NDArray[np.int64]:
    """Return the path `(F,)` that the least totals `(F, N)` are of; sources, costs: `(N, M)` the ways to each frame."""
    path = np.empty(len(totals), np.int64)
    firsts = set(bounds.starts.tolist())
    here = int(totals[-1].argmin())
    path[-1] = here
    for frame in range(len(path) - 1, 0, -1):
        before = totals[frame - 1]
        ways = before[sources[here]] + costs[here]
        jumps = here in firsts or ways.min() < before[here - 1]
        here = int(sources[here, ways.argmin()]) if jumps else here - 1
        path[frame - 1] = here
    return path
