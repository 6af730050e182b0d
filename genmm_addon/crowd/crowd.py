# SPDX-License-Identifier: GPL-3.0-or-later
"""A crowd made from a request: read, computed with arrays only, and written in steps."""

import math
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np
from bpy.types import ID, Action, Collection, Context, Object
from mathutils import Matrix

from ..animation.actions import has_slots
from ..animation.mesh_channels.blocks import NO_BLOCKS, BlockAddress, MeshBlocks
from ..animation.mesh_channels.playing import play_alone
from ..animation.mesh_channels.writing import MeshAction, write_mesh_channels
from ..animation.scene_time import first_frame
from ..animation.writing import Written, write_action
from ..character.belongings import is_carried, mesh_blocks, objects_of_character
from ..character.character import duplicate
from ..character.copying import copy_objects
from ..character.local_view import show_in_local_view
from ..character.naming import base_name, named
from ..character.redirect import drivers_of
from ..character.results_collection import remove_made
from ..character.skin import read_skin
from ..character.standing import lead_by, taken_channels
from ..core import Float64, InputError, Loop, Progress, Synthesis, computing, report_progress
from ..generation.generate import SceneReading, compute, prepare_reading
from ..generation.meshes import mesh_values
from ..generation.outputs import object_channels
from ..generation.recipe import recipe_from_request, store
from ..generation.records.conversions import seeds_of
from ..generation.request import Request
from .arrangement import Arranged, CrowdReading, arrange_shared
from .request import CrowdRequest
from .trails import read_ground


@dataclass(frozen=True, eq=False)
class CrowdTask:
    """A crowd to make, as read. request: the original request, for one character. stage: where the agents stand."""

    request: Request
    crowd: CrowdRequest
    reading: SceneReading
    stage: CrowdReading

    @property
    def clips(self) -> Request:
        """Return the request for the motions that the agents share; a loop is shown completely and repeated.

        Others are longer than what is visible, by the requested length, so that agents can show different parts.
        """
        count = min(self.crowd.clips, self.crowd.agents)
        frames = self.request.frames
        frames += self.stage.visible_frames if self.request.loop is Loop.OFF else 0
        return replace(self.request, frames=frames, seeds=seeds_of(self.crowd.seed, count))


@dataclass(frozen=True, eq=False)
class ComputedCrowd:
    """The motions of a crowd, and its arrangement."""

    syntheses: list[Synthesis]
    arranged: Arranged


@dataclass(frozen=True, eq=False)
class Crowd:
    """A crowd in the file. clips: number of motions that its agents share. spacing: None if the layout has none."""

    collection: Collection
    agents: int
    clips: int
    spacing: float | None
    notes: tuple[str, ...]


def read_crowd(context: Context, request: Request, crowd: CrowdRequest, reading: SceneReading) -> CrowdTask:
    """Read the ground on which the crowd will stand, and the number of visible frames of its motions.

    Raises InputError if the motions have a fixed place in the world, since each agent has its own, and for a layout
    without room to stand.
    """
    if request.ground is not None:
        raise InputError("Crowds need flat ground; disable Ground.")
    if request.root_motion:
        raise InputError("Characters of a crowd share motions and cannot have root motion; disable Root Motion.")
    for constraint in reading.resolved.constraints:
        if constraint.why_not_in_crowds:
            raise InputError(constraint.why_not_in_crowds)
    if reading.resolved.stands:
        raise InputError(
            "A crowd determines the locations of its characters; disable the path, and pin poses without locations."
        )
    scene = context.scene
    start = first_frame(request.frame_start, scene)
    visible_frames = max(int(scene.frame_end - start) + 1, request.frames)
    first_joint = reading.reading.motions[0].skeleton.names[0]
    stage = CrowdReading(
        read_ground(crowd, request.armature, context, first_joint),
        read_skin(request.armature, objects_of_character(request.armature, scene), context),
        crowd.face,
        start,
        visible_frames,
        repeats=request.loop is not Loop.OFF,
    )
    return CrowdTask(request, crowd, reading, stage)


@computing()
def compute_crowd(task: CrowdTask, progress: Progress | None = None) -> ComputedCrowd:
    """Compute the motions and the arrangement, without access to Blender data, so that it may run in a thread.

    progress: as for `compute`. Raises InputError, or Cancelled.
    """
    clips, reading = task.clips, task.reading
    syntheses = compute(reading, clips, progress)
    arranged = arrange_shared(
        task.stage, reading, prepare_reading(reading, clips), syntheses, lambda: report_progress(progress, 1.0)
    )
    return ComputedCrowd(syntheses, arranged)


