# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses in armature space to the bones' own channels: location, rotation and scale."""

from dataclasses import dataclass

import numpy as np
from bpy.types import Bone, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ...core import Skeleton, rotations
from ..rig import location_axes

Array = NDArray[np.floating]
Rest = tuple[Array, Array]
"""A bone's rest pose in its parent's: rotation `(4,)` and place `(3,)`."""

LOST = 1e-4
"""Axes and places are off where it is more than rounding: shares of a bone's length, and of the skeleton's size."""


@dataclass(frozen=True, eq=False)
class LocalPoses:
    """The channels that pose B bones over T frames, and what they cannot hold.

    As motions have them: locations in the axes of the rest pose, whichever Blender has them in.

    translations, scales `(T, B, 3)`; rotations `(T, B, 4)` unit quaternions. shear `(B,)`: how far the axes
    of each bone are off at worst, 1 being a bone's own length.
    """

    translations: Array
    rotations: Array
    scales: Array
    shear: Array


def local_poses(armature: Object, skeleton: Skeleton, poses: Array) -> LocalPoses:
    """Return the channels of evaluated `poses` `(T, B, 4, 4)`, of the skeleton's bones in its order (no object joint).

    Where a bone's channels cannot hold its pose, its children start from the pose that they do hold: what is off
    in one bone is not off in all that hangs on it.
    """
    exact = poses.astype(np.float64)
    posed, axes = exact.copy(), location_axes(armature, skeleton.names)
    frames, count = poses.shape[:2]
    result = LocalPoses(
        np.empty((frames, count, 3)), np.empty((frames, count, 4)), np.empty((frames, count, 3)), np.zeros(count)
    )
    for joint, name in enumerate(skeleton.names):
        bone, parent = armature.data.bones[name], int(skeleton.parents[joint])
        above = posed[:, parent] if parent >= 0 else None
        rest = skeleton.rest_rotations[joint], skeleton.rest_translations[joint]
        is_separate = _inherits_separately(bone)
        local = (
            _own_channels(bone, exact[:, joint], above) if is_separate else _beside_rest(rest, exact[:, joint], above)
        )
        # What is no number passes through here, for the motion's own check to say so.
        with np.errstate(invalid="ignore"):
            moved, turned, scaled, shear = _decompose(local)
        result.translations[:, joint], result.rotations[:, joint], result.scales[:, joint] = moved, turned, scaled
        if name in axes:
            result.translations[:, joint] = rotations.rotate(rotations.inverse(axes[name]), moved)
        result.shear[joint] = shear
        lost = bone.use_connect and np.abs(moved).max() > LOST * skeleton.size
        if shear > LOST or lost:
            channels = _matrices(np.zeros_like(moved) if bone.use_connect else moved, turned, scaled)
            posed[:, joint] = (
                _posed_separately(bone, channels, above) if is_separate else _on_rest(rest, channels, above)
            )
    return result


def bone_channels(armature: Object, name: str, poses: Array, parents: Array | None) -> tuple[Array, Array]:
    """Return the location `(T, 3)` and rotation `(T, 4)` with which a bone has these poses `(T, 4, 4)`.

    parents: the poses of its parent, None for a bone without one. By Blender's own rules, whatever the bone inherits.
    """
    moved, turned, _, _ = _decompose(_own_channels(armature.data.bones[name], poses.astype(np.float64), parents))
    axes = location_axes(armature, [name]).get(name)
    return moved if axes is None else rotations.rotate(rotations.inverse(axes), moved), turned


def _beside_rest(rest: Rest, poses: Array, parents: Array | None) -> Array:
    """Return one bone's matrices beside its rest pose, `(T, 4, 4)`, where it inherits all of its parent's."""
    axes, moved = poses[:, :3, :3], poses[:, :3, 3]
    if parents is not None:
        back = _inverse(parents[:, :3, :3])
        axes, moved = back @ axes, (back @ (moved - parents[:, :3, 3])[..., None])[..., 0]
    turned, place = rest
    back = rotations.to_matrix(rotations.inverse(turned)).astype(np.float64)
    return _affine(back @ axes, (moved - place) @ back.T)


def _on_rest(rest: Rest, channels: Array, parents: Array | None) -> Array:
    """Return the pose that such a bone's channels hold."""
    turned, place = rest
    axes = rotations.to_matrix(turned).astype(np.float64)
    pose = _affine(axes @ channels[:, :3, :3], place + channels[:, :3, 3] @ axes.T)
    return pose if parents is None else parents @ pose


