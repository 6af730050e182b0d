# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing of syntheses as results in the file, all of one press as one batch."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

import numpy as np
from bpy.types import Context, Object

from ..animation.actions import assign, assigned
from ..animation.bone_places import PLACES
from ..animation.keys.simplification import Simplification
from ..animation.mesh_channels.blocks import NO_BLOCKS, MeshBlocks
from ..animation.mesh_channels.reading import MeshReading
from ..animation.mesh_channels.writing import MeshAction, write_mesh_channels
from ..animation.reading.evaluation import at_frame
from ..animation.reading.example_spec import fixed_frame, used_examples
from ..animation.reading.examples import Reading
from ..animation.stretches.simplifying import simplify_stretches
from ..animation.writing import Written, write_action
from ..character import tags
from ..character.belongings import mesh_blocks, objects_of_character
from ..character.naming import action_name, base_name
from ..character.placement import FreeGround, Offset
from ..character.results_collection import remove_made
from ..control_rigs.ground_in_action import ActionForGround, put_new_action_on_ground
from ..control_rigs.reach_in_action import reach_in_action
from ..control_rigs.root_motion.putting import put_on_root
from ..core import Constraints, Motion, Part, Synthesis
from ..core.constraints import course_of
from ..core.feet import move_root
from . import outputs
from .meshes import add_mesh_strips, mesh_values, on_playable, play_instead, play_on_copy
from .recipe import recipe_from_request, store
from .request import Output, Request
from .results import Result, results_muted
from .sources import SourceExample, only_shown, sources_of_synthesis, store_sources

Places = tuple[Offset, ...]


@dataclass(frozen=True, eq=False)
class WriteContext:
    """The results of one press of Generate while they are written.

    examples: the examples as they were used. parts: the parts of each synthesis, None for the whole body; part_names:
    their names. meshes: the values of the character's meshes in the examples. stands: the results have a fixed place in
    the world. places: where they stand if that is free, as world offsets; otherwise a result gets the nearest free
    place. frame_start: the scene frame at which they begin. undoing: a stack that undoes the writing, should a later
    step fail. grounded: the directions of results that are put on the ground after they are written; None for others.
    reached: bones are brought to the request's places after the results are written.
    """

    context: Context
    request: Request
    reading: Reading
    examples: tuple[SourceExample, ...]
    part_names: tuple[str, ...]
    stands: bool
    frame_start: float
    batch: str
    undoing: ExitStack
    places: Places = ()
    meshes: MeshReading = field(default_factory=MeshReading)
    parts: tuple[Part, ...] | None = None
    grounded: Constraints | None = None
    reached: bool = False

    @property
    def is_edited(self) -> bool:
        """Return whether results are changed through their rig's controls after they are written."""
        return self.grounded is not None or self.reached

    @property
    def simplification(self) -> Simplification | None:
        """Return the precision of simplified keys; None for a key on every frame."""
        return self.request.key_precision(self.context.scene)


def write_results(writing: WriteContext, syntheses: Sequence[Synthesis]) -> list[Result]:
    """Write one result for each synthesis, to the request's output."""
    onto_copies = writing.request.output is Output.NEW_CHARACTER
    results = (_write_characters if onto_copies else _write_onto_character)(writing, syntheses)
    if writing.is_edited:
        pairs = list(zip(results, syntheses, strict=True))
        results = [_edited(writing, result, synthesis) for result, synthesis in pairs]
    if writing.request.root_motion:
        for number, result in enumerate(results, 1):
            _put_on_root(writing, result, number)
    return results


def _edited(writing: WriteContext, result: Result, synthesis: Synthesis) -> Result:
    """Put a result's feet on the ground and its bones at their places, through its character's controls."""
    request, scene = writing.request, writing.context.scene
    played = result.object, scene, result.action, result.slot
    notes: tuple[str, ...] = ()
    writing.context.view_layer.update()  # updates the world matrix of a new character
    with results_muted(result.object):
        if writing.grounded is not None:
            assert request.ground is not None
            course = course_of(writing.grounded, synthesis.rise)
            settings = request.settings
            asked = ActionForGround(*played, request.ground.ground, settings.feet, settings.root)
            notes = put_new_action_on_ground(asked, course)
        if writing.reached:
            notes += reach_in_action(*played, PLACES.parse(request.reaches)).notes
    if writing.simplification is not None:
        frames = writing.frame_start, writing.frame_start + synthesis.motion.frames - 1
        simplify_stretches(result.object, result.action, writing.simplification, [frames], result.slot)
    return replace(result, notes=tuple(dict.fromkeys((*result.notes, *notes))))


