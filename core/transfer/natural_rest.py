# SPDX-License-Identifier: GPL-3.0-or-later
"""A rest pose from the motion itself, for a skeleton whose rest pose is not a plausible pose.

Some files have all bones along one axis at rest, with the legs up beside the spine, and axes of its own for each bone.
The roll of a bone at rest is then meaningless, and the pose is only in the rotations. But a captured body stands, walks
or dances, and one of its poses can serve as the rest pose.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from ..arrays import Array
from ..motion import rotations
from ..motion.motion import Motion
from ..motion.skeleton import NO_PARENT, SAME_PLACE, Skeleton
from .bone_names import Meaning
from .meanings import meanings_of
from .other_rest import on_rest_of
from .same_bones import body_of
from .usual_pose import usual_pose

LEGS = ("thigh", "shin")
"""Joints at the beginning and the end of a leg's bone."""
BEGINNINGS = ("thigh", "upperarm")
"""Joints at which limbs begin."""
SAME_SIDE, OPPOSITE = 0.5, -0.5
"""Limits of the cosine between two directions: above the first they point to the same side, below the second they are
opposite; legs astride are neither."""
SAME_DIRECTION = 0.99
"""Smallest cosine, 8 degrees, between bones of equal direction in files of one kind for two bodies."""


def in_natural_rest(motion: Motion, target: Skeleton, matched: Mapping[int, int], pose: Array | None = None) -> Motion:
    """Return the motion relative to a natural rest pose, if its own rest pose is not plausible and the target's is.

    Otherwise the motion is returned. The left side stays on the same side as at rest. matched: the source joint of each
    target joint. pose: rotations `(J, 4)`; None is the motion's own `usual_pose`.
    """
    source = motion.skeleton
    if _is_pose(source, target, matched) or not _is_pose(target, target, _own(matched)):
        return motion
    natural_pose = usual_pose([motion]) if pose is None else pose
    return on_rest_of(motion, _posed(source, target, matched, natural_pose))


def lacks_rest_pose(source: Skeleton, target: Skeleton, matched: Mapping[int, int], turn: Array) -> bool:
    """Return whether the target's rest pose is not plausible, so that a pose of its own motion has to replace it.

    Two files of one kind, whose bones have the same directions at rest, need no such pose. matched: the source joint of
    each target joint. turn: the rotation `(4,)` from the source's space to the target's.
    """
    return not _is_pose(target, target, _own(matched)) and not _rests_similarly(source, target, matched, turn)


def in_pose(target: Skeleton, matched: Collection[int], pose: Array) -> Skeleton:
    """Return the target with a pose as its rest pose; matched: its joints that follow a source.

    pose: rotations `(J, 4)` of its joints, see usual_pose.
    """
    return _posed(target, target, _own(matched), pose)


def left_of(skeleton: Skeleton, target: Skeleton, joints: Mapping[int, int]) -> Array:
    """Return the ground vector `(3,)` from the right side's joints at rest to the left side's; 0 if there are no sides.

    Where limbs begin apart from each other, only these places count: the rest may stride. joints: the skeleton's joint
    for each joint of the target, whose names give the sides.
    """
    meanings = meanings_of(target)
    sides = [joint for joint in joints if meanings[joint].side]
    for chosen in ([joint for joint in sides if meanings[joint].name in BEGINNINGS], sides):
        places = [
            [skeleton.rest_positions[joints[joint]] for joint in chosen if meanings[joint].side == side]
            for side in "LR"
        ]
        if all(places):
            left = np.mean(places[0], axis=0) - np.mean(places[1], axis=0)
            left -= (left @ np.array(skeleton.up)) * np.array(skeleton.up)
            if np.linalg.norm(left) > SAME_PLACE * skeleton.size:
                return np.asarray(left)
    return np.zeros(3)


def _own(matched: Collection[int]) -> dict[int, int]:
    """Return a map of each matched joint of the target to itself."""
    return {joint: joint for joint in matched}


def _posed(skeleton: Skeleton, target: Skeleton, joints: Mapping[int, int], pose: Array) -> Skeleton:
    """Return the skeleton with a pose as its rest pose, turned so that its left has the same direction as before.

    joints: the skeleton's joint for each joint of the target, whose names give the sides.
    """
    rests = np.array(rotations.multiply(skeleton.rest_rotations, pose), np.float64)
    left, posed = (left_of(variant, target, joints) for variant in (skeleton, replace(skeleton, rest_rotations=rests)))
    up, tops = np.array(skeleton.up), skeleton.parents == NO_PARENT
    turn = rotations.from_axis_angle(up, np.arctan2(np.cross(posed, left) @ up, posed @ left))
    rests[tops] = rotations.multiply(turn, rests[tops])
    return replace(skeleton, rest_rotations=rests)


def _rests_similarly(source: Skeleton, target: Skeleton, matched: Mapping[int, int], turn: Array) -> bool:
    """Return whether the matched bones have the same directions at rest on both skeletons.

    What leads to the body is not a bone: the hips rest anywhere, in many files where the first frame has them.
    """
    body = body_of(target, matched)
    pairs = [(joint, matched[joint], int(target.parents[joint])) for joint in matched if joint in body]
    bones = [(joint, source_joint, above, matched[above]) for joint, source_joint, above in pairs if above in body]
    target_bones = [target.rest_positions[joint] - target.rest_positions[above] for joint, _, above, _ in bones]
    source_bones = [
        rotations.rotate(turn, source.rest_positions[source_joint] - source.rest_positions[above])
        for _, source_joint, _, above in bones
    ]
    cosines = [
        _cosine(bone, other)
        for bone, other in zip(target_bones, source_bones, strict=True)
        # Helpers for twists are at the joint above them, and have no direction.
        if np.linalg.norm(bone) > SAME_PLACE * target.size and np.linalg.norm(other) > SAME_PLACE * source.size
    ]
    return min(cosines, default=-1.0) > SAME_DIRECTION


def _is_pose(skeleton: Skeleton, target: Skeleton, joints: Mapping[int, int]) -> bool:
    """Return whether the rest pose is plausible: no leg points up along the spine, and the legs are not opposite.

    It counts as plausible if legs and head are not known. joints: the skeleton's joint for each joint of the target,
    whose names give the meanings.
    """
    meanings = meanings_of(target)
    places = {meanings[target_joint]: skeleton.rest_positions[joint] for target_joint, joint in joints.items()}
    head = places.get(Meaning("head", ""), places.get(Meaning("neck", "")))
    legs = [[places.get(Meaning(name, side)) for name in LEGS] for side in "LR"]
    if head is None or any(place is None for leg in legs for place in leg):
        return True
    thighs = np.array(legs, np.float64)
    bones = thighs[:, 1] - thighs[:, 0]
    beside = max(_cosine(bone, head - thigh) for bone, thigh in zip(bones, thighs[:, 0], strict=True))
    return beside < SAME_SIDE and _cosine(*bones) > OPPOSITE


def _cosine(first: Array, second: Array) -> float:
    return float(first @ second) / max(float(np.linalg.norm(first) * np.linalg.norm(second)), rotations.SMALLEST_NORM)
