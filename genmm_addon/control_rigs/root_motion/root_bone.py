# SPDX-License-Identifier: GPL-3.0-or-later
"""The bone at the top of a character that carries its travel, found or added to a copy of its armature data."""

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
from bpy.types import Armature, Object
from mathutils import Vector

from ...animation.edited_armature import edited_armature
from ...character.naming import LONGEST_NAME
from ...core import InputError, Skeleton
from ...core.motion import NO_PARENT

LENGTH = 0.25
"""Length of an added bone, as a share of the character's size: visible on the ground beside the feet."""


def find_root_bone(skeleton: Skeleton, name: str, body: int) -> int | None:
    """Return the joint to carry the travel: the one with the name, or else the top one above the body.

    None if a bone has to be added. Raises InputError where the name belongs to a bone elsewhere.
    """
    if name in skeleton.names:
        joint = skeleton.names.index(name)
        if joint == body:
            raise InputError(f'Bone "{name}" carries the body itself; choose another name for the root bone.')
        if skeleton.parents[joint] != NO_PARENT or not skeleton.descendants(joint)[body]:
            raise InputError(
                f'Bone "{name}" is not at the top of the skeleton, above "{skeleton.names[body]}"; choose another name '
                "for the root bone."
            )
        return joint
    top = skeleton.chain(body)[0]
    return None if top == body else top


def check_bone_can_be_made(character: Object, name: str) -> None:
    """Raise InputError where the character cannot get a bone of this name."""
    if not name.strip():
        raise InputError("The root bone has no name; enter one.")
    if len(name.encode()) > LONGEST_NAME:
        raise InputError(
            f'The name "{name[:20]}..." is too long for a bone; choose one of at most {LONGEST_NAME} bytes.'
        )
    data = character.data
    if data.library is not None or data.override_library is not None:
        raise InputError(
            f'The armature data of "{character.name}" is linked and cannot get a root bone; make it local, or add the '
            "bone in its own file."
        )
    if character.mode == "EDIT":
        raise InputError(f'"{character.name}" is in Edit Mode; go to Object Mode first.')


def add_root_bone(character: Object, skeleton: Skeleton, name: str) -> Callable[[], None]:
    """Give the character a copy of its armature data with a root bone above all others; return a function to undo it.

    Other characters with the same data are not changed. The bone lies on the ground at the armature's origin, with its
    axes along the world's.
    """
    before: Any = character.data  # an armature's
    up = Vector(skeleton.up)
    to_world = np.array(character.matrix_world.to_3x3(), np.float64)
    ahead = Vector((np.linalg.pinv(to_world) @ np.array([0.0, 1.0, 0.0])).tolist())
    ahead = (ahead - ahead.project(up)).normalized()

    def add(armature: Armature) -> None:
        roots = [bone for bone in armature.edit_bones if bone.parent is None]
        added = armature.edit_bones.new(name)
        added.head, added.tail = Vector(), ahead * LENGTH * skeleton.size
        added.align_roll(up)
        for bone in roots:
            bone.parent = added
            # These settings had no effect while the bone had no parent.
            bone.use_inherit_rotation, bone.inherit_scale = True, "FULL"

    added_data = edited_armature(bpy.context, before.name, add, before)
    character.data = added_data
    _exchange_names(before, added_data)
    bpy.context.view_layer.update()

    def take_back() -> None:
        character.data = before
        _exchange_names(before, added_data)
        if not added_data.users:
            bpy.data.armatures.remove(added_data)

    return take_back


def _exchange_names(first: Armature, second: Armature) -> None:
    """Give the copy the original's name where nothing else uses the original."""
    if first.users and second.users:
        return
    first_name, second_name = first.name, second.name
    first.name = f"{first_name} {second_name}"
    second.name, first.name = first_name, second_name