def _on_flat_ground(synthesis: Synthesis) -> Motion:
    """Return the motion of a synthesis without the heights of its path."""
    if synthesis.rise is None:
        return synthesis.motion
    skeleton = synthesis.motion.skeleton
    root = skeleton.names.index(synthesis.root)
    return move_root(synthesis.motion, root, -synthesis.rise[:, None] * np.array(skeleton.up))


def _put_on_root(writing: WriteContext, result: Result, number: int) -> None:
    """Move a result's travel to the root bone of its character."""
    bone, scene = writing.request.root_motion_bone, writing.context.scene
    with results_muted(result.object):  # other results would move the bone while it has no keys
        done = put_on_root(result.object, scene, result.action, result.slot, name=bone, undoing=writing.undoing)
    if done.is_made and writing.request.output is Output.NEW_CHARACTER:
        tags.mark(result.object.data, _tag(writing, number, tags.PIECE))


def _write_characters(writing: WriteContext, syntheses: Sequence[Synthesis]) -> list[Result]:
    """Write a new character for each synthesis."""
    results = []
    armature = writing.request.armature
    ground = None if writing.stands else _free_ground(writing)
    blocks = _blocks(writing)
    animated = [blocks[block.address].block for block in writing.meshes.blocks]
    at = fixed_frame(armature, writing.request.examples, writing.context.scene)
    for number, synthesis in enumerate(syntheses, 1):
        preferred = writing.places[number - 1] if number <= len(writing.places) else None
        place = None if ground is None else ground.place(synthesis.motion, preferred)
        with at_frame(armature, writing.context.scene, at):  # where channels without keys were read
            copy = outputs.new_character(
                writing.context, armature, writing.reading.keyed, writing.undoing, place, animated
            )
        written = _write_action(writing, synthesis, number, copy.armature)
        assign(copy.armature, written.action, written.slot)
        play_on_copy(blocks, copy.copies, _write_meshes(writing, synthesis, number, written))
        if writing.reading.visual:
            outputs.mute_pose_makers(copy.armature, writing.undoing)
        for block in copy.made:
            role = tags.CHARACTER if block == copy.armature else tags.PIECE
            tags.mark(block, _tag(writing, number, role))
        store(copy.armature, recipe_from_request(writing.request, writing.request.seeds[number - 1]))
        result = _result(writing, written, number, copy.armature, copy.notes)
        results.append(result if place is None else replace(result, place=place.offset))
    return results


def _free_ground(writing: WriteContext) -> FreeGround:
    """Return the free ground around the character, which plays one of its examples, or else might play any of them."""
    armature = writing.request.armature
    active = assigned(armature)
    # Clips of a library are not examples of the request, and the character does not play them.
    pairs = list(zip(used_examples(writing.request.examples), writing.reading.motions, strict=False))
    played = [motion for example, motion in pairs if active is not None and example.spec.action == active[0]]
    objects = objects_of_character(armature, writing.context.scene)
    return FreeGround(writing.context.scene, armature, objects, played or list(writing.reading.motions))


def _write_onto_character(writing: WriteContext, syntheses: Sequence[Synthesis]) -> list[Result]:
    """Write an action or NLA strip of the character itself for each synthesis; the first plays."""
    armature = writing.request.armature
    notes, remarks = _make_way(writing)
    blocks = _blocks(writing)
    results = []
    for number, synthesis in enumerate(syntheses, 1):
        written = _write_action(writing, synthesis, number, armature)
        meshes, fixed = on_playable(blocks, _write_meshes(writing, synthesis, number, written))
        notes = tuple(dict.fromkeys((*notes, *fixed)))
        if writing.request.output is Output.NLA_STRIP:
            tracks = [outputs.add_strip(armature, written.action, written.slot, writing.undoing)]
            tracks += add_mesh_strips(blocks, meshes, writing.undoing)
            for track in tracks:
                track.mute = number > 1
                if synthesis.loop is not None and synthesis.loop.closes:
                    outputs.repeat_strip(track.strips[0], writing.context.scene.frame_end)
        else:
            # Without a fake user, all but the one that plays would be lost on saving.
            for action in (written.action, *(mesh.action for mesh in meshes)):
                action.use_fake_user = True
            if number == 1:
                before = assigned(armature)
                remarks += outputs.assign_new(armature, written, writing.undoing, alone=writing.reading.visual)
                remarks += play_instead(blocks, meshes, writing.undoing, before[0] if before else None)
        results.append(_result(writing, written, number, armature))
    return [replace(results[0], notes=notes, remarks=remarks), *results[1:]]


