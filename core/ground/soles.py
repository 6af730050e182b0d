# SPDX-License-Identifier: GPL-3.0-or-later
"""Soles: points under a foot that stay above the ground, found from how it stands on flat ground."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..feet.contact_detection import Foot
from ..motion import rotations
from ..motion.motion import Motion, pose_along
from .surface import Surface

Float64 = NDArray[np.float64]

HEEL, TIP = 0.3, 0.45
"""A sole begins this share of the way from ankle to ball behind the ankle, and ends that share before the ball."""
HALF_WIDTH = 0.22
"""A sole is this share of the way from ankle to ball wide, to either side."""
LONGEST_TIP, WIDEST = 0.8, 0.4
"""Toes that reach farther to the front or beside make it longer or wider, up to these shares."""
TIP_WIDTH = 1.0
"""The tip is as wide as its middle times this: a foot that turns while it stands takes its toes around."""
SOLE_BAND = (-0.01, 0.08)
"""Joints of standing feet this far above the armature's own plane, share of the size: their soles are on that plane."""
LOWEST_PERCENT = 2
"""Feet are lowest at this percentile of their height while they stand."""


@dataclass(frozen=True, eq=False)
class Sole:
    """A foot over time, in the coordinates of the ground.

    ankle, ball: `(T, 3)` the joints at its two ends, the same where the leg has no toe. points: `(T, P, 3)` of the
    sole, from heel to tip.
    """

    ankle: Float64
    ball: Float64
    points: Float64


def flat_level(motion: Motion, feet: Sequence[Foot], contacts: NDArray[np.bool_], surface: Surface) -> float:
    """Return the height of the flat ground on which the feet of a motion stand.

    It is the plane of the skeleton's own space where feet stand just above it, else the lowest joint of the feet.
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


def find_sole(motion: Motion, foot: Foot, stands: NDArray[np.bool_], level: float, surface: Surface) -> Sole:
    """Return the sole of a foot; stands: `(T,)`, level: the height of the flat ground.

    Its points are those that are on the flat ground where the foot stands flattest.
    """
    below = np.flatnonzero(motion.skeleton.descendants(foot.joint)).tolist()
    chain = sorted({*motion.skeleton.chain(foot.joint), *below})
    end, front = chain.index(foot.leg[-1]), chain.index(foot.joint)
    matrices, positions = pose_along(motion, chain)
    places = surface.to_ground(positions)
    turns = surface.axes @ rotations.without_scale(matrices.astype(np.float64)) @ surface.axes.T
    ankle, ball = places[:, end], places[:, front]
    flattest = _flattest(ankle, ball, stands)
    way = ball[flattest] - ankle[flattest]
    way[2] = 0.0
    side = np.array([-way[1], way[0], 0.0])
    toes = places[flattest, [chain.index(joint) for joint in below]] - ankle[flattest]
    length = max(float(way @ way), 1e-12)
    tip = float(np.clip((toes @ way).max() / length, 1.0 + TIP, 1.0 + LONGEST_TIP))
    side *= float(np.clip(np.abs(toes @ side).max() / length, HALF_WIDTH, WIDEST))
    points = []
    for share, across in (
        (-HEEL, 0),
        (0.0, 1),
        (0.0, -1),
        (0.5, 0),
        (1.0, 1),
        (1.0, -1),
        (tip, TIP_WIDTH),
        (tip, -TIP_WIDTH),
    ):
        place = ankle[flattest] + share * way + across * side
        place[2] = level
        carried = front if share >= 1.0 else end
        local = (place - places[flattest, carried]) @ turns[flattest, carried]
        points.append(places[:, carried] + np.einsum("tab,b->ta", turns[:, carried], local))
    return Sole(ankle, ball, np.stack(points, axis=1))


def _flattest(ankle: Float64, ball: Float64, stands: NDArray[np.bool_]) -> int:
    """Return the frame of those at which a foot stands with its middle height between both of its ends."""
    frames = np.flatnonzero(stands) if stands.any() else np.arange(len(ankle))
    height = ankle[frames, 2] + ball[frames, 2]
    order = np.argsort(height, kind="stable")
    return int(frames[order[len(order) // 4]])
