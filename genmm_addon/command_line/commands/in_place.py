# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that edit an action in place, and write the file: `fill`, `continue`, `natural`, `reach` and others."""

import argparse
from dataclasses import replace
from functools import partial

import bpy
import numpy as np
from bpy.types import Action

from ...animation.bone_places import PLACES
from ...animation.reading.example_spec import ExampleSpec
from ...animation.scene_time import scene_rate
from ...control_rigs.ground_in_action import ActionForGround, put_action_on_ground
from ...control_rigs.reach_in_action import reach_in_action
from ...core import InputError, counted
from ...core.infill import Timing
from ...core.repair import FlawKind, KeptInFlight
from ...editing.coarse_keys import CoarseSpacing, make_coarse, make_full
from ...editing.filling.blocking import FEW_KEYS, fill_between_poses, poses_of
from ...editing.filling.continuing import ContinueFrom, ContinueRequest, connect_action, continue_action
from ...editing.filling.filling import FillRequest, fill_range
from ...editing.filling.trajectories import find_trajectories, take_trajectory
from ...editing.naturalizing import NaturalRequest, make_natural
from ...editing.repairing.reading import FoundFlaw, RepairRequest
from ...editing.repairing.repairing import flaws_work, repair_work
from ...editing.transforming.work import done_at_once
from ...files.asset_catalogs import catalog_path, ensure_catalog
from ...libraries.assets import mark_as_asset, preview_of_action
from ...state.properties import readable_settings
from ..console import Console
from ..errors import WrongOption, wrong_for_any_input
from ..inputs.directions import ground_of
from ..inputs.opening import Opened
from ..inputs.other_actions import other_actions
from ..outputs.exports import check_kind
from .each_input import for_each_input
from .edited_file import EditedFile, open_edited, progress_said


@for_each_input(lambda options: not options.list_ways)
def fill(options: argparse.Namespace, console: Console) -> int:
    """Fill the gaps, write the file and return the exit status. Raises InputError, and Failed if writing fails."""
    file = open_edited(options, console)
    if options.list_ways or options.way is not None:
        _check_ways(options)
    if options.list_ways:
        return _list_ways(file)
    return file.write(_between_poses(file)) if options.blocking else _in_range(file)


def _in_range(file: EditedFile) -> int:
    options = file.options
    first, last = options.frames
    request = FillRequest(first, last, options.alternative, Timing[options.timing.upper()])
    if options.duration is not None:
        request = replace(request, timing=Timing.DURATION, duration=options.duration)
    request = replace(request, moves_following=options.move_following)
    task = file.stretch_task([(first, last)])
    filled = fill_range(task, request) if options.way is None else take_trajectory(task, request, options.way)
    notes = filled.notes
    if filled.number < options.alternative:
        notes += (f"Only {counted(filled.number, 'distinct alternative')} exist; using the last one.",)
    return file.write(f'Frames {filled.first:g} to {filled.last:g} filled from "{filled.source}".', notes)


def _check_ways(options: argparse.Namespace) -> None:
    """Raise InputError for options that cannot be combined with trajectories."""
    if options.blocking:
        raise WrongOption("--list-ways and --way need --range; fill the gaps between poses one at a time.")
    if options.timing != "range" or options.duration is not None or options.alternative != 1:
        raise WrongOption("A trajectory determines the duration; leave out --timing, --duration and --alternative.")