def _affine(axes: Array, places: Array) -> Array:
    result = np.zeros((len(axes), 4, 4))
    result[:, :3, :3], result[:, :3, 3], result[:, 3, 3] = axes, places, 1.0
    return result


def _matrices(moved: Array, turned: Array, scaled: Array) -> Array:
    return _affine(rotations.to_matrix(turned) * scaled[:, None, :], moved)


def _inverse(matrices: Array) -> Array:
    """Inverses of `(..., 3, 3)`; zeros where a scale of zero leaves none."""
    a, b, c = matrices[..., 0], matrices[..., 1], matrices[..., 2]
    rows = np.stack((np.cross(b, c), np.cross(c, a), np.cross(a, b)), axis=-2)
    determinants = np.sum(a * rows[..., 0, :], axis=-1)[..., None, None]
    return np.where(determinants == 0, 0.0, rows / np.where(determinants == 0, 1.0, determinants))


def _inherits_separately(bone: Bone) -> bool:
    if bone.parent is None:
        return not bone.use_local_location
    return not bone.use_inherit_rotation or bone.inherit_scale != "FULL" or not bone.use_local_location


def _own_channels(bone: Bone, poses: Array, parents: Array | None) -> Array:
    """Return the same for a bone that inherits only some of its parent's, or has none, by Blender's own rules."""
    return _converted(bone, poses, parents, invert=True)


def _posed_separately(bone: Bone, channels: Array, parents: Array | None) -> Array:
    return _converted(bone, channels, parents, invert=False)


def _converted(bone: Bone, matrices: Array, parents: Array | None, *, invert: bool) -> Array:
    result = np.empty((len(matrices), 4, 4))
    for frame, matrix in enumerate(matrices.tolist()):
        above = {}
        if parents is not None:
            above = {"parent_matrix": Matrix(parents[frame].tolist()), "parent_matrix_local": bone.parent.matrix_local}
        result[frame] = np.array(bone.convert_local_to_pose(Matrix(matrix), bone.matrix_local, **above, invert=invert))
    return result


def _nearest_along_bone(axes: Array) -> Array:
    """Return the rotations nearest to sheared `(T, 3, 3)` of unit axes that keep the bone's own, y: its tail stays."""
    along = axes[..., 1]
    # Of a rotation, z = x cross y: the sum of x . axes_x and z . axes_z is x . (axes_x + y cross axes_z).
    across = axes[..., 0] + np.cross(along, axes[..., 2])
    across -= np.sum(across * along, axis=-1, keepdims=True) * along
    lengths = np.linalg.norm(across, axis=-1, keepdims=True)
    spare = np.eye(3)[np.argmin(np.abs(along), axis=-1)]
    across = np.where(lengths < 1e-6, spare - np.sum(spare * along, axis=-1, keepdims=True) * along, across)
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    return np.stack((across, along, np.cross(across, along)), axis=-1)


def _decompose(local: Array) -> tuple[Array, Array, Array, float]:
    """Location, rotation and scale of one bone `(T, 4, 4)`, and how far its axes are off at worst."""
    axes = local[:, :3, :3]
    scales = np.linalg.norm(axes, axis=-2)
    mirrored = np.linalg.det(axes) < 0
    scales = np.where(mirrored[:, None], -scales, scales)
    turned = axes / np.where(scales == 0, 1.0, scales)[:, None, :]
    turned = np.where(np.any(scales == 0, axis=-1)[:, None, None], np.eye(3), turned)
    quaternions = rotations.from_matrix(turned)
    error = np.linalg.norm(rotations.to_matrix(quaternions) * scales[:, None, :] - axes, axis=-2).max(axis=-1)
    sheared = error > LOST
    if sheared.any():
        nearest = _nearest_along_bone(turned[sheared])
        quaternions[sheared] = rotations.from_matrix(nearest)
        scales[sheared] *= np.sum(nearest * turned[sheared], axis=-2)
        off = nearest * scales[sheared][:, None, :] - axes[sheared]
        error[sheared] = np.linalg.norm(off, axis=-2).max(axis=-1)
    return local[:, :3, 3], quaternions, scales, float(error.max(initial=0.0))
