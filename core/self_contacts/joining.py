# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves of both hands that bring several contacts about at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .detecting import HANDS, SelfContact

Float64 = NDArray[np.float64]

ANCHORED = 0.02
"""Share of a common move that a hand still makes which is at a bone, the rest being left to the free hand."""


@dataclass(frozen=True, eq=False)
class Goal:
    """A contact to be brought about.

    moves: `(T, 3)` of the hand, or of the second hand against the first; weights: `(T,)`, 0 to 1.
    """

    contact: SelfContact
    moves: Float64
    weights: Float64


def joined_moves(goals: Sequence[Goal], hands: int) -> tuple[Float64, Float64]:
    """Return the move of each hand `(H, T, 3)`, already weighted, and by how much it counts `(H, T)`.

    Each hand goes to its bones. Where the hands meet besides, the one that is at no bone comes to the other, and both
    go halfway where neither is.
    """
    frames = len(goals[0].weights)
    moves, weights = np.zeros((hands, frames, 3)), np.zeros((hands, frames))
    for hand in range(hands):
        own = [goal for goal in goals if goal.contact.hand == hand and goal.contact.bone != HANDS]
        if own:
            total = np.maximum(np.sum([goal.weights for goal in own], axis=0), 1e-12)
            weights[hand] = 1.0 - np.prod([1.0 - goal.weights for goal in own], axis=0)
            moves[hand] = np.sum([(weights[hand] * goal.weights / total)[:, None] * goal.moves for goal in own], axis=0)
    both = [goal for goal in goals if goal.contact.bone == HANDS]
    if both:
        weight = 1.0 - np.prod([1.0 - goal.weights for goal in both], axis=0)
        free = 1.0 - weights + ANCHORED
        missing = both[0].moves - (moves[1] - moves[0])
        moves[1] += (weight * free[1] / free.sum(axis=0))[:, None] * missing
        moves[0] -= (weight * free[0] / free.sum(axis=0))[:, None] * missing
        weights = 1.0 - (1.0 - weights) * (1.0 - weight)
    return moves, weights
