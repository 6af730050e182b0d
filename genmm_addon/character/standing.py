# SPDX-License-Identifier: GPL-3.0-or-later
"""Placement of a copy beside its source along the ground, for any parent and scale of the object."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from bpy.types import Object
from mathutils import Matrix, Vector

SPACE_GIVERS = {"ARMATURE", "CHILD_OF", "FOLLOW_PATH"}
"""Constraints that put the object's own transform into another space."""


@dataclass(frozen=True, eq=False)
class Moved:
    """A move of an object. channel: the channel that was changed. local: the vector, in that channel's space."""

    channel: str
    local: Vector


def move_aside(copy: Object, source: Object, offset: Vector, taken: Collection[str]) -> Moved | None:
    """Move the copy by a world vector from its source's place, through its location or otherwise its delta location.

    taken: the object's animated channels, which cannot be used. Return the move; None if neither channel is free.
    """
    free = [name for name in ("location", "delta_location") if name not in taken]
    if not free:
        return None
    local = outer_space(source).to_3x3().inverted_safe() @ offset
    setattr(copy, free[0], getattr(copy, free[0]) + local)
    return Moved(free[0], local)


def lead_by(copy: Object, matrix: Matrix, taken: Collection[str], leader: Callable[[], Object]) -> None:
    """Move the copy by a world matrix: itself if its channels are free, otherwise by a parent.

    leader: makes this parent, an empty of no size.
    """
    space = _parent_space(copy)
    free = not copy.constraints and copy.parent_type in {"OBJECT", "ARMATURE"}
    if free and not any(name.startswith(("location", "rotation", "delta")) for name in taken):
        copy.matrix_basis = space.inverted_safe() @ matrix @ space @ copy.matrix_basis
        return
    handle = leader()
    handle.matrix_basis = matrix
    copy.parent, copy.parent_type = handle, "OBJECT"
    copy.matrix_parent_inverse = space


def taken_channels(thing: Object) -> set[str]:
    """Return the object's driven channels, and its location if it has an action or NLA tracks."""
    data = thing.animation_data
    if data is None:
        return set()
    taken = {curve.data_path for curve in data.drivers}
    return taken | {"location"} if data.action or data.nla_tracks else taken


def world_matrix(thing: Object, *, at_rest: bool = False) -> Matrix:
    """Return the object's world matrix from its own values, since `matrix_world` needs an evaluation.

    at_rest: where it is if the bone that holds it is at rest.
    """
    if thing.constraints or thing.parent_type not in {"OBJECT", "ARMATURE", "BONE"}:
        return thing.matrix_world.copy()
    return _parent_space(thing, at_rest=at_rest) @ thing.matrix_basis


def outer_space(thing: Object) -> Matrix:
    """Return the space of the object's location: its parent's, or that of a constraint acting as one."""
    if any(constraint.type in SPACE_GIVERS and not constraint.mute for constraint in thing.constraints):
        return thing.matrix_world @ thing.matrix_basis.inverted_safe()
    return _parent_space(thing)


def _parent_space(thing: Object, *, at_rest: bool = False) -> Matrix:
    if thing.parent is None:
        return Matrix()
    return world_matrix(thing.parent, at_rest=at_rest) @ _bone_end(thing, at_rest) @ thing.matrix_parent_inverse


def _bone_end(thing: Object, at_rest: bool) -> Matrix:
    pose = thing.parent.pose if thing.parent_type == "BONE" else None
    bone = pose.bones.get(thing.parent_bone) if pose else None
    if bone is None:
        return Matrix()
    matrix = bone.bone.matrix_local if at_rest else bone.matrix
    if bone.bone.use_relative_parent:
        return matrix @ bone.bone.matrix_local.inverted_safe()
    return matrix @ Matrix.Translation((0.0, bone.bone.length if at_rest else bone.length, 0.0))
