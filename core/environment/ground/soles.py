# SPDX-License-Identifier: GPL-3.0-or-later
"""Soles: points under a foot that stay above the ground, derived from its pose when it stands on flat ground."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Float64, Mask
from ...feet.contact_detection import LOWEST_PERCENT, Foot
from ...motion import rotations
from ...motion.motion import Motion, pose_along
from .surface import Surface

HEEL, TIP = 0.3, 0.45
"""Ends of a sole behind the ankle and in front of the ball, as shares of the distance from ankle to ball."""
HALF_WIDTH = 0.22
"""Half the width of a sole, as a share of the distance from ankle to ball."""
LONGEST_TIP, WIDEST = 0.8, 0.4
"""Largest such shares of the tip and half the width of soles that are extended for longer or wider toes."""
SOLE_BAND = (-0.01, 0.08)
"""Heights above the armature's own plane, as shares of the size, at which the joints of standing feet have their soles
on that plane."""


@dataclass(frozen=True, eq=False)
class Sole:
    """A foot's sole over time, in the coordinates of the ground.

    ankle, ball: `(T, 3)` the joints at both ends of the foot, the same if the leg has no toe. points: `(T, P, 3)` of
    the sole, from heel to tip.
    """

    ankle: Float64
    ball: Float64
    points: Float64


def flat_level(motion: Motion, feet: Sequence[Foot], contacts: Mask, surface: Surface) -> float:
    """Return the height of the flat ground on which the feet of a motion stand.

    It is 0, the plane of the skeleton's own space, if feet stand just above that, else the height of their lowest
    joint.
    """
    lowest = []
    for index, foot in enumerate(feet):
        stands = contacts[:, index] if contacts[:, index].any() else np.ones(motion.frames, bool)
        joints = [int(joint) for joint in np.flatnonzero(motion.skeleton.descendants(foot.joint))]
        chain = sorted({*motion.skeleton.chain(foot.joint), *joints})
        heights = surface.to_ground(pose_along(motion, chain)[1][stands])[..., 2]
        lowest.append(min(np.percentile(heights[:, chain.index(joint)], LOWEST_PERCENT) for joint in joints))
    base = float(min(lowest))
    low, high = (share * motion.skeleton.size for share in SOLE_BAND)
    return 0.0 if low <= base <= high else base


def find_sole(motion: Motion, foot: Foot, stands: Mask, level: float, surface: Surface) -> Sole:
    """Return the sole of a foot; stands: `(T,)` frames at which it stands, level: the height of the flat ground.

    The sole's points are on the flat ground at the frame at which the foot stands flattest.
    """
    below = np.flatnonzero(motion.skeleton.descendants(foot.joint)).tolist()
    chain = sorted({*motion.skeleton.chain(foot.joint), *below})
    end, front = chain.index(foot.leg[-1]), chain.index(foot.joint)
    matrices, positions = pose_along(motion, chain)
    places = surface.to_ground(positions)
    turns = surface.axes @ rotations.without_scale(matrices.astype(np.float64)) @ surface.axes.T
    ankle, ball = places[:, end], places[:, front]
    flattest = _flattest(ankle, ball, stands)
    forward = ball[flattest] - ankle[flattest]
    forward[2] = 0.0
    side = np.array([-forward[1], forward[0], 0.0])
    toes = places[flattest, [chain.index(joint) for joint in below]] - ankle[flattest]
    length = max(float(forward @ forward), 1e-12)
    tip = float(np.clip((toes @ forward).max() / length, 1.0 + TIP, 1.0 + LONGEST_TIP))
    side *= float(np.clip(np.abs(toes @ side).max() / length, HALF_WIDTH, WIDEST))
    points = []
    for share, across in (
        (-HEEL, 0),
        (0.0, 1),
        (0.0, -1),
        (0.5, 0),
        (1.0, 1),
        (1.0, -1),
        (tip, 1),
        (tip, -1),
    ):
        place = ankle[flattest] + share * forward + across * side
        place[2] = level
        carried = front if share >= 1.0 else end
        local = (place - places[flattest, carried]) @ turns[flattest, carried]
        points.append(places[:, carried] + np.einsum("tab,b->ta", turns[:, carried], local))
    return Sole(ankle, ball, np.stack(points, axis=1))


def _flattest(ankle: Float64, ball: Float64, stands: Mask) -> int:
    """Return a frame at which a foot stands flat: the lower quartile of the heights of its ends while it stands."""
    frames = np.flatnonzero(stands) if stands.any() else np.arange(len(ankle))
    height = ankle[frames, 2] + ball[frames, 2]
    order = np.argsort(height, kind="stable")
    return int(frames[order[len(order) // 4]])
