# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing of a transformed motion as a new action of the character; the original action stays."""

from contextlib import ExitStack
from dataclasses import dataclass

import bpy
from bpy.types import Action

from ...animation.actions import assign, assigned, restore
from ...animation.stretches.editing import edited_in_place
from ...animation.stretches.generated import remember_generated
from ...animation.stretches.moving import move_following
from ...animation.stretches.replacing import Stretch, replace_stretch
from ...core import Float64, Motion
from ..edit_task import EditTask
from .content import Content
from .faces import write_faces
from .record import EditRecipe, keep_recipe


@dataclass(frozen=True, eq=False)
class Transformed:
    """A new action. said: a sentence on what it is; notes: further sentences for the user."""

    action: Action
    said: str
    notes: tuple[str, ...] = ()


def write_transformed(
    task: EditTask,
    content: Content,
    motion: Motion,
    positions: Float64,
    recipe: EditRecipe,
    suffix: str,
) -> tuple[Action, tuple[str, ...]]:
    """Have the character play a new action with the motion in place of the content; return it and notes.

    suffix: of its name, after that of the old action, which stays in its file. positions: `(T,)` the moment of the
    content that each frame of the motion shows, which faces follow. Keys that the examples do not have stay, moved in
    time where the motion lasts longer or shorter.
    Raises InputError, with nothing changed, where it cannot be written.
    """
    character, action, slot = task.character, task.action, task.slot
    before = assigned(character)
    first, last = float(content.frames[0]), float(content.frames[-1])
    copy = action.copy()
    with ExitStack() as undoing:
        undoing.callback(bpy.data.actions.remove, copy)
        undoing.callback(restore, character, before)
        copy.name = f"{action.name} {suffix}"
        assign(character, copy, slot)
        end = first + motion.frames - 1
        with edited_in_place(copy, slot):
            if end != last:
                move_following(character, copy, slot, first, last, end - last)
            replace_stretch(character, copy, slot, Stretch(first, end, False, False), motion, content.reading.keyed)
            remember_generated(copy, first, end)
        keep_recipe(copy, recipe)
        notes = (*content.notes, *_faces(task, copy, content.frames, positions, undoing))
        undoing.pop_all()
    if action.library is not None:
        # Blender does not save a fake user for a linked action.
        return copy, (*notes, f'Action "{action.name}" is linked and stays in its own file.')
    action.use_fake_user = True
    return copy, notes


def _faces(
    task: EditTask,
    copy: Action,
    frames: Float64,
    positions: Float64,
    undoing: ExitStack,
) -> tuple[str, ...]:
    """Write the faces while the character plays its own action, with which its meshes play theirs."""
    assign(task.character, task.action, task.slot)
    body, new = (task.action, task.slot), (copy, task.slot)
    notes = write_faces(task.character, task.scene, body, new, frames, positions, undoing)
    assign(task.character, copy, task.slot)
    return notes
