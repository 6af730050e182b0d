# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves of both hands that restore several contacts at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Float64
from .detecting import HANDS, SelfContact

ANCHORED = 0.02
"""Weight of a hand that touches a bone when both hands share a move toward each other; a free hand weighs one more."""


@dataclass(frozen=True, eq=False)
class Goal:
    """A contact to restore.

    moves: `(T, 3)` of the hand, or of the second hand relative to the first. weights: `(T,)`, 0 to 1.
    """

    contact: SelfContact
    moves: Float64
    weights: Float64


def joined_moves(goals: Sequence[Goal], hands: int) -> tuple[Float64, Float64]:
    """Return the weighted move `(H, T, 3)` of each hand, and the weights `(H, T)`.

    Each hand goes to its bones. If the hands also meet, the hand that touches no bone comes to the other one; if
    neither does, both go halfway.
    """
    frames = len(goals[0].weights)
    moves, weights = np.zeros((hands, frames, 3)), np.zeros((hands, frames))
    for hand in range(hands):
        of_hand = [goal for goal in goals if goal.contact.hand == hand and goal.contact.bone != HANDS]
        if of_hand:
            total = np.maximum(np.sum([goal.weights for goal in of_hand], axis=0), 1e-12)
            weights[hand] = 1.0 - np.prod([1.0 - goal.weights for goal in of_hand], axis=0)
            moves[hand] = np.sum(
                [(weights[hand] * goal.weights / total)[:, None] * goal.moves for goal in of_hand], axis=0
            )
    both = [goal for goal in goals if goal.contact.bone == HANDS]
    if both:
        weight = 1.0 - np.prod([1.0 - goal.weights for goal in both], axis=0)
        free = 1.0 - weights + ANCHORED
        missing = both[0].moves - (moves[1] - moves[0])
        moves[1] += (weight * free[1] / free.sum(axis=0))[:, None] * missing
        moves[0] -= (weight * free[0] / free.sum(axis=0))[:, None] * missing
        weights = 1.0 - (1.0 - weights) * (1.0 - weight)
    return moves, weights
