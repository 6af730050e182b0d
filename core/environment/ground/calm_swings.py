# SPDX-License-Identifier: GPL-3.0-or-later
"""Calm swings: a foot's path between two footholds is evened out where the foot or its knee would be too quick."""

from dataclasses import dataclass

import numpy as np

from ...arrays import Array, Float64, Mask
from ...feet.calm_paths import ALLOWED, FRAME_SECONDS, ROUNDS, accelerations, around
from ...feet.footsteps import Stance
from ...feet.two_bone_ik import Leg, knee_path, solve_leg
from ...motion.spans import spans
from .footholds import SUNK
from .rods import LONGEST_ROD, raised


@dataclass(frozen=True, eq=False)
class Swinging:
    """A leg before the move of its foot.

    hinge: `(3,)` of its knee. weights: `(T,)` of its turns, see solve_leg. free: `(T,)` frames at which its end may
    take another path. lowest: `(T,)` smallest upward move of its end, negative where there is room below.
    """

    leg: Leg
    hinge: Float64
    weights: Array
    free: Mask
    lowest: Float64


def free_frames(stances: list[Stance], contacts: Mask, weights: Array) -> Mask:
    """Return the frames `(T,)` at which a foot neither stands nor touches the ground, and its pose is not fixed.

    >>> free_frames([Stance(0, 2, np.zeros(3))], np.zeros(3, bool), np.ones(3)).tolist()
    [False, False, True]
    """
    free = (weights > 0) & ~contacts
    for stance in stances:
        free[stance.first : stance.end] = False
    return np.asarray(free)


def calm_swings(swinging: Swinging, target: Float64, quickest: float, up: Float64, rate: float, size: float) -> Float64:
    """Return a path `(T, 3)` for the end of a leg that is calm enough for foot and knee; target: the desired path.

    quickest: the largest acceleration of this knee in the examples. up: the direction `(3,)`. The first round evens out
    moves within FRAME_SECONDS, and each of the others twice as strongly as the one before. If no round is calm enough,
    each swing has its calmest path.
    """
    leg, ball = swinging.leg, swinging.leg.positions[:, -1] - swinging.leg.positions[:, swinging.leg.end]
    end = leg.positions[:, leg.end]
    limit = np.maximum(max(ALLOWED * quickest, 1e-12), accelerations(leg.positions[:, leg.knee]))
    of_ends = max(float(accelerations(path).max(initial=0.0)) for path in (end, end + ball))
    end_limit = max(ALLOWED * of_ends, 1e-12)
    swings = spans(swinging.free)
    calm, best, stiffness, least = target, target.copy(), np.zeros(len(target)), np.full(len(swings), np.inf)
    for number in range(ROUNDS + 1):
        solution = solve_leg(leg, calm - end, swinging.hinge, rate, size, swinging.weights)
        ratios = accelerations(knee_path(leg, solution)) / limit
        for path in (calm, calm + ball):
            ratios = np.maximum(ratios, accelerations(path) / end_limit)
        for index, (first, last) in enumerate(swings):
            largest = ratios[max(first - 1, 0) : last + 1].max()
            if largest < least[index]:
                best[first:last], least[index] = calm[first:last], largest
        if least.max(initial=0.0) <= 1.0 or number == ROUNDS:
            break
        step = (FRAME_SECONDS * rate) ** 4 * 2.0**number
        stiffness = np.maximum(stiffness, around(ratios > 1.0, rate) * step)
        lowest = swinging.lowest - SUNK * size
        calm = target + _evened(target, stiffness, swings, lowest, up)
    return best


def _evened(path: Float64, stiffness: Float64, swings: list[tuple[int, int]], lowest: Float64, up: Float64) -> Float64:
    """Return moves `(T, 3)` that even out a path during swings; stiffness: `(T,)` of each frame.

    The moves minimize the sum of their squares and of the path's squared second differences times the stiffness. No
    upward move is smaller than `lowest` `(T,)`.
    """
    moves = np.zeros_like(path)
    for first, end in swings:
        rows = slice(max(first - 1, 1), min(end + 1, len(path) - 1))
        if end - first > LONGEST_ROD or rows.stop <= rows.start or not stiffness[rows].any():
            continue
        seen = slice(rows.start - 1, rows.stop + 1)
        second = np.diff(np.eye(seen.stop - seen.start), 2, axis=0)
        inside = second[:, first - seen.start : end - seen.start]
        weighted = inside.T * stiffness[rows]
        compliance = np.asarray(np.linalg.inv(np.eye(end - first) + weighted @ inside), np.float64)
        even = np.asarray(-compliance @ (weighted @ (second @ path[seen])), np.float64)
        lift = raised(compliance, lowest[first:end] - even @ up)
        moves[first:end] = even + lift[:, None] * up
    return moves
