# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of poses in armature space to the bones' own channels: location, rotation and scale."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Bone, Object
from mathutils import Matrix

from ...core import Array, Skeleton, rotations
from ..curves import NOTICED
from ..rig import location_axes
from .evaluation import ROUNDING

Rest = tuple[Array, Array]
"""A bone's rest pose relative to its parent's: rotation `(4,)` and position `(3,)`."""


@dataclass(frozen=True, eq=False)
class LocalPoses:
    """The channels that pose B bones over T frames, and the error that remains.

    translations, scales: `(T, B, 3)`. rotations: `(T, B, 4)` unit quaternions. shear: `(B,)` the largest error of each
    bone's axes, in bone lengths. As in motions, locations are in the axes of the rest pose, whatever Blender uses.
    """

    translations: Array
    rotations: Array
    scales: Array
    shear: Array


def local_poses(armature: Object, skeleton: Skeleton, poses: Array) -> LocalPoses:
    """Return the channels of evaluated `poses` `(T, B, 4, 4)`; skeleton: the bones in their order, without the object.

    If a bone's channels cannot represent its pose, its children start from the represented one, so that an error in one
    bone does not spread to those below it.
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
            _converted(bone, exact[:, joint], above, invert=True)
            if is_separate
            else _beside_rest(rest, exact[:, joint], above)
        )
        # Values that are not finite are kept, for the motion's own check to report.
        with np.errstate(invalid="ignore"):
            moved, turned, scaled, shear = _decompose(local)
        result.translations[:, joint], result.rotations[:, joint], result.scales[:, joint] = moved, turned, scaled
        if name in axes:
            result.translations[:, joint] = rotations.rotate(rotations.inverse(axes[name]), moved)
        result.shear[joint] = shear
        lost = bone.use_connect and np.abs(moved).max() > NOTICED * skeleton.size
        if shear > NOTICED or lost:
            channels = _matrices(np.zeros_like(moved) if bone.use_connect else moved, turned, scaled)
            posed[:, joint] = (
                _converted(bone, channels, above, invert=False) if is_separate else _on_rest(rest, channels, above)
            )
    return result


def bone_channels(armature: Object, name: str, poses: Array, parents: Array | None) -> tuple[Array, Array]:
    """Return the location `(T, 3)` and rotation `(T, 4)` that give a bone these poses `(T, 4, 4)`, by Blender's rules.

    parents: the poses of its parent, None without one. All ways of inheriting from the parent are supported.
    """
    bone, exact = armature.data.bones[name], poses.astype(np.float64)
    if not _inherits_separately(bone) or (bone.use_inherit_rotation and _is_rigid(parents)):
        above = Matrix() if bone.parent is None else bone.parent.matrix_local
        rest = np.array(above.inverted_safe() @ bone.matrix_local, np.float64)
        return _decompose(_beside_rest((rotations.from_matrix(rest[:3, :3]), rest[:3, 3]), exact, parents))[:2]
    moved, turned, _, _ = _decompose(_converted(bone, exact, parents, invert=True))
    axes = location_axes(armature, [name]).get(name)
    return moved if axes is None else rotations.rotate(rotations.inverse(axes), moved), turned


def first_misplaced(poses: Array, parents: Sequence[int], size: float) -> int | None:
    """Return the first bone whose place is lost where each bone has a location, rotation and scale below its parent's.

    FBX and glTF files store bones so. What shears a bone relative to its parent, such as an uneven scale that it
    inherits in part, is lost, and its children are elsewhere. poses: `(T, B, 4, 4)` as evaluated, parents first.
    parents: below 0 without one. size: of the skeleton.
    """
    exact = poses.astype(np.float64)
    scales = np.linalg.norm(exact[..., :3, :3], axis=-2)
    if np.abs(scales - 1.0).max(initial=0.0) < NOTICED:
        return None
    stored = exact.copy()
    for bone, parent in enumerate(parents):
        if parent < 0:
            continue
        at_origin = np.array([1.0, 0, 0, 0]), np.zeros(3)
        moved, turned, scaled, _ = _decompose(_beside_rest(at_origin, exact[:, bone], exact[:, parent]))
        stored[:, bone] = stored[:, parent] @ _matrices(moved, turned, scaled)
        if np.linalg.norm(stored[:, bone, :3, 3] - exact[:, bone, :3, 3], axis=-1).max() > NOTICED * size:
            return bone
    return None


def _beside_rest(rest: Rest, poses: Array, parents: Array | None) -> Array:
    """Return a bone's matrices `(T, 4, 4)` relative to its rest pose, if it inherits all of its parent's transform."""
    axes, moved = poses[:, :3, :3], poses[:, :3, 3]
    if parents is not None:
        back = _inverse(parents[:, :3, :3])
        axes, moved = back @ axes, (back @ (moved - parents[:, :3, 3])[..., None])[..., 0]
    turned, place = rest
    back = rotations.to_matrix(rotations.inverse(turned)).astype(np.float64)
    return _affine(back @ axes, (moved - place) @ back.T)


def _on_rest(rest: Rest, channels: Array, parents: Array | None) -> Array:
    """Return the poses `(T, 4, 4)` given by the channels of a bone that inherits all of its parent's transform."""
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
    """Return the inverses of `(..., 3, 3)`; zeros if a scale of zero has no inverse."""
    a, b, c = matrices[..., 0], matrices[..., 1], matrices[..., 2]
    rows = np.stack((np.cross(b, c), np.cross(c, a), np.cross(a, b)), axis=-2)
    determinants = np.sum(a * rows[..., 0, :], axis=-1)[..., None, None]
    return np.where(determinants == 0, 0.0, rows / np.where(determinants == 0, 1.0, determinants))


