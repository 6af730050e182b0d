# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints beside the limb whose end they follow, which crossfades would tear from it.

Many game characters have their feet at the skeleton's root, where inverse kinematics once moved them, or a weapon that
followed a hand there. A crossfade leads such a joint and its limb along different ways.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from ..motion.motion import Motion, pose_along
from ..motion.piecewise import MOMENTS, evenly
from ..planning.crossfades import Crossfades
from ..transfer.separate_limbs import put

ATTACHED = 0.1
"""Largest movement of a joint beside the limb that it follows, as a share of its movement beside its own parent. On
game characters it is at most 0.07, also for feet that a leg does not quite reach, and at least 0.2 for other joints."""


def with_joints_at_limbs(motion: Motion, crossfades: Crossfades, root: int) -> Motion:
    """Return the motion with joints at the limbs that they follow, through its crossfades as on both sides of them.

    root: the joint that travels, which follows none.
    """
    faded = np.zeros(motion.frames, bool)
    faded[crossfades.frames] = True
    moves = np.ptp(motion.translations, axis=0).max(axis=1, initial=0.0) > 1e-6 * motion.skeleton.size
    joints = [int(joint) for joint in motion.translated[moves] if joint != root]
    if not joints or not faded.any() or faded.all():
        return motion
    recorded = np.flatnonzero(~faded)
    moments = motion.take(recorded[evenly(len(recorded), MOMENTS)])
    return _kept_at(motion, _leaders(moments, joints), faded)


def _leaders(moments: Motion, joints: list[int]) -> dict[int, int]:
    """Return the joint of another limb that each of some joints hardly moves beside, for those that have one."""
    skeleton, (matrices, places) = moments.skeleton, moments.pose()
    turns, leaders = rotations.without_scale(matrices).astype(np.float64), {}
    for joint in joints:
        away = places[:, joint, None].astype(np.float64) - places
        beside = np.einsum("tjba,tjb->tja", turns, away)
        moved = rotations.lengths(beside - np.median(beside, axis=0)).mean(axis=0)
        parent = int(skeleton.parents[joint])
        of_world = rotations.lengths(places[:, joint] - np.median(places[:, joint], axis=0)).mean()
        most = ATTACHED * (moved[parent] if parent >= 0 else of_world)
        moved[[*joints, *skeleton.chain(joint)]] = np.inf
        moved[skeleton.descendants(joint)] = np.inf
        if moved.min() <= most:
            leaders[joint] = int(moved.argmin())
    return leaders


def _kept_at(motion: Motion, leaders: dict[int, int], faded: NDArray[np.bool_]) -> Motion:
    """Return the motion with joints guided from their places beside others before each crossfade to those after it."""
    frames = np.flatnonzero(faded)
    around = np.convolve(faded, (True, True, True))[1:-1]
    edges = np.flatnonzero(around & ~faded)
    for joint, leader in leaders.items():
        turns, above = _posed(motion.take(edges), leader)
        _, places = _posed(motion.take(edges), joint)
        beside = np.einsum("tba,tb->ta", turns, places - above)
        guided = np.stack([np.interp(frames, edges, values) for values in beside.T], axis=1)
        crossfaded = motion.take(frames)
        turns, above = _posed(crossfaded, leader)
        translations = motion.translations.copy()
        translations[frames] = put(crossfaded, joint, above + np.einsum("tab,tb->ta", turns, guided)).translations
        motion = replace(motion, translations=translations)
    return motion


def _posed(motion: Motion, joint: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rotation matrices `(T, 3, 3)` and places `(T, 3)` of a joint."""
    matrices, places = (values[:, -1] for values in pose_along(motion, motion.skeleton.chain(joint)))
    return rotations.without_scale(matrices).astype(np.float64), places.astype(np.float64)
