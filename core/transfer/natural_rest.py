# SPDX-License-Identifier: GPL-3.0-or-later
"""A pose of its own for a motion whose rest pose is none: there, how a bone is turned about itself says nothing.

Some files have all their bones along one axis at rest, legs up beside the spine, each bone with axes of its own: the
pose is in the turns alone. But a captured body stands, walks or dances, and another body can take one of its poses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from ..motion.motion import Motion
from ..motion.root_motion import find_root
from ..motion.skeleton import NO_PARENT, Skeleton
from .bone_names import Meaning, meaning_of

Float64 = NDArray[np.floating]

LEGS = ("thigh", "shin")
"""Joints of a leg: the one that a bone goes from and the one that it goes to."""
SAME_WAY, OPPOSITE = 0.5, -0.5
"""Cosines of the angle between directions: more is the same way, less the opposite one; legs astride are neither."""
SAMPLES = 32
"""Number of frames that are compared for the most usual one."""


def in_natural_rest(
    motion: Motion, target: Skeleton, matched: Mapping[int, int], pose: NDArray[np.floating] | None = None
) -> Motion:
    """Return the same motion told from a natural pose, where its rest pose is none and the target's is one; else as it
    is. Left is where it is at rest.

    matched: the source joint of each target joint. pose: rotations `(J, 4)`; None is the motion's own `usual_pose`.
    """
    source = motion.skeleton
    if _is_pose(source, target, matched) or not _is_pose(target, target, {joint: joint for joint in matched}):
        return motion
    own = usual_pose([motion]) if pose is None else pose
    rests = np.array(rotations.multiply(source.rest_rotations, own), np.float64)
    left, posed = (left_of(one, target, matched) for one in (source, replace(source, rest_rotations=rests)))
    up, tops = np.array(source.up), source.parents == NO_PARENT
    turn = rotations.from_axis_angle(up, np.arctan2(np.cross(posed, left) @ up, posed @ left))
    rests[tops] = rotations.multiply(turn, rests[tops])
    back = rotations.multiply(rotations.inverse(rests), source.rest_rotations)
    return replace(
        motion,
        skeleton=replace(source, rest_rotations=rests),
        rotations=rotations.multiply(back, motion.rotations).astype(np.float32),
        translations=rotations.rotate(back[motion.translated], motion.translations).astype(np.float32),
    )


def usual_pose(motions: Sequence[Motion]) -> NDArray[np.float64]:
    """Return the mean rotations `(J, 4)` of joints over some frames of all of a skeleton's motions.

    The root, which may face anywhere, is as in the frame that is nearest to the mean.

    >>> usual_pose([swing]).shape
    (2, 4)
    """
    ends = np.cumsum([motion.frames for motion in motions])
    frames = np.unique(np.linspace(0, ends[-1] - 1, SAMPLES).astype(np.int64))
    numbers = np.searchsorted(ends, frames, side="right").tolist()
    places = zip(numbers, frames.tolist(), strict=True)
    turns = np.array([motions[number].rotations[frame - ends[number]] for number, frame in places], np.float64)
    turns *= np.where(np.einsum("fjc,jc->fj", turns, turns[0]) < 0.0, -1.0, 1.0)[..., None]
    mean = rotations.normalize(turns.mean(axis=0))
    root = motions[0].skeleton.chain(find_root(motions))
    below = np.setdiff1d(np.arange(len(mean)), root)
    away = rotations.angle_between(turns[:, below], mean[below]).sum(axis=1)
    mean[root] = turns[int(np.argmin(away)), root]
    return np.asarray(mean)


def left_of(skeleton: Skeleton, target: Skeleton, joints: Mapping[int, int]) -> Float64:
    """Return the way `(3,)` along the ground from the joints of the right side at rest to those of the left; 0 without.

    joints: the skeleton's for each of the target, whose names tell the sides.
    """
    sides: dict[str, list[Float64]] = {"L": [], "R": []}
    for own, joint in joints.items():
        side = meaning_of(target.names[own]).side
        if side:
            sides[side].append(skeleton.rest_positions[joint])
    up = np.array(skeleton.up)
    left = np.mean(sides["L"], axis=0) - np.mean(sides["R"], axis=0) if sides["L"] and sides["R"] else np.zeros(3)
    return np.asarray(left - (left @ up) * up)


def _is_pose(skeleton: Skeleton, target: Skeleton, joints: Mapping[int, int]) -> bool:
    """Return whether a body can rest so: no leg goes up beside the spine, nor each one the other way; and so where
    legs and head are not known.

    joints: the skeleton's for each of the target, whose names tell what they are.
    """
    places = {meaning_of(target.names[own]): skeleton.rest_positions[joint] for own, joint in joints.items()}
    head = places.get(Meaning("head", ""), places.get(Meaning("neck", "")))
    legs = [[places.get(Meaning(name, side)) for name in LEGS] for side in "LR"]
    if head is None or any(place is None for leg in legs for place in leg):
        return True
    thighs = np.array(legs, np.float64)
    bones = thighs[:, 1] - thighs[:, 0]
    beside = max(_cosine(bone, head - thigh) for bone, thigh in zip(bones, thighs[:, 0], strict=True))
    return beside < SAME_WAY and _cosine(*bones) > OPPOSITE


def _cosine(one: Float64, other: Float64) -> float:
    return float(one @ other) / max(float(np.linalg.norm(one) * np.linalg.norm(other)), rotations.SMALLEST_NORM)
