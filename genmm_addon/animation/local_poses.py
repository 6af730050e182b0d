# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses in armature space to the bones' own channels: location, rotation and scale."""

from dataclasses import dataclass

import numpy as np
from bpy.types import Bone, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ..core import rotations
from ..core.skeleton import Skeleton

Array = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class LocalPoses:
    """The channels that pose B bones over T frames, and what they cannot hold.

    translations, scales `(T, B, 3)`; rotations `(T, B, 4)` unit quaternions. shear `(B,)`: how far the axes
    of each bone are off at worst, 1 being a bone's own length.
    """

    translations: Array
    rotations: Array
    scales: Array
    shear: Array


def local_poses(armature: Object, skeleton: Skeleton, poses: Array) -> LocalPoses:
    """The channels of evaluated `poses` `(T, B, 4, 4)`, of the skeleton's bones in its order (no object joint)."""
    local = _relative_to_rest(skeleton, poses)
    for joint, name in enumerate(skeleton.names):
        bone = armature.data.bones[name]
        if _inherits_apart(bone):
            parent = int(skeleton.parents[joint])
            local[:, joint] = _own_channels(bone, poses[:, joint], poses[:, parent] if parent >= 0 else None)
    return _decompose(local)


def _relative_to_rest(skeleton: Skeleton, poses: Array) -> Array:
    """What each bone does beside its rest pose, `(T, B, 4, 4)`, where it inherits all of its parent's."""
    child = skeleton.parents >= 0
    axes, origins = poses[..., :3, :3].astype(np.float64), poses[..., :3, 3].astype(np.float64)
    local, moved = axes.copy(), origins.copy()
    above = skeleton.parents[child]
    back = _inverse(axes[:, above])
    local[:, child] = back @ axes[:, child]
    moved[:, child] = (back @ (origins[:, child] - origins[:, above])[..., None])[..., 0]
    rest = rotations.to_matrix(rotations.inverse(skeleton.rest_rotations))
    result = np.zeros((*poses.shape[:2], 4, 4))
    result[..., :3, :3] = rest @ local
    result[..., :3, 3] = (rest @ (moved - skeleton.rest_translations)[..., None])[..., 0]
    return result


def _inverse(matrices: Array) -> Array:
    """Inverses of `(..., 3, 3)`; zeros where a scale of zero leaves none."""
    a, b, c = matrices[..., 0], matrices[..., 1], matrices[..., 2]
    rows = np.stack((np.cross(b, c), np.cross(c, a), np.cross(a, b)), axis=-2)
    determinants = np.sum(a * rows[..., 0, :], axis=-1)[..., None, None]
    return np.where(determinants == 0, 0.0, rows / np.where(determinants == 0, 1.0, determinants))


def _inherits_apart(bone: Bone) -> bool:
    if bone.parent is None:
        return not bone.use_local_location
    return not bone.use_inherit_rotation or bone.inherit_scale != "FULL" or not bone.use_local_location


def _own_channels(bone: Bone, poses: Array, parents: Array | None) -> Array:
    """The same for a bone that inherits only some of its parent's, or has none, by Blender's own rules."""
    result = np.empty((len(poses), 4, 4))
    for frame, pose in enumerate(poses.tolist()):
        above = {}
        if parents is not None:
            above = {"parent_matrix": Matrix(parents[frame].tolist()), "parent_matrix_local": bone.parent.matrix_local}
        result[frame] = np.array(bone.convert_local_to_pose(Matrix(pose), bone.matrix_local, **above, invert=True))
    return result


def _decompose(local: Array) -> LocalPoses:
    axes = local[..., :3, :3]
    scales = np.linalg.norm(axes, axis=-2)
    mirrored = np.linalg.det(axes) < 0
    scales = np.where(mirrored[..., None], -scales, scales)
    turned = axes / np.where(scales == 0, 1.0, scales)[..., None, :]
    turned = np.where(np.any(scales == 0, axis=-1)[..., None, None], np.eye(3), turned)
    quaternions = rotations.from_matrix(turned)
    error = np.linalg.norm(rotations.to_matrix(quaternions) * scales[..., None, :] - axes, axis=-2).max(axis=-1)
    sheared = error > 1e-4
    if sheared.any():
        left, _, right = np.linalg.svd(turned[sheared])
        quaternions[sheared] = rotations.from_matrix(left @ right)
        nearest = rotations.to_matrix(quaternions[sheared]) * scales[sheared][..., None, :]
        error[sheared] = np.linalg.norm(nearest - axes[sheared], axis=-2).max(axis=-1)
    return LocalPoses(local[..., :3, 3], quaternions, scales, error.max(axis=0))
