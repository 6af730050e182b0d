# SPDX-License-Identifier: GPL-3.0-or-later
"""Detection of the actions that fit a character."""

import re
from collections.abc import Iterator

import bpy
import numpy as np
from bpy.types import Action, FCurve, Object

from .actions import armature_slots, fcurves_of
from .curves import key_values

_BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]')


def animated_bones(action: Action) -> set[str]:
    """Return the names of the bones for which the action has curves, in any slot for an armature."""
    return {name for name, _ in _curves_of_bones(action)}


def displaced_bones(action: Action, least: float) -> set[str]:
    """Return the names of the bones with keys that move them farther than `least` from their places at rest."""
    return {
        name
        for name, curve in _curves_of_bones(action)
        if curve.data_path.endswith(".location") and np.abs(key_values(curve)[:, 1]).max(initial=0.0) > least
    }


def _curves_of_bones(action: Action) -> Iterator[tuple[str, FCurve]]:
    for slot in armature_slots(action):
        for curve in fcurves_of(action, slot):
            match = _BONE.match(curve.data_path)
            if match:
                yield bpy.utils.unescape_identifier(match[1]), curve


def fits(character: Object, action: Action) -> bool:
    """Return whether the action moves bones, and most of them are bones of the character."""
    names = animated_bones(action)
    bones = character.data.bones
    return bool(names) and 2 * sum(name in bones for name in names) >= len(names)


def fitting_actions(character: Object) -> list[Action]:
    """Return all actions of the file that fit the character, by name."""
    return [action for action in bpy.data.actions if fits(character, action)]
