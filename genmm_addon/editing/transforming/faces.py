# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces in a transformed action: the values of the character's meshes follow the moments that its body shows."""

from contextlib import ExitStack

import numpy as np
from bpy.types import Action, Object, Scene

from ...animation.mesh_channels.playing import remove_slot
from ...animation.mesh_channels.reading import BlockChannels, read_meshes
from ...animation.mesh_channels.takes import takes_of
from ...animation.mesh_channels.writing import write_mesh_channels
from ...animation.reading.example_spec import ExampleSpec
from ...animation.writing import Written
from ...character.mesh_blocks import mesh_blocks
from ...core import Float32, Float64
from ...core.keys import ON_KEY
from ...generation.meshes.playing import on_playable, play_instead

OVERRIDE = "make an editable library override of it"


def write_faces(
    character: Object,
    scene: Scene,
    body: tuple[Action, str],
    new: tuple[Action, str],
    frames: Float64,
    positions: Float64,
    undoing: ExitStack,
) -> tuple[str, ...]:
    """Retime the values of the meshes, from the `body` action and slot to the ones `made` from it; return notes.

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
