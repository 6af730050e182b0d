# SPDX-License-Identifier: GPL-3.0-or-later
"""Which character is meant, and which actions fit it."""

import re

import bpy
from bpy.types import Action, Context, Object

from .actions import armature_slots, fcurves_of

SELECT_ONE = "Select a character (an armature, or a mesh that follows one)"
_BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]')


def armature_of(thing: Object | None) -> Object | None:
    """The armature that `thing` is, follows, hangs on, or solely contains; None where there is none or a choice."""
    if thing is None or thing.type == "ARMATURE":
        return thing
    followed = thing.find_armature()
    if followed is not None:
        return followed
    above = thing.parent
    while above is not None:
        if above.type == "ARMATURE":
            return above
        above = above.parent
    inside = [child for child in thing.children_recursive if child.type == "ARMATURE"]
    return inside[0] if len(inside) == 1 else None


def character_of(context: Context) -> Object | None:
    """The character that the active object leads to, else the one that all selected objects lead to."""
    character = armature_of(context.view_layer.objects.active)
    if character is not None:
        return character
    led_to = {armature_of(thing) for thing in context.view_layer.objects.selected}
    return led_to.pop() if len(led_to) == 1 else None


def character_or_reason(context: Context) -> tuple[Object | None, str]:
    """The character, or None and a sentence that says what to select."""
    character = character_of(context)
    if character is None:
        return None, SELECT_ONE
    if not character.data.bones:
        return None, f"{character.name} has no bones; select another character"
    return character, ""


def animated_bones(action: Action) -> set[str]:
    """The names of the bones that the action has curves for, in any slot fit for an armature."""
    names = set()
    for slot in armature_slots(action):
        for curve in fcurves_of(action, slot):
            match = _BONE.match(curve.data_path)
            if match:
                names.add(bpy.utils.unescape_identifier(match[1]))
    return names


def fits(character: Object, action: Action) -> bool:
    """Whether the action moves bones, and most of those that it moves are the character's."""
    names = animated_bones(action)
    bones = character.data.bones
    return bool(names) and 2 * sum(name in bones for name in names) >= len(names)


def fitting_actions(character: Object) -> list[Action]:
    """All actions of the file that fit the character, by name."""
    return [action for action in bpy.data.actions if fits(character, action)]
