# SPDX-License-Identifier: GPL-3.0-or-later
"""A limb closed exactly: its middle joint bends about its hinge, and the first bone aims, without a flip.

`core/feet/two_bone_ik` is soft where a leg is nearly straight, which keeps knees calm; here the end is met.
"""

import numpy as np
from numpy.typing import NDArray

from ..feet.two_bone_ik import Leg, Solution, bend_terms
from ..motion import rotations

Float64 = NDArray[np.float64]

STEPS = 8
"""The end goes to its place in so many steps, each of which turns the limb by the shortest way: a single turn by nearly
half a round would turn about any axis, and another one in the next frame."""
NEAR_SHOULDER = 0.4
"""A limb's end that comes nearer to its beginning than this share of its length goes around it ..."""
AROUND_SHOULDER = 0.5
"""... at about this share of it: straight through, the limb would turn over within a frame."""


def longest_and_shortest(leg: Leg, hinge: Float64) -> tuple[Float64, Float64]:
    """Return the largest and the smallest distance `(T,)` of a limb's ends; hinge: in the axes of its first bone."""
    constant, radius, _ = bend_terms(*leg.bones, _axis(leg, hinge))
    return np.sqrt(constant + 2 * radius), np.sqrt(np.maximum(constant - 2 * radius, 0.0))


def close_limb(leg: Leg, moves: Float64, hinge: Float64, shares: NDArray[np.floating]) -> Solution:
    """Return the turns that move the end of a limb by `(T, 3)`, or as nearly as can be.

    hinge: `(3,)` the axis about which it bends, in the axes of its first bone. shares: `(T,)` 0 where the limb stays
    as it is, 1 where its end is met; a limb that bends the wrong way in the motion bends the right way there.
    """
    thigh, shin = leg.bones
    axis, now = _axis(leg, hinge), thigh + shin
    constant, radius, before = bend_terms(thigh, shin, axis)
    wrong = (1.0 - shares) * (np.abs(before) - before)
    # All steps at once, but for the turns, each of which goes on from the one before.
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
    """Return the directions `(T, 3)` to which a limb bends, as long as the limb is."""
    thigh, shin = leg.bones
    longest = np.linalg.norm(thigh, axis=1) + np.linalg.norm(shin, axis=1)
    side = rotations.cross(_axis(leg, hinge), thigh)
    return np.asarray(side * (longest / np.maximum(np.linalg.norm(side, axis=1), 1e-12))[:, None])


def past_shoulder(side: Float64, ways: Float64, shares: NDArray[np.floating]) -> Float64:
    """Return by how much `(..., T, 3)` the end of a limb keeps away from its beginning on its way, nothing at both
    ends.

    side: `(T, 3)`, see shoulder_side. ways: `(..., T, 3)` from the beginning to where the end is. shares: `(..., T)`
    how far on its way it is. It goes past on the side to which the limb bends.
    """
    squares = np.sum(ways**2, axis=-1) / np.maximum(np.sum(side**2, axis=1), 1e-12)
    near = np.exp(-squares / NEAR_SHOULDER**2)
    return np.asarray((AROUND_SHOULDER * near * 4.0 * shares * (1.0 - shares))[..., None] * side)


def _axis(leg: Leg, hinge: Float64) -> Float64:
    return np.asarray(np.einsum("tab,b->ta", leg.directions(), hinge))
