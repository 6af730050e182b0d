# SPDX-License-Identifier: GPL-3.0-or-later
"""A new row of the list of bones at places: the objects to choose from, its first values, and the place."""

from collections.abc import Iterable
from typing import Any

import bpy
from bpy.types import Context, Object

from ...animation.bone_places import BonePlace
from ...character.local_view import show_in_local_view
from ...core import InputError
from ...state.selection import character_or_reason
from ..common.new_rows import named_bone, next_second


def objects_with(context: Context, text: str) -> Iterable[str]:
    """Return the names of objects that can be places and contain a text, ignoring case."""
    character, _ = character_or_reason(context)
    places = [thing.name for thing in context.scene.objects if thing != character and thing.type != "ARMATURE"]
    return [name for name in places if text.lower() in name.lower()]


def prepare_place(operator: Any, context: Context, character: Object) -> None:
    """Set the active bone, the selected object, and frames from the current one."""
    operator.first, operator.last = next_second(context.scene)
    if not operator.bone and character.data.bones.active is not None:
        operator.bone = character.data.bones.active.name
    others = [thing for thing in context.selected_objects if thing != character and thing.type != "ARMATURE"]
    if not operator.object and len(others) == 1:
        operator.object = others[0].name


def new_place(operator: Any, context: Context, character: Object) -> BonePlace:
    """Return the place, with a new empty where no object is chosen. Raises InputError for an unknown bone or object."""
    bone, name = named_bone(character, operator.bone), operator.object
    if name and name not in bpy.data.objects:
        raise InputError(f'Object "{name}" was not found; choose another.')
    if not name:
        empty = bpy.data.objects.new(f"{operator.bone} Place", None)
        empty.empty_display_size = 0.5 * bone.length
        empty.matrix_world = character.matrix_world @ bone.matrix
        context.scene.collection.objects.link(empty)
        show_in_local_view(context, [empty])
        name = empty.name
    return BonePlace(operator.bone, name, operator.first, operator.last, operator.turned)
