# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints beside the limb whose end they follow, from which crossfades and pins would tear them.

Many game characters have their feet at the skeleton's root, where inverse kinematics once moved them, or a weapon that
followed a hand there. Whatever is not as recorded leads such a joint and its limb along different ways.
"""

from dataclasses import replace

import numpy as np

from ..arrays import Float64, Mask
from ..examples.example_data import Examples
from ..feet.leg_copies import limb_of
from ..motion import rotations
from ..motion.motion import Motion, joint_path, pose_along
from ..motion.piecewise import MOMENTS, evenly
from ..transfer.separate_limbs import put_beside

ATTACHED = 0.1
"""Largest movement of a joint beside the limb that it follows, as a share of its movement beside its own parent. On
game characters it is at most 0.07, also for feet that a leg does not quite reach, and at least 0.2 for other joints."""


def with_joints_at_limbs(examples: Examples, motion: Motion, changed: Mask, posed: Mask | None) -> Motion:
    """Return the motion with joints at the limbs that they follow in the examples, also at frames that were changed.

    changed: `(T,)` frames that are not as recorded. posed: `(T, J)` joints whose poses are given; None without any.
    """
    if not changed.any():
        return motion
    for joint, leader in _leaders(examples).items():
        free = changed if posed is None else changed & ~posed[:, [joint, leader]].all(axis=1)
        if free.any() and not free.all():
            motion = _kept_at(motion, joint, leader, free)
    return motion


def _leaders(examples: Examples) -> dict[int, int]:
    """Return the joint of another limb that each joint hardly moves beside, for those that have one."""
    skeleton, translated, leaders = examples.skeleton, examples.motions[0].translated, dict[int, int]()
    # The joint that travels follows none.
    slots = np.flatnonzero(~np.isin(translated, (0, examples.root.joint)))
    if not len(slots):
        return leaders
    moments = evenly(int(examples.bounds.ends[-1]), MOMENTS)
    of_examples = examples.bounds.example_of(moments)
    taken = [
        examples.motions[which].take(moments[of_examples == which] - int(examples.bounds.starts[which]))
        for which in np.unique(of_examples).tolist()
    ]
    moves = np.ptp(np.concatenate([motion.translations[:, slots] for motion in taken]), axis=0).max(axis=1)
    joints = translated[slots[moves > 1e-6 * skeleton.size]].tolist()
    if not joints:
        return leaders
    posed = [motion.pose() for motion in taken]
    matrices, places = (np.concatenate(values).astype(np.float64) for values in zip(*posed, strict=True))
    turns = rotations.without_scale(matrices)
    longest = skeleton.reaches[[limb_of(skeleton, joint)[0] for joint in range(len(skeleton.names))]]
    # The bone of a last joint has no end in the skeleton: a shin may be twice as long as its thigh.
    last, above = skeleton.reaches == 0.0, skeleton.stance[skeleton.parents]
    longest = np.maximum(longest, 2.0 * last * np.linalg.norm(skeleton.stance - above, axis=1))
    for joint in joints:
        place, parent = places[:, joint, None], int(skeleton.parents[joint])
        beside = np.einsum("tjba,tjb->tja", turns, place - places)
        moved = _movement(beside)
        most = ATTACHED * float(moved[parent] if parent >= 0 else _movement(place)[0])
        # A foot far away that swings as the arm of the other side does is not at the end of that arm.
        moved[rotations.lengths(np.median(beside, axis=0)) > longest] = np.inf
        moved[[*joints, *skeleton.chain(joint)]] = np.inf
        moved[skeleton.descendants(joint)] = np.inf
        if moved.min() <= most:
            leaders[joint] = int(moved.argmin())
    return leaders


def _movement(places: Float64) -> Float64:
    """Return the mean distance `(K,)` of K paths `(T, K, 3)` from their median places."""
    return np.asarray(rotations.lengths(places - np.median(places, axis=0)).mean(axis=0))


def _kept_at(motion: Motion, joint: int, leader: int, free: Mask) -> Motion:
    """Return the motion with a joint guided, at free frames, from its place beside another one before to that after."""
    frames = np.flatnonzero(free)
    edges = np.flatnonzero(np.convolve(free, (True, True, True))[1:-1] & ~free)
    around = motion.take(edges)
    matrices, above = (values[:, -1] for values in pose_along(around, motion.skeleton.chain(leader)))
    beside = rotations.in_axes_of(rotations.without_scale(matrices), joint_path(around, joint) - above)
    guided = np.stack([np.interp(frames, edges, values) for values in beside.T], axis=1)
    translations = motion.translations.copy()
    translations[frames] = put_beside(motion.take(frames), joint, leader, guided).translations
    return replace(motion, translations=translations)
