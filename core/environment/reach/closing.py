# SPDX-License-Identifier: GPL-3.0-or-later
"""Exact closing of a limb: its middle joint bends about its hinge, and its first bone aims, without flips.

`core/feet/two_bone_ik` leaves a nearly straight leg short of its goal to calm the knee; here the end reaches its goal.
"""

import numpy as np

from ...arrays import Array, Float64
from ...feet.two_bone_ik import Leg, Solution, bend_terms
from ...motion import rotations

STEPS = 8
"""Number of steps in which a limb's end goes to its goal, each by the shortest turn. A single turn by nearly half a
round would have an arbitrary axis, which could change from frame to frame."""
NEAR_SHOULDER = 0.4
"""Distance of a limb's end from its beginning, as a share of its length, within which the end takes a detour of up to
the same distance; a straight path through the beginning would turn the limb over within a frame."""


def longest_reach(leg: Leg, hinge: Float64) -> Float64:
    """Return the largest distance `(T,)` of a limb's ends; hinge: in the axes of its first bone."""
    constant, radius, _ = bend_terms(*leg.bones, _axis(leg, hinge))
    return np.sqrt(constant + 2 * radius)


def close_limb(leg: Leg, moves: Float64, hinge: Float64, shares: Array) -> Solution:
    """Return the turns that move the end of a limb by `(T, 3)`, or as far toward that as it reaches.

    hinge: `(3,)` the axis about which it bends, in the axes of its first bone. shares: `(T,)`, 0 where the limb does
    not change, 1 where its end meets the goal; there, a limb that bends the wrong way is bent the right way.
    """
    thigh, shin = leg.bones
    axis, now = _axis(leg, hinge), thigh + shin
    constant, radius, before = bend_terms(thigh, shin, axis)
    wrong = (1.0 - shares) * (np.abs(before) - before)
    # All steps at once, except the turns, each of which continues from the one before.
    parts = (np.arange(1, STEPS + 1) / STEPS)[:, None]
    goals = now + parts[..., None] * moves
    goals = goals + past_shoulder(shoulder_side(leg, hinge), goals, parts)
    cosines = np.clip((np.sum(goals**2, axis=2) - constant) / (2 * radius), -1.0, 1.0)
    bends = rotations.from_axis_angle(axis, np.arccos(cosines) - before - wrong)
    ends = thigh + rotations.rotate(bends, shin)
    aim = np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (len(now), 1))
    for end, goal in zip(ends, goals, strict=True):
        aim = rotations.multiply(rotations.shortest_turn(rotations.rotate(aim, end), goal), aim)
    return Solution(np.arange(len(now)), bends[-1], aim)


def shoulder_side(leg: Leg, hinge: Float64) -> Float64:
    """Return the directions `(T, 3)` in which a limb bends, with the limb's length."""
    thigh, shin = leg.bones
    longest = np.linalg.norm(thigh, axis=1) + np.linalg.norm(shin, axis=1)
    side = rotations.cross(_axis(leg, hinge), thigh)
    return np.asarray(side * (longest / np.maximum(np.linalg.norm(side, axis=1), 1e-12))[:, None])


def past_shoulder(side: Float64, vectors: Float64, shares: Array) -> Float64:
    """Return the offsets `(..., T, 3)` by which a limb's end avoids its beginning; they are 0 at shares of 0 and 1.

    side: `(T, 3)` the side on which the end passes, see shoulder_side. vectors: `(..., T, 3)` from the limb's beginning
    to its end. shares: `(..., T)` of an approach.
    """
    squares = np.sum(vectors**2, axis=-1) / np.maximum(np.sum(side**2, axis=1), 1e-12)
    near = np.exp(-squares / NEAR_SHOULDER**2)
    return np.asarray((NEAR_SHOULDER * near * 4.0 * shares * (1.0 - shares))[..., None] * side)


def _axis(leg: Leg, hinge: Float64) -> Float64:
    return np.asarray(np.einsum("tab,b->ta", leg.directions(), hinge))