def _make_way(writing: WriteContext) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Mute or push down what would hide or spoil the result on the character itself; return notes and remarks."""
    armature = writing.request.armature
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    if armature.animation_data is None:
        writing.undoing.callback(armature.animation_data_clear)
    if writing.request.output is Output.NLA_STRIP:
        remarks = outputs.push_down(armature, writing.undoing)
    muted = outputs.mute_pose_makers(armature, writing.undoing) if writing.reading.visual else 0
    if muted:
        notes = (f'Constraints and drivers of "{armature.name}" were muted ({muted}): the keys hold their pose.',)
    return notes, remarks


def _write_action(writing: WriteContext, synthesis: Synthesis, number: int, owner: Object) -> Written:
    seed = writing.request.seeds[number - 1]
    written = write_action(
        synthesis.motion if writing.grounded is None else _on_flat_ground(synthesis),
        writing.reading.keyed,
        owner,
        name=action_name(_source_name(writing.request)),
        frame_start=writing.frame_start,
        tolerance=writing.request.tolerance,
        simplification=None if writing.is_edited else writing.simplification,
        cyclic=synthesis.loop is not None and synthesis.loop.closes,
    )
    writing.undoing.callback(remove_made, writing.context.scene, [written.action])
    tags.mark(written.action, _tag(writing, number, tags.ACTION))
    store(written.action, recipe_from_request(writing.request, seed))
    sources = sources_of_synthesis(synthesis, writing.part_names, writing.examples, writing.frame_start)
    store_sources(written.action, sources if writing.request.library is None else only_shown(sources))
    return written


def _blocks(writing: WriteContext) -> MeshBlocks:
    """Return the data-blocks of the character's meshes, where any of them is animated."""
    return mesh_blocks(writing.request.armature, writing.context.scene) if writing.meshes.blocks else NO_BLOCKS


def _write_meshes(writing: WriteContext, synthesis: Synthesis, number: int, written: Written) -> list[MeshAction]:
    """Write the meshes' values at the example frames that the motion shows."""
    if not writing.meshes.blocks:
        return []
    steps = np.array([example.step for example in writing.examples])
    mesh_actions = write_mesh_channels(
        written,
        writing.meshes.blocks,
        mesh_values(writing.meshes, synthesis, writing.parts, steps),
        frame_start=writing.frame_start,
        tolerance=writing.request.tolerance,
        simplification=writing.simplification,
        cyclic=synthesis.loop is not None and synthesis.loop.closes,
    )
    separate = [mesh.action for mesh in mesh_actions if mesh.action != written.action]
    writing.undoing.callback(remove_made, writing.context.scene, list(separate))
    for action in separate:
        tags.mark(action, _tag(writing, number, tags.MESH_ACTION))
    return mesh_actions


def _source_name(request: Request) -> str:
    """Return the name that a result is named after: the first example action's, or else the character's."""
    actions = [example.action for example in request.examples if example.action is not None]
    return str(actions[0].name) if actions else base_name(request.armature)


def _tag(writing: WriteContext, number: int, role: str) -> tags.Tag:
    seed = writing.request.seeds[number - 1]
    return tags.Tag(writing.batch, number, seed, writing.request.output.value, role)


def _result(writing: WriteContext, written: Written, number: int, owner: Object, notes: tuple[str, ...] = ()) -> Result:
    seed = writing.request.seeds[number - 1]
    return Result(owner, written.action, written.slot, seed, writing.batch, writing.request.output, notes)


def notes_on_sameness(syntheses: Sequence[Synthesis]) -> tuple[str, ...]:
    """Return a note where variations show the same frames of the examples at the same time."""
    first_with: dict[bytes, int] = {}
    for number, synthesis in enumerate(syntheses, start=1):
        before = first_with.setdefault(synthesis.source_frames.tobytes() + synthesis.source_examples.tobytes(), number)
        if before != number:
            return (
                f"Variations {before} and {number} are the same motion: a result this short has few ways through its "
                "examples; make it longer, or use more examples.",
            )
    return ()


def notes_on_showing(request: Request) -> tuple[str, ...]:
    """Return a note where the character does not show its motion."""
    if request.armature.data.pose_position == "REST":
        return (f'"{request.armature.name}" is shown in Rest Position; switch to Pose Position to see the motion.',)
    return ()
