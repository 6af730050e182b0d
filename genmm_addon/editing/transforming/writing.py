# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing of a transformed motion as a new action of the character; the original action stays."""

from contextlib import ExitStack
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Action, Object, Scene
from numpy.typing import NDArray

from ...animation.actions import assign, assigned, restore
from ...animation.stretches.editing import edited_in_place
from ...animation.stretches.generated import remember_generated
from ...animation.stretches.moving import move_following
from ...animation.stretches.replacing import Stretch, replace_stretch
from ...core import Motion
from .content import Content
from .faces import write_faces
from .record import EditRecipe, keep_recipe


@dataclass(frozen=True, eq=False)
class NewActionPlace:
    """The character that gets a new action, its scene, and the action and slot that the new one is made from."""

    character: Object
    scene: Scene
    action: Action
    slot: str


def write_transformed(
    place: NewActionPlace,
    content: Content,
    motion: Motion,
    positions: NDArray[np.float64],
    recipe: EditRecipe,
    name: str,
) -> tuple[Action, tuple[str, ...]]:
    """Have the character play a new action with the motion in place of the content; return it and notes.

    positions: `(T,)` the moment of the content that each frame of the motion shows, which faces follow. Keys that the
    examples do not have stay, moved in time where the motion lasts longer or shorter. The old action stays in its file.
    Raises InputError, with nothing changed, where it cannot be written.
    """
    character, action, slot = place.character, place.action, place.slot
    before = assigned(character)
    first, last = float(content.frames[0]), float(content.frames[-1])
    made = action.copy()
    with ExitStack() as undoing:
        undoing.callback(bpy.data.actions.remove, made)
        undoing.callback(restore, character, before)
        made.name = name
        assign(character, made, slot)
        end = first + motion.frames - 1
        with edited_in_place(made, slot):
            if end != last:
                move_following(character, made, slot, first, last, end - last)
            replace_stretch(character, made, slot, Stretch(first, end, False, False), motion, content.reading.keyed)
            remember_generated(made, first, end)
        keep_recipe(made, recipe)
        notes = _faces(place, made, content.frames, positions, undoing)
        undoing.pop_all()
    if action.library is not None:
        # Blender does not save a fake user for a linked action.
        return made, (*notes, f'Action "{action.name}" is linked and stays in its own file.')
    action.use_fake_user = True
    return made, notes


def _faces(
    place: NewActionPlace, made: Action, frames: NDArray[np.float64], positions: NDArray[np.float64], undoing: ExitStack
) -> tuple[str, ...]:
    """Write the faces while the character plays its own action, with which its meshes play theirs."""
    assign(place.character, place.action, place.slot)
    body, new = (place.action, place.slot), (made, place.slot)
    notes = write_faces(place.character, place.scene, body, new, frames, positions, undoing)
    assign(place.character, made, place.slot)
    return notes