def _list_ways(file: EditedFile) -> int:
    first, last = file.options.frames
    request = FillRequest(first, last, moves_following=file.options.move_following)
    ways = find_trajectories(file.stretch_task([(first, last)]), request)
    rows = [
        {
            "way": number,
            "names": [name.value for name in way.trajectory.names],
            "frames": way.trajectory.frames,
            "length": round(way.trajectory.length, 4),
            "width": round(way.trajectory.width, 4),
            "recorded_seconds": round(way.trajectory.seconds, 3),
            "source": way.source,
            "points": np.round(way.points, 4).tolist(),
        }
        for number, way in enumerate(ways, 1)
    ]
    lines = [
        f"{row['way']:3} {way.trajectory.said:24} {row['frames']:4} frames  {row['length']:8.3f} long  "
        f'{row["width"]:7.3f} wide  from "{way.source}"'
        for row, way in zip(rows, ways, strict=True)
    ]
    file.console.answer("\n".join(lines), "way", rows, {"ways": rows})
    return 0


def _between_poses(file: EditedFile) -> str:
    times = poses_of(file.opened.armature, file.action, file.slot)
    task = file.stretch_task([(float(times[0]), float(times[-1]))])
    filled = fill_between_poses(task, None if file.options.every_frame else FEW_KEYS)
    return f"{counted(filled.gaps, 'gap')} between {counted(filled.poses, 'pose')} filled."


@for_each_input()
def go_on(options: argparse.Namespace, console: Console) -> int:
    """Continue the action, write the file and return the exit status. Raises InputError and Failed."""
    file = open_edited(options, console)
    return _connected(file) if options.connect else _continued(file)


def _continued(file: EditedFile) -> int:
    options = file.options
    start = ContinueFrom.LAST_KEY if options.start is None else ContinueFrom.PLAYHEAD
    if options.start == "first":
        start = ContinueFrom.FIRST_KEY
    frame = options.start if isinstance(options.start, float) else 1.0
    request = ContinueRequest(start, options.frames, frame, options.alternative, options.blend)
    made = continue_action(file.stretch_task(), request)
    return file.write(f'Frames {made.first:g} to {made.last:g} added from "{made.source}".', made.notes)


def _connected(file: EditedFile) -> int:
    slide = round(scene_rate(bpy.context.scene)) if file.options.slide is None else file.options.slide
    task = file.stretch_task()
    with other_actions([file.options.connect]) as (other,):
        following = _following(file.opened, other)
        name = following.name
        made = connect_action(task, following, slide)
    said = f'Frames {made.first:g} to {made.last:g} lead to "{name}", taken from "{made.source}".'
    return file.write(said, made.notes)


def _following(opened: Opened, other: ExampleSpec) -> Action:
    """Return an action of this file or another one. Raises InputError if its bones are different."""
    ours = {bone.name for bone in opened.armature.data.bones}
    if other.armature is not None and ours != {bone.name for bone in other.armature.data.bones}:
        raise InputError(
            f'"{other.armature.name}" has different bones from "{opened.armature.name}"; use one with the same bones, '
            "or build a library of both."
        )
    if other.action is None:
        raise InputError("The other file has no action; use a file with a motion.")
    return other.action


@for_each_input()
def natural(options: argparse.Namespace, console: Console) -> int:
    """Edit the action, write the file and return the exit status. Raises InputError, and Failed if writing fails."""
    file = open_edited(options, console)
    scene, character = bpy.context.scene, file.opened.armature
    if options.coarse is not None:
        if options.output.suffix.lower() != ".blend":
            raise WrongOption(
                "Only a .blend file can store coarse keys and their original; use that ending for --output."
            )
        spacing = CoarseSpacing.POSES if options.poses else CoarseSpacing.EVEN
        written = make_coarse(character, scene, spacing, options.coarse)
        said = f'"{written.name}" has coarse keys of "{file.action.name}", which is unchanged.'
        return file.write(said, action=written)
    if options.full:
        full = make_full(character, scene)
        return file.write(f'"{full.action.name}" passes through {counted(full.keys, "pose")}.', action=full.action)
    first, last = options.frames
    made = make_natural(file.stretch_task([(first, last)]), NaturalRequest(first, last, options.strength))
    return file.write(f"Frames {made.first:g} to {made.last:g} now follow the examples.", made.notes)


