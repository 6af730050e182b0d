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
    came_from = np.empty((frames, total), np.int32)
    best = np.zeros(total, np.float32)
    before = np.arange(total) - 1
    first = bounds.starts
    index = np.arange(total)
    for block in range(0, frames, VOTE_BLOCK):
        votes = _votes_of_block(chosen, length, total, block, min(block + VOTE_BLOCK, frames))
        for frame, vote in enumerate(votes, start=block):
            if frame > 0:
                source, jump = predecessors.cheapest(best, cost_of_transition)
                stay = np.empty_like(best)
                stay[1:] = best[:-1]
                stay[first] = np.inf
                jumps = jump < stay
                came_from[frame] = np.where(jumps, source, before)
                best = np.where(jumps, jump, stay)
                best -= best.min()
            if frame < fixed_frames:
                best[index != initial_path[frame]] += FIXED_FRAME_COST
            best = best - vote
            best[initial_path[frame]] -= trust
            for frame_cost in frame_costs:
                if frame_cost.rows[frame] >= 0:
                    best = best + frame_cost.table[frame_cost.rows[frame]]
    return _backtrack(came_from, int(best.argmin()))


def _votes_of_block(chosen: NDArray[np.int64], length: int, total: int, first: int, last: int) -> Rows:
    low, high = max(first - length + 1, 0), min(last, len(chosen))
    return count_votes(chosen[low:high], length, total)[first - low : last - low]


def _backtrack(came_from: NDArray[np.int32], last: int) -> NDArray[np.int64]:
    path = np.empty(len(came_from), np.int64)
    path[-1] = last
    for frame in range(len(path) - 1, 0, -1):
        path[frame - 1] = came_from[frame, path[frame]]
    return path
