# SPDX-License-Identifier: GPL-3.0-or-later
"""Trunk and arms of a retargeted motion, smoothed where elbows accelerate more than the source's ever do.

Neighboring bones of a recording tremble against each other, so that arms are calm; bones of other lengths are not.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Float32, Float64
from ..environment.reach.limbs import Limb
from ..feet.calm_paths import ALLOWED, BESIDE_SECONDS, accelerations, around, calmed, quick_frames, smoothed_turns
from ..motion import rotations
from ..motion.kinematics import orientations
from ..motion.motion import Motion, joint_path
from ..motion.skeleton import Skeleton
from .self_contacts.bodies import BodyPair


def with_calm_arms(motion: Motion, laid: Motion, bodies: BodyPair) -> Motion:
    """Return a retargeted motion with trunk and arms smoothed where elbows accelerate too much.

    motion: the source. Elbows may accelerate as much as its elbows, to the scale of the bodies or, if it is larger, of
    the upper arms. Other joints keep their orientations.
    """
    return _calmed(laid, [hand.arm.knee for hand in bodies.target.hands], quickest_elbow(motion, laid.skeleton, bodies))


def quickest_elbow(motion: Motion, skeleton: Skeleton, bodies: BodyPair) -> float:
    """Return the largest acceleration, in units per frame squared, that elbows of a retargeted motion may have.

    motion: the source. skeleton: the target's.
    """
    source, target = ([hand.arm for hand in body.hands] for body in (bodies.source, bodies.target))
    lengths = [_upper_arms(motion.skeleton, source), _upper_arms(skeleton, target)]
    scale = max(bodies.scale, lengths[1] / max(lengths[0], 1e-12))
    return ALLOWED * scale * float(accelerations(_paths(motion, [arm.knee for arm in source])).max())


def _upper_arms(skeleton: Skeleton, arms: Sequence[Limb]) -> float:
    """Return the mean length of upper arms."""
    places = skeleton.rest_positions
    return float(np.mean([np.linalg.norm(places[arm.knee] - places[arm.hip]) for arm in arms]))


def _paths(motion: Motion, joints: Sequence[int]) -> Float64:
    """Return the paths `(T, N, 3)` of N joints."""
    return np.stack([joint_path(motion, joint) for joint in joints], axis=1)


def _calmed(motion: Motion, elbows: Sequence[int], limit: float) -> Motion:
    """Return the motion with the joints above elbows turned more smoothly where these accelerate beyond the limit."""
    skeleton, rate, paths = motion.skeleton, motion.frames_per_second, _paths(motion, elbows)
    quick = quick_frames(paths, limit, around(accelerations(paths) > limit, rate, BESIDE_SECONDS / 4), rate)
    if quick is None:
        return motion
    above = sorted({joint for elbow in elbows for joint in skeleton.chain(elbow)[:-1]})
    part = motion.take(quick.frames)
    turns = np.transpose(orientations(skeleton, part.rotations), (2, 0, 1))
    places = {joint: joint_path(part, joint) for joint in (*above, *elbows)}
    bones = {
        joint: rotations.rotate(rotations.inverse(turns[:, parent]), places[joint] - places[parent])
        for joint in places
        if (parent := int(skeleton.parents[joint])) >= 0
    }

    def elbow_paths(now: Float32) -> Float64:
        moved = {joint: places[joint] for joint in above if joint not in bones}
        for joint, bone in sorted(bones.items()):
            parent = int(skeleton.parents[joint])
            moved[joint] = moved[parent] + rotations.rotate(now[:, above.index(parent)].astype(np.float64), bone)
        return np.stack([moved[elbow] for elbow in elbows], axis=1)

    turns[:, above] = calmed(
        turns[:, above].astype(np.float32), quick, elbow_paths, lambda now, share: smoothed_turns(now, share, quick)
    )
    turned = motion.rotations.copy()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if joint in above or parent in above:
            local = skeleton.local_rotation(joint, turns[:, joint], turns[:, parent] if parent >= 0 else None)
            against = np.sum(local * part.rotations[:, joint], axis=1, keepdims=True) < 0
            turned[quick.frames, joint] = np.where(against, -local, local)
    return replace(motion, rotations=turned)
