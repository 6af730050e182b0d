# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing of a transformed motion as a new action of the character; the original action stays."""

from contextlib import ExitStack
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Action, Object, Scene

from ...animation.actions import assign, assigned, restore, stop_repeating
from ...animation.mesh_channels.playing import remove_slot
from ...animation.mesh_channels.reading import BlockChannels, read_meshes
from ...animation.mesh_channels.takes import takes_of
from ...animation.mesh_channels.writing import write_mesh_channels
from ...animation.reading.example_spec import ExampleSpec
from ...animation.stretches.editing import edited_in_place
from ...animation.stretches.generated import remember_generated
from ...animation.stretches.replacing import Stretch, move_following, replace_stretch
from ...animation.writing import Written
from ...character.belongings import mesh_blocks
from ...core import Float32, Float64, Motion
from ...core.keys import ON_KEY
from ...generation.meshes import on_playable, play_instead
from ..edit_task import EditTask
from .content import Content
from .record import EditRecipe, keep_recipe

OVERRIDE = "make an editable library override of it"


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
    The new action does not cycle. Raises InputError, with nothing changed, where it cannot be written.
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
        repeated = stop_repeating(copy, slot, undoing)
        with edited_in_place(copy, slot):
            if end != last:
                move_following(character, copy, slot, first, last, end - last)
            replace_stretch(character, copy, slot, Stretch(first, end, False, False), motion, content.reading.keyed)
            remember_generated(copy, first, end)
        keep_recipe(copy, recipe)
        notes = (*content.notes, *_faces(task, copy, content.frames, positions, undoing))
        if repeated:
            notes = (
                *notes,
                f'Unlike "{action.name}", it does not repeat, since its last pose may not lead to its first.',
            )
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


def write_faces(
    character: Object,
    scene: Scene,
    body: tuple[Action, str],
    new: tuple[Action, str],
    frames: Float64,
    positions: Float64,
    undoing: ExitStack,
) -> tuple[str, ...]:
    """Retime the values of the meshes, from the `body` action and slot to the `new` ones made from it; return notes.

    frames: `(T,)` the frames of the body's action. positions: `(T',)` the positions among them that the new action
    shows, from its first frame on; where these are unchanged, nothing is written. undoing: a stack that undoes it.
    """
    if len(positions) == len(frames) and np.abs(positions - np.arange(len(frames))).max() < ON_KEY:
        return ()
    blocks = mesh_blocks(character, scene)
    spec = ExampleSpec(*body, frame_start=float(frames[0]), frame_end=float(frames[-1]))
    faces = read_meshes(character, (spec,), blocks, scene)
    if not faces.blocks:
        return faces.notes
    for block in faces.blocks:
        for take in takes_of(character, spec, blocks[block.address], frames):
            if take.action == body[0]:
                # The copied action has this slot too, with the old timing.
                remove_slot(new[0], take.slot)
    (table,) = faces.tables
    values = [
        _at(block, table[:, columns], positions) for block, columns in zip(faces.blocks, faces.columns(), strict=True)
    ]
    written = write_mesh_channels(Written(*new), faces.blocks, values, frame_start=float(frames[0]))
    kept, notes = on_playable(blocks, written, OVERRIDE)
    return (*faces.notes, *notes, *play_instead(blocks, kept, undoing, body[0]))


def _at(block: BlockChannels, table: Float32, positions: Float64) -> Float32:
    """Return the values `(T', C)` at positions between frames; booleans and enumerations take the frame before."""
    before = np.clip(np.floor(positions + ON_KEY).astype(np.int64), 0, len(table) - 1)
    share = np.clip(positions - before, 0.0, 1.0)[:, None]
    share = np.where([channel.is_stepped for channel in block.channels], 0.0, share)
    between = (1 - share) * table[before] + share * table[np.minimum(before + 1, len(table) - 1)]
    return np.asarray(between, np.float32)
