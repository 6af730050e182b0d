# SPDX-License-Identifier: GPL-3.0-or-later
"""From syntheses to results in the file: one press, written as one batch."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from bpy.types import Context, Object

from ..animation.actions import assign, assigned
from ..animation.reading.examples import Reading
from ..animation.writing import Written, write_action
from ..character import tags
from ..character.belongings import objects_of_character
from ..character.naming import action_name, base_name
from ..character.placement import FreeGround, Offset
from ..character.results_collection import remove_made
from ..core import Synthesis
from . import outputs
from .recipe import recipe_from_request, store
from .request import Output, Request
from .results import Result
from .sources import ShownExample, sources_of_synthesis, store_sources

Places = tuple[Offset, ...]


@dataclass(frozen=True, eq=False)
class Press:
    """One press of Generate while it is written.

    examples: what is learned from, as it was used. part_names: of the parts in each synthesis.
    stands: the results have their place in the world. places: where they stand if that is free, as offsets in the
    world; without one a result gets the nearest free place. frame_start: the scene frame they begin at.
    undoing: takes back what was done, should a later step fail.
    """

    context: Context
    request: Request
    reading: Reading
    examples: tuple[ShownExample, ...]
    part_names: tuple[str, ...]
    stands: bool
    frame_start: float
    batch: str
    undoing: ExitStack
    places: Places = ()


def write_results(press: Press, syntheses: Sequence[Synthesis]) -> list[Result]:
    """One result for each synthesis, as the press's request wants it."""
    if press.request.output is Output.NEW_CHARACTER:
        return _write_characters(press, syntheses)
    return _write_onto_character(press, syntheses)


def _write_characters(press: Press, syntheses: Sequence[Synthesis]) -> list[Result]:
    """A new character for each synthesis."""
    results = []
    armature = press.request.armature
    ground = None if press.stands else _free_ground(press)
    for number, synthesis in enumerate(syntheses, 1):
        wanted = press.places[number - 1] if number <= len(press.places) else None
        place = None if ground is None else ground.place(synthesis.motion, wanted)
        copy = outputs.new_character(press.context, armature, press.reading.keyed, press.undoing, place)
        written = _write_action(press, synthesis, number, copy.armature)
        assign(copy.armature, written.action, written.slot)
        if press.reading.visual:
            outputs.mute_pose_makers(copy.armature, press.undoing)
        for block in copy.made:
            role = tags.CHARACTER if block == copy.armature else tags.PIECE
            tags.mark(block, _tag(press, number, role))
        store(copy.armature, recipe_from_request(press.request, press.request.seeds[number - 1]))
        result = _result(press, written, number, copy.armature, copy.notes)
        results.append(result if place is None else replace(result, place=place.offset))
    return results


def _free_ground(press: Press) -> FreeGround:
    """What is free around the character, which plays one of its examples, or else may play any of them."""
    armature = press.request.armature
    active = assigned(armature)
    pairs = list(zip(press.request.examples, press.reading.motions, strict=True))
    played = [motion for example, motion in pairs if active is not None and example.action == active[0]]
    objects = objects_of_character(armature, press.context.scene)
    return FreeGround(press.context.scene, armature, objects, played or list(press.reading.motions))


def _write_onto_character(press: Press, syntheses: Sequence[Synthesis]) -> list[Result]:
    """An action, or an NLA strip, of the character itself for each synthesis; the first plays."""
    armature = press.request.armature
    notes, remarks = _make_way(press)
    results = []
    for number, synthesis in enumerate(syntheses, 1):
        written = _write_action(press, synthesis, number, armature)
        if press.request.output is Output.NLA_STRIP:
            track = outputs.add_strip(armature, written.action, written.slot, press.undoing)
            track.mute = number > 1
            if synthesis.loop is not None and synthesis.loop.closes:
                outputs.repeat_strip(track.strips[0], press.context.scene.frame_end)
        else:
            # All but the one that plays would be gone after saving.
            written.action.use_fake_user = True
            if number == 1:
                remarks += outputs.assign_new(armature, written, press.undoing)
        results.append(_result(press, written, number, armature))
    return [replace(results[0], notes=notes, remarks=remarks), *results[1:]]


def _make_way(press: Press) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Put out of the way on the character itself what would hide or spoil the result; notes and remarks on it."""
    armature = press.request.armature
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    if armature.animation_data is None:
        press.undoing.callback(armature.animation_data_clear)
    if press.request.output is Output.NLA_STRIP:
        remarks = outputs.push_down(armature, press.undoing)
    muted = outputs.mute_pose_makers(armature, press.undoing) if press.reading.visual else 0
    if muted:
        notes = (f'Constraints and drivers of "{armature.name}" were muted ({muted}): the keys hold their pose.',)
    return notes, remarks


def _write_action(press: Press, synthesis: Synthesis, number: int, owner: Object) -> Written:
    seed = press.request.seeds[number - 1]
    written = write_action(
        synthesis.motion,
        press.reading.keyed,
        owner,
        name=action_name(_source_name(press.request)),
        frame_start=press.frame_start,
        tolerance=press.request.tolerance,
        cyclic=synthesis.loop is not None and synthesis.loop.closes,
    )
    press.undoing.callback(remove_made, press.context.scene, [written.action])
    tags.mark(written.action, _tag(press, number, tags.ACTION))
    store(written.action, recipe_from_request(press.request, seed))
    store_sources(written.action, sources_of_synthesis(synthesis, press.part_names, press.examples, press.frame_start))
    return written


def _source_name(request: Request) -> str:
    """What a result is named after: the first action that is learned from, else the character."""
    actions = [example.action for example in request.examples if example.action is not None]
    return str(actions[0].name) if actions else base_name(request.armature)


def _tag(press: Press, number: int, role: str) -> tags.Tag:
    seed = press.request.seeds[number - 1]
    return tags.Tag(press.batch, number, seed, press.request.output.value, role)


def _result(press: Press, written: Written, number: int, owner: Object, notes: tuple[str, ...] = ()) -> Result:
    seed = press.request.seeds[number - 1]
    return Result(owner, written.action, written.slot, seed, press.batch, press.request.output, notes)
