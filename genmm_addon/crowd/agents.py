# SPDX-License-Identifier: GPL-3.0-or-later
"""The agents of a crowd in the file: copies that share meshes and actions, each with its own NLA strip."""

import math
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import ID, Action, Collection, Context, Object
from mathutils import Matrix

from ..animation.actions import has_slots
from ..animation.mesh_channels.blocks import NO_BLOCKS, BlockAddress, MeshBlocks
from ..animation.mesh_channels.playing import play_alone
from ..animation.mesh_channels.writing import MeshAction
from ..animation.writing import Written
from ..character.belongings import is_carried
from ..character.character import duplicate
from ..character.copying import copy_objects
from ..character.naming import base_name, named
from ..character.redirect import drivers_of
from ..character.results_collection import remove_made
from ..character.standing import lead_by, taken_channels
from ..core import Float64, InputError


@dataclass(frozen=True)
class Showing:
    """The part of an action that an agent plays: `frames` from `first` on, from the scene's `start` on.

    meshes: what its meshes play of the same clip.
    """

    clip: Written
    first: float
    frames: int
    start: float
    meshes: tuple[MeshAction, ...] = ()


def agents_made(
    context: Context,
    armature: Object,
    showings: Sequence[Showing],
    matrices: Float64,
    animated: frozenset[str],
    undoing: ExitStack,
    blocks: MeshBlocks = NO_BLOCKS,
) -> Generator[float, None, tuple[Collection, tuple[str, ...]]]:
    """Make a copy of the character for each showing, moved from the source's place by its matrix `(4, 4)`.

    Yields the progress, 0 to 1, and returns the new collection and notes on it. animated: the object's channels for
    which the clips have keys. blocks: the data-blocks of the source's meshes that play with the clips. Raises
    InputError if the scene is linked; closing the stack removes everything.
    """
    scene, layer = context.scene, context.view_layer
    if scene.library is not None:
        raise InputError(f'Scene "{scene.name}" is linked; create a local scene for the crowd.')
    made: list[ID] = []
    undoing.callback(remove_made, scene, made)
    collection = bpy.data.collections.new(named(base_name(armature), " Crowd"))
    made.append(collection)
    scene.collection.children.link(collection)
    mesh_data = [mesh.block for mesh in blocks.values()]
    first = duplicate(context, armature, number=1, collection=collection, suffix=_suffix(1), unshared=mesh_data)
    made.extend(first.made)
    faces = {address: first.copies.get(mesh.block) for address, mesh in blocks.items()}
    for block in faces.values():
        if block is not None:
            play_alone(block)
    # Further copies are made from objects that play nothing yet and stand where the source does.
    pattern = [block for block in first.made if isinstance(block, Object)]
    hidden = [number for number, thing in enumerate(pattern) if thing.hide_get(view_layer=layer)]
    for thing in pattern:
        # Copies inherit the selection, as the first one did from the character.
        thing.select_set(False, view_layer=layer)
    layer.update()
    # The collection is linked only when complete, since each redraw would evaluate the agents made so far.
    scene.collection.children.unlink(collection)
    groups = [pattern]

    def settle(rig: Object, things: list[Object], number: int, faces: Mapping[BlockAddress, ID | None]) -> None:
        showing = showings[number]
        _stand(rig, things, Matrix(matrices[number].tolist()), animated, collection, made)
        _play(rig, showing, showing.clip.action, showing.clip.slot)
        for mesh in showing.meshes:
            block = faces.get(mesh.address)
            if block is not None:
                _play(block, showing, mesh.action, mesh.slot)

    for number in range(1, len(showings)):
        copies = copy_objects(pattern, _suffix(number + 1), made, [block for block in faces.values() if block])
        things = [copies[thing] for thing in pattern]
        for thing in things:
            collection.objects.link(thing)
        settle(copies[first.armature], things, number, {at: copies.get(block) for at, block in faces.items()})
        groups.append(things)
        yield number / len(showings)
    settle(first.armature, pattern, 0, faces)
    scene.collection.children.link(collection)
    for things in groups if hidden else []:
        for index in hidden:
            things[index].hide_set(True, view_layer=layer)
    return collection, first.notes


def _suffix(number: int) -> str:
    return f" Agent {number:04d}"


def _stand(
    rig: Object, things: list[Object], matrix: Matrix, animated: frozenset[str], collection: Collection, made: list[ID]
) -> None:
    """Move the agent's objects that are not carried by another of them."""

    def leader() -> Object:
        handle = bpy.data.objects.new(f"{rig.name} Place", None)
        handle.empty_display_size = 0.2
        collection.objects.link(handle)
        made.append(handle)
        return handle

    agent = set(things)
    copies = {thing: thing for thing in things}
    for thing in things:
        if thing.parent in agent or is_carried(thing, copies):
            continue
        taken = taken_channels(thing)
        if thing == rig:
            taken = {curve.data_path for curve in drivers_of(thing)} | animated
        lead_by(thing, matrix, taken, leader)


def _play(block: Any, showing: Showing, action: Action, slot: str) -> None:
    """Put the agent's stretch of its clip on an NLA track, since other agents play other stretches of the action."""
    data = block.animation_data or block.animation_data_create()
    track = data.nla_tracks.new()
    track.name = action.name
    strip = track.strips.new(action.name, math.floor(showing.start), action)
    if slot and has_slots(action):
        strip.action_slot = next(entry for entry in action.slots if entry.identifier == slot)
    last = max(showing.frames - 1, 1)
    strip.use_sync_length = False
    strip.action_frame_start, strip.action_frame_end = showing.first, showing.first + last
    strip.frame_start_raw, strip.frame_end_raw = showing.start, showing.start + last
    strip.extrapolation = "HOLD"
