# SPDX-License-Identifier: GPL-3.0-or-later
"""A transformed motion as a new action of the character; the action that it came from stays."""

import bpy
from bpy.types import Action, Object

from ..animation.actions import assign, assigned, restore
from ..animation.stretches.generated import remember_generated
from ..animation.stretches.moving import move_following
from ..animation.stretches.replacing import Stretch, replace_stretch
from ..core import Motion
from .content import Content
from .record import Recipe, keep_recipe


def write_transformed(
    character: Object, action: Action, slot: str, content: Content, motion: Motion, recipe: Recipe, name: str
) -> Action:
    """Return a new action with the motion in place of the content, which the character plays.

    Keys that the examples do not have stay, moved in time where the motion lasts longer or shorter. The old action
    stays in the file. Raises InputError, with nothing changed, where it cannot be written.
    """
    before = assigned(character)
    first, last = float(content.frames[0]), float(content.frames[-1])
    made = action.copy()
    try:
        made.name = name
        assign(character, made, slot)
        end = first + motion.frames - 1
        if end != last:
            move_following(character, made, slot, first, last, end - last)
        replace_stretch(character, made, slot, Stretch(first, end, False, False), motion, content.reading.keyed)
        remember_generated(made, first, end)
        keep_recipe(made, recipe)
    except BaseException:
        restore(character, before)
        bpy.data.actions.remove(made)
        raise
    action.use_fake_user = True
    return made
