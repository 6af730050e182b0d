# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a copy stands: beside its source, along the ground, whatever the object's parent and scale."""

from collections.abc import Callable, Collection, Sequence

import numpy as np
from bpy.types import Object
from mathutils import Matrix, Vector
from numpy.typing import NDArray

MARGIN = 1.2
"""Widths from one character to the next."""
SLIMMEST = 0.3
"""A character counts as at least this share of its largest extent wide."""

SPACE_GIVERS = {"ARMATURE", "CHILD_OF", "FOLLOW_PATH"}
"""Constraints that put the object's own transform into another space."""


def step_beside(armature: Object, objects: Sequence[Object]) -> Vector:
    """The world vector from the character to a place beside it: along the rig's own X on the ground, its width away."""
    aside = world_matrix(armature).to_3x3() @ Vector((1.0, 0.0, 0.0))
    upright = aside.length
    aside.z = 0.0
    # An X axis that points up or down says nothing of what is beside.
    aside = aside.normalized() if aside.length > 0.5 * upright else Vector((1.0, 0.0, 0.0))
    corners = _extent(armature, objects)
    largest = float(np.ptp(corners, axis=0).max())
    width = max(float(np.ptp(corners @ np.array(aside))), SLIMMEST * largest)
    return aside * (MARGIN * width if width > 0 else 1.0)


def move_aside(copy: Object, source: Object, offset: Vector, held: Collection[str]) -> bool:
    """Move the copy by a world vector from where its source stands, through its location or else its delta location.

    held: the object's channels that are animated, so not free. Returns whether one of the two was free.
    """
    free = [name for name in ("location", "delta_location") if name not in held]
    if not free:
        return False
    local = _outer_space(source).to_3x3().inverted_safe() @ offset
    setattr(copy, free[0], getattr(copy, free[0]) + local)
    return True


def lead_by(copy: Object, matrix: Matrix, held: Collection[str], leader: Callable[[], Object]) -> None:
    """Put the copy where `matrix` takes it from where it is, itself where nothing holds it, else by a parent.

    leader: makes that parent, an object of no size.
    """
    space = _parent_space(copy)
    free = not copy.constraints and copy.parent_type in {"OBJECT", "ARMATURE"}
    if free and not any(name.startswith(("location", "rotation", "delta")) for name in held):
        copy.matrix_basis = space.inverted_safe() @ matrix @ space @ copy.matrix_basis
        return
    handle = leader()
    handle.matrix_basis = matrix
    copy.parent, copy.parent_type = handle, "OBJECT"
    copy.matrix_parent_inverse = space


def held_channels(thing: Object) -> set[str]:
    """The object's channels that drivers, or else any action or NLA track of its own, hold."""
    data = thing.animation_data
    if data is None:
        return set()
    held = {curve.data_path for curve in data.drivers}
    return held | {"location"} if data.action or data.nla_tracks else held


def world_matrix(thing: Object) -> Matrix:
    """Where the object is, from its own values: `matrix_world` says nothing of what was never evaluated."""
    if thing.constraints or thing.parent_type not in {"OBJECT", "ARMATURE", "BONE"}:
        return thing.matrix_world.copy()
    return _parent_space(thing) @ thing.matrix_basis


def _outer_space(thing: Object) -> Matrix:
    """The space that the object's location counts in: its parent's, or that of a constraint which serves as one."""
    if any(constraint.type in SPACE_GIVERS and not constraint.mute for constraint in thing.constraints):
        return thing.matrix_world @ thing.matrix_basis.inverted_safe()
    return _parent_space(thing)


def _parent_space(thing: Object) -> Matrix:
    if thing.parent is None:
        return Matrix()
    return world_matrix(thing.parent) @ _bone_end(thing) @ thing.matrix_parent_inverse


def _bone_end(thing: Object) -> Matrix:
    pose = thing.parent.pose if thing.parent_type == "BONE" else None
    bone = pose.bones.get(thing.parent_bone) if pose else None
    if bone is None:
        return Matrix()
    if bone.bone.use_relative_parent:
        return bone.matrix @ bone.bone.matrix_local.inverted_safe()
    return bone.matrix @ Matrix.Translation((0.0, bone.length, 0.0))


def _extent(armature: Object, objects: Sequence[Object]) -> NDArray[np.float64]:
    """World points `(N, 3)` around the character at rest: its skinned meshes' boxes, or else its bones."""
    boxes = [_box(thing) for thing in objects if thing.type == "MESH" and thing.find_armature() == armature]
    corners = np.concatenate([np.empty((0, 3)), *boxes])
    if len(corners):
        return corners
    bones = armature.data.bones
    ends = np.array([end for bone in bones for end in (bone.head_local, bone.tail_local)] or [(0, 0, 0)], np.float64)
    return _transformed(world_matrix(armature), ends)


def _box(mesh: Object) -> NDArray[np.float64]:
    """The mesh's bounding box in the world; no points `(0, 3)` where it has no vertices."""
    if not len(mesh.data.vertices):
        return np.empty((0, 3))
    return _transformed(world_matrix(mesh), np.array([tuple(corner) for corner in mesh.bound_box], np.float64))


def _transformed(matrix: Matrix, points: NDArray[np.float64]) -> NDArray[np.float64]:
    array = np.array(matrix, np.float64)
    return points @ array[:3, :3].T + array[:3, 3]