@computing()
def write_crowd(context: Context, task: CrowdTask, computed: ComputedCrowd) -> Crowd:
    """Write the clips and the agents that share them; on failure, remove everything that was created.

    Raises InputError if it cannot be written.
    """
    steps = crowd_written(context, task, computed)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            written: Crowd = end.value
            return written


def crowd_written(context: Context, task: CrowdTask, computed: ComputedCrowd) -> Generator[float, None, Crowd]:
    """Write a crowd as `write_crowd` does, in short steps that yield the share done; closing it early undoes them."""
    request, crowd, reading, stage = task.request, task.crowd, task.reading, task.stage
    arranged, syntheses = computed.arranged, computed.syntheses
    with ExitStack() as undoing:
        written: list[Written] = []
        meshes: list[tuple[MeshAction, ...]] = []
        for seed, synthesis in zip(task.clips.seeds, syntheses, strict=True):
            written.append(_clip(context, task, synthesis, seed, undoing))
            meshes.append(_mesh_clip(context, task, synthesis, written[-1], undoing))
            yield len(written) / (len(syntheses) + crowd.agents)
        showings = [
            Showing(written[clip], stage.start + phase, arranged.visible_frames, stage.start, meshes[clip])
            for clip, phase in zip(arranged.casting.clips.tolist(), arranged.casting.phases.tolist(), strict=True)
        ]
        keyed = {block.address for block in reading.meshes.blocks}
        every = mesh_blocks(request.armature, context.scene) if keyed else NO_BLOCKS
        blocks = {address: mesh for address, mesh in every.items() if address in keyed}
        animated = object_channels(reading.reading.keyed)
        agents = agents_made(context, request.armature, showings, arranged.matrices, animated, undoing, blocks)
        collection, left_out = yield from _scaled(agents, len(syntheses) / (len(syntheses) + crowd.agents))
        undoing.pop_all()
    notes = tuple(dict.fromkeys(note for synthesis in syntheses for note in synthesis.notes))
    notes = (*reading.notes, *notes, *arranged.notes, *left_out)
    return Crowd(collection, crowd.agents, len(syntheses), arranged.spacing, notes)


def _scaled(
    steps: Generator[float, None, tuple[Collection, tuple[str, ...]]], done: float
) -> Generator[float, None, tuple[Collection, tuple[str, ...]]]:
    """Yield the steps' shares as shares of the whole, of which `done` precedes them."""
    while True:
        try:
            yield done + (1 - done) * next(steps)
        except StopIteration as end:
            made: tuple[Collection, tuple[str, ...]] = end.value
            return made


def _clip(context: Context, task: CrowdTask, synthesis: Synthesis, seed: int, undoing: ExitStack) -> Written:
    """Write one of the shared motions."""
    request, reading, start = task.request, task.reading.reading, task.stage.start
    settled = replace(task.clips, frame_start=start, visual=reading.visual)
    clip = write_action(
        synthesis.motion,
        reading.keyed,
        request.armature,
        name=named(base_name(request.armature), f" Crowd {seed}"),
        frame_start=start,
        tolerance=request.tolerance,
        simplification=request.key_precision(context.scene),
        cyclic=synthesis.loop is not None,
    )
    undoing.callback(remove_made, context.scene, [clip.action])
    store(clip.action, recipe_from_request(settled, seed))
    return clip


def _mesh_clip(
    context: Context, task: CrowdTask, synthesis: Synthesis, clip: Written, undoing: ExitStack
) -> tuple[MeshAction, ...]:
    """Write the meshes' values for one of the shared motions."""
    request, reading = task.request, task.reading
    if not reading.meshes.blocks:
        return ()
    steps = np.array([motion.frames_per_second for motion in reading.reading.motions]) / reading.frames_per_second
    made = write_mesh_channels(
        clip,
        reading.meshes.blocks,
        mesh_values(reading.meshes, synthesis, reading.resolved.parts, steps),
        frame_start=task.stage.start,
        tolerance=request.tolerance,
        simplification=request.key_precision(context.scene),
        cyclic=synthesis.loop is not None,
    )
    undoing.callback(
        remove_made, context.scene, [mesh_action.action for mesh_action in made if mesh_action.action != clip.action]
    )
    return tuple(made)


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
    show_in_local_view(context, collection.objects)
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
