# SPDX-License-Identifier: GPL-3.0-or-later
"""The place of a copy: beside its source, along the ground, whatever the object's parent and scale."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from bpy.types import Object
from mathutils import Matrix, Vector

SPACE_GIVERS = {"ARMATURE", "CHILD_OF", "FOLLOW_PATH"}
"""Constraints that put the object's own transform into another space."""


@dataclass(frozen=True, eq=False)
class Moved:
    """A move of an object. channel: through which of its own channels; local: by what, in that channel's space."""

    channel: str
    local: Vector


def move_aside(copy: Object, source: Object, offset: Vector, taken: Collection[str]) -> Moved | None:
    """Move the copy by a world vector from where its source stands, through its location or else its delta location.

    taken: the object's channels that are animated, so not free. Returns the move; None where neither was free.
    """
    free = [name for name in ("location", "delta_location") if name not in taken]
    if not free:
        return None
    local = outer_space(source).to_3x3().inverted_safe() @ offset
    setattr(copy, free[0], getattr(copy, free[0]) + local)
    return Moved(free[0], local)


def lead_by(copy: Object, matrix: Matrix, taken: Collection[str], leader: Callable[[], Object]) -> None:
    """Put the copy where `matrix` takes it from where it is, itself where nothing holds it, else by a parent.

    leader: makes that parent, an object of no size.
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
    """Return the object's channels that drivers, or else any action or NLA track of its own, hold."""
    data = thing.animation_data
    if data is None:
        return set()
    taken = {curve.data_path for curve in data.drivers}
    return taken | {"location"} if data.action or data.nla_tracks else taken


def world_matrix(thing: Object) -> Matrix:
    """Return the object's world matrix from its own values; `matrix_world` is not known before an evaluation."""
    if thing.constraints or thing.parent_type not in {"OBJECT", "ARMATURE", "BONE"}:
        return thing.matrix_world.copy()
    return _parent_space(thing) @ thing.matrix_basis


def outer_space(thing: Object) -> Matrix:
    """Return the space that the object's location counts in: its parent's, or that of a constraint acting as one."""
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