def _inherits_separately(bone: Bone) -> bool:
    if bone.parent is None:
        return not bone.use_local_location
    return not bone.use_inherit_rotation or bone.inherit_scale != "FULL" or not bone.use_local_location


def _is_rigid(parents: Array | None) -> bool:
    """Return whether poses `(T, 4, 4)` have no scale, so that it does not matter how a bone inherits one."""
    if parents is None:
        return True
    axes = parents[:, :3, :3]
    return bool(np.abs(np.swapaxes(axes, 1, 2) @ axes - np.eye(3)).max(initial=0.0) < ROUNDING)


def _converted(bone: Bone, matrices: Array, parents: Array | None, *, invert: bool) -> Array:
    """Return the poses of a bone that inherits only parts of its parent's transform; invert: its own matrices."""
    result = np.empty((len(matrices), 4, 4))
    for frame, matrix in enumerate(matrices.tolist()):
        above = {}
        if parents is not None:
            above = {"parent_matrix": Matrix(parents[frame].tolist()), "parent_matrix_local": bone.parent.matrix_local}
        result[frame] = np.array(bone.convert_local_to_pose(Matrix(matrix), bone.matrix_local, **above, invert=invert))
    return result


def _nearest_along_bone(axes: Array) -> Array:
    """Return the rotations nearest to sheared unit axes `(T, 3, 3)` that keep the bone's Y axis, and so its tail."""
    along = axes[..., 1]
    # In a rotation, z = x cross y, so the sum of x . axes_x and z . axes_z is x . (axes_x + y cross axes_z).
    across = axes[..., 0] + np.cross(along, axes[..., 2])
    across -= np.sum(across * along, axis=-1, keepdims=True) * along
    lengths = np.linalg.norm(across, axis=-1, keepdims=True)
    spare = np.eye(3)[np.argmin(np.abs(along), axis=-1)]
    across = np.where(lengths < 1e-6, spare - np.sum(spare * along, axis=-1, keepdims=True) * along, across)
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    return np.stack((across, along, np.cross(across, along)), axis=-1)


def _decompose(local: Array) -> tuple[Array, Array, Array, float]:
    """Return the location, rotation and scale in a bone's matrices `(T, 4, 4)`, and the largest error of its axes."""
    axes = local[:, :3, :3]
    scales = np.linalg.norm(axes, axis=-2)
    mirrored = np.linalg.det(axes) < 0
    scales = np.where(mirrored[:, None], -scales, scales)
    turned = axes / np.where(scales == 0, 1.0, scales)[:, None, :]
    turned = np.where(np.any(scales == 0, axis=-1)[:, None, None], np.eye(3), turned)
    quaternions = rotations.from_matrix(turned)
    error = np.linalg.norm(rotations.to_matrix(quaternions) * scales[:, None, :] - axes, axis=-2).max(axis=-1)
    sheared = error > NOTICED
    if sheared.any():
        nearest = _nearest_along_bone(turned[sheared])
        quaternions[sheared] = rotations.from_matrix(nearest)
        scales[sheared] *= np.sum(nearest * turned[sheared], axis=-2)
        off = nearest * scales[sheared][:, None, :] - axes[sheared]
        error[sheared] = np.linalg.norm(off, axis=-2).max(axis=-1)
    return local[:, :3, 3], quaternions, scales, float(error.max(initial=0.0))