@for_each_input()
def ground(options: argparse.Namespace, console: Console) -> int:
    """Put the feet on the ground, write the file and return the exit status. Raises InputError and Failed."""
    file = open_edited(options, console)
    character, scene = file.opened.armature, bpy.context.scene
    chosen = readable_settings(character, scene).ground_object
    if options.ground is not None:
        chosen = ground_of(options.ground, character)
    if chosen is None:
        raise InputError("No ground is chosen; set an object or a file with --ground.")
    done = put_action_on_ground(ActionForGround(character, scene, file.action, file.slot, chosen), options.frames)
    said = f'Frames {done.first:g} to {done.last:g} stand on "{chosen.name}".'
    return file.write(said, done.notes)


@for_each_input()
def reach(options: argparse.Namespace, console: Console) -> int:
    """Make the bones reach their targets, write the file and return the exit status. Raises InputError and Failed."""
    file = open_edited(options, console)
    character, scene = file.opened.armature, bpy.context.scene
    text = options.reaches if options.reaches else readable_settings(character, scene).reaches
    with wrong_for_any_input():
        places = PLACES.parse(text)
    made = reach_in_action(character, scene, file.action, file.slot, places)
    said = f"{counted(made.bones, 'bone')} moved to targets; frames {made.first:g} to {made.last:g} changed."
    return file.write(said, made.notes)


@for_each_input(lambda options: not options.only_list)
def repair(options: argparse.Namespace, console: Console) -> int:
    """Repair the action, write the file and return the exit status. Raises InputError, and Failed if writing fails."""
    file = open_edited(options, console)
    kinds = frozenset(FlawKind[kind] for kind in options.kinds)
    kept = KeptInFlight(options.flights_keep.upper())
    request = RepairRequest(options.frames, options.bones, kinds, options.everything, options.strength, kept=kept)
    work = flaws_work if options.only_list else repair_work
    # A list is printed without progress before it.
    progress = None if options.only_list else progress_said(console, "repaired")
    outcome = done_at_once(partial(work, file.task(file.clips()), request), progress)
    for note in outcome.notes:
        console.note(note)
    for flaw in outcome.flaws:
        console.answer(_line(flaw), "flaw", [_values(flaw)], {"event": "flaw", **_values(flaw)})
    if options.only_list:
        console.end(f"{counted(len(outcome.flaws), 'flaw')} found; nothing was written.")
        return 0
    return file.write(f"{counted(len(outcome.flaws), 'flaw')} repaired.")


def _line(flaw: FoundFlaw) -> str:
    frames = f"{flaw.first:g}" if flaw.first == flaw.last else f"{flaw.first:g}-{flaw.last:g}"
    what = flaw.amount_text(flaw.bones) or ", ".join(flaw.bones)
    return f"{flaw.kind.value.lower()} {frames} {what}, moved by up to {flaw.change:.3g}"


def _values(flaw: FoundFlaw) -> dict[str, object]:
    return {
        "kind": flaw.kind.value.lower(),
        "first": flaw.first,
        "last": flaw.last,
        "bones": list(flaw.bones),
        "change": flaw.change,
        "amount": flaw.amount,
    }


def asset(options: argparse.Namespace, console: Console) -> int:
    """Mark the action, write the file and return the exit status. Raises InputError, and Failed if writing fails.

    The catalog is stored in the folder of the output.
    """
    check_kind(options.output, (".blend",))
    file = open_edited(options, console)
    preview = preview_of_action(file.opened.armature, file.action, file.slot, bpy.context.scene)
    catalog = ensure_catalog(options.output, options.catalog) if options.catalog else ""
    tags = [tag.strip() for tag in options.tags.split(",") if tag.strip()]
    mark_as_asset(file.action, preview, catalog=catalog, tags=tags)
    where = f' in the catalog "{catalog_path(options.catalog)}"' if options.catalog else ""
    return file.write(f'"{file.action.name}" is an asset{where}.')
