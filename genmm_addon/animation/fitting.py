# SPDX-License-Identifier: GPL-3.0-or-later
"""Detection of the actions that fit a character."""

import re

import bpy
from bpy.types import Action, Object

from .actions import armature_slots, fcurves_of

_BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]')


def animated_bones(action: Action) -> set[str]:
    """Return the names of the bones for which the action has curves, in any slot for an armature."""
    names = set()
    for slot in armature_slots(action):
        for curve in fcurves_of(action, slot):
            match = _BONE.match(curve.data_path)
            if match:
                names.add(bpy.utils.unescape_identifier(match[1]))
    return names


def fits(character: Object, action: Action) -> bool:
    """Return whether the action moves bones, and most of them are bones of the character."""
    names = animated_bones(action)
    bones = character.data.bones
    return bool(names) and 2 * sum(name in bones for name in names) >= len(names)


def fitting_actions(character: Object) -> list[Action]:
    """Return all actions of the file that fit the character, by name."""
    return [action for action in bpy.data.actions if fits(character, action)]
