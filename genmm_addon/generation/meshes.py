# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes of a result: their values at the source frames, and the actions that play these.

Each function that takes a stack leaves on it the calls that undo its work.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import bpy
import numpy as np
from bpy.types import ID, Action, NlaTrack, Object, Scene

from ..animation.actions import has_slots
from ..animation.mesh_channels.blocks import MeshBlocks
from ..animation.mesh_channels.playing import (
    is_playable,
    keep_together,
    play,
    play_again,
    play_alone,
    played,
    slot_of_address,
    taken_together,
)
from ..animation.mesh_channels.reading import BlockChannels, MeshReading
from ..animation.mesh_channels.writing import MeshAction
from ..character import tags
from ..character.belongings import mesh_blocks
from ..character.redirect import Copies
from ..character.tags import tag_of, tagged
from ..core import Float32, Float64, Part, Synthesis
from ..core.synthesis import CROSSFADE_SECONDS, SourceRows, values_beside
from .outputs import add_strip, protect


def mesh_values(
    meshes: MeshReading, synthesis: Synthesis, parts: Sequence[Part] | None, steps: Float64
) -> list[Float32]:
    """Return the values `(T, C)` of each block.

    parts: the parts of the synthesis. steps: `(E,)` frames of each example per frame of the result.
    """
    rates = np.ones(synthesis.source_frames.shape) if synthesis.source_rates is None else synthesis.source_rates
    loops = synthesis.loop is not None and synthesis.loop.closes
    names, frames_per_second = synthesis.motion.skeleton.names, synthesis.motion.frames_per_second
    values = []
    for block, columns in zip(meshes.blocks, meshes.columns(), strict=True):
        part = part_of(block, names, synthesis.root, parts)
        examples = synthesis.source_examples[:, part]
        shown = SourceRows(examples, synthesis.source_frames[:, part], rates[:, part] * steps[examples])
        tables = [table[:, columns] for table in meshes.tables]
        values.append(block_values(block, tables, shown, frames_per_second, loops=loops))
    return values


def block_values(
    block: BlockChannels,
    tables: Sequence[Float32],
    shown: SourceRows,
    frames_per_second: float,
    *,
    loops: bool = False,
) -> Float32:
    """Return the values `(T, C)` of one block; booleans and enumerations are stepped where the source changes."""
    values = values_beside(tables, shown, round(CROSSFADE_SECONDS * frames_per_second), loops=loops)
    stepped = [channel.is_stepped for channel in block.channels]
    if any(stepped):
        nearest = SourceRows(shown.examples, np.floor(shown.frames + 0.5), shown.steps)
        values[:, stepped] = values_beside(tables, nearest, 0)[:, stepped]
    return values


def part_of(block: BlockChannels, names: Sequence[str], root: str, parts: Sequence[Part] | None) -> int:
    """Return the number of the part that a block belongs to: its bone's part, or else the root's."""
    if parts is None:
        return 0
    for name in (block.bone, root):
        joint = names.index(name) if name in names else -1
        part_number = next((number for number, part in enumerate(parts) if joint in part.joints), None)
        if part_number is not None:
            return part_number
        if joint >= 0:
            # The remainder comes last.
            return len(parts)
    return 0


def play_on_copy(blocks: MeshBlocks, copies: Copies, mesh_actions: Sequence[MeshAction]) -> None:
    """Have a new copy of the character play its own values. blocks: of the source; those not copied are left out."""
    for mesh in mesh_actions:
        copy: Any = copies.get(blocks[mesh.address].block)
        if copy is None:
            continue
        play_alone(copy)
        play(copy, mesh.action, mesh.slot)


def on_playable(
    blocks: MeshBlocks, mesh_actions: Sequence[MeshAction], mend: str = "choose New Character"
) -> tuple[list[MeshAction], tuple[str, ...]]:
    """Return the actions that the character's own meshes can play, and notes on linked meshes, ending with `mend`."""
    kept = [mesh for mesh in mesh_actions if is_playable(blocks[mesh.address].block)]
    fixed = [blocks[mesh.address].block.name for mesh in mesh_actions if mesh not in kept]
    return kept, tuple(
        f'"{name}" is linked and cannot be changed: it keeps the time of its action; {mend}.' for name in fixed
    )


def play_instead(
    blocks: MeshBlocks, mesh_actions: Sequence[MeshAction], undoing: ExitStack, body: Action | None
) -> tuple[str, ...]:
    """Have the character's own meshes play the values; their former actions stay in the file. Returns remarks.

    body: the action that the character played together with the former actions.
    """
    remarks: tuple[str, ...] = ()
    for mesh in mesh_actions:
        block = blocks[mesh.address].block
        before = played(block)
        undoing.callback(play_again, block, before)
        _remember(block, body, before, undoing)
        play(block, mesh.action, mesh.slot)
        if before is not None:
            remarks += protect(before[0], undoing)
    return remarks


def add_mesh_strips(blocks: MeshBlocks, mesh_actions: Sequence[MeshAction], undoing: ExitStack) -> list[NlaTrack]:
    """Put the values on NLA tracks of the meshes; an active action, which would hide them, goes to a track below."""
    tracks = []
    for mesh in mesh_actions:
        block: Any = blocks[mesh.address].block
        before = played(block)
        if before is not None:
            undoing.callback(play_again, block, before)
            add_strip(block, *before, undoing)
            block.animation_data.action = None
        tracks.append(add_strip(block, mesh.action, mesh.slot, undoing))
    return tracks


def _remember(block: ID, body: Action | None, before: tuple[Action, str] | None, undoing: ExitStack) -> None:
    """Store the mesh's action that belongs to the character's action, to find it again while both play a result."""
    if body is None or before is None or tag_of(body) is not None or tag_of(before[0]) is not None:
        return
    known = taken_together(block)
    undoing.callback(keep_together, block, known)
    keep_together(block, {**known, body.name: (before[0].name, before[1])})


def show_on_meshes(character: Object, scene: Scene, action: Action, body: Action | None = None) -> None:
    """Have the character's meshes play the values of a result's action; their former actions stay in the file.

    body: the action that the character played together with the former actions.
    """
    actions = [action, *mesh_actions_of(action)]
    for address, mesh in mesh_blocks(character, scene).items():
        for candidate in actions if is_playable(mesh.block) else ():
            slot = slot_of_address(candidate, address)
            before = played(mesh.block)
            if slot is None:
                continue
            with ExitStack() as undoing:
                _remember(mesh.block, body, before, undoing)
                undoing.pop_all()
            play(mesh.block, candidate, slot)
            if before is not None:
                with ExitStack() as undoing:
                    protect(before[0], undoing)
                    undoing.pop_all()


def mesh_actions_of(action: Action) -> list[Action]:
    """Return the separate actions of a result's meshes, which exist where actions have no slots."""
    tag = tag_of(action)
    if tag is None or has_slots(action):
        return []
    every = tagged(bpy.data.actions, tag.batch)
    return [other for other, mark in every if mark.number == tag.number and mark.role == tags.MESH_ACTION]


def animated_blocks(character: Object, scene: Scene) -> Iterator[ID]:
    """Yield the data-blocks of the character's meshes that are animated."""
    for mesh in mesh_blocks(character, scene).values():
        if getattr(mesh.block, "animation_data", None) is not None:
            yield mesh.block
