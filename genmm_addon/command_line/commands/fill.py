# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm fill`: puts new motion between poses of an action, in place, and writes the file."""

import argparse
from dataclasses import replace

import bpy
import numpy as np
from bpy.types import Action

from ...core import InputError, counted
from ...core.infill import Timing
from ...editing.filling.blocking import FEW_KEYS, fill_between_poses, poses_of
from ...editing.filling.filling import FillRequest, fill_range
from ...editing.filling.trajectories import find_trajectories, take_trajectory
from ...libraries.choosing import LibraryChoice
from ...requests.stretch_examples import stretch_examples
from ..console import Console
from ..inputs.opening import Opened
from .each_input import for_each_input
from .edited_file import library_of, open_edited, write_edited


@for_each_input(lambda options: not options.list_ways)
def fill(options: argparse.Namespace, console: Console) -> int:
    """Fill the gaps, write the file and return the exit status. Raises InputError, and Failed if writing fails."""
    opened, action, slot = open_edited(options, console)
    library = library_of(options)
    if options.list_ways or options.way is not None:
        _check_ways(options)
    if options.list_ways:
        return _list_ways(options, opened, action, slot, library, console)
    said = _between_poses(options, opened, action, slot, library) if options.blocking else ""
    if not options.blocking:
        said = _in_range(options, opened, action, slot, library, console)
    return write_edited(options, opened, action, console, said)


def _in_range(
    options: argparse.Namespace,
    opened: Opened,
    action: Action,
    slot: str,
    library: LibraryChoice | None,
    console: Console,
) -> str:
    first, last = options.frames
    request = FillRequest(first, last, options.alternative, Timing[options.timing.upper()])
    if options.duration is not None:
        request = replace(request, timing=Timing.DURATION, duration=options.duration)
    request = replace(request, moves_following=options.move_following)
    scene = bpy.context.scene
    examples = stretch_examples(opened.armature, scene, action, [(first, last)], library)
    if options.way is None:
        filled = fill_range(opened.armature, scene, action, slot, examples, request)
    else:
        filled = take_trajectory(opened.armature, scene, action, slot, examples, request, options.way)
    for note in filled.notes:
        console.note(note)
    if filled.number < options.alternative:
        console.note(f"Only {counted(filled.number, 'distinct alternative')} exist; using the last one.")
    return f'Frames {filled.first:g} to {filled.last:g} filled from "{filled.source}".'


def _check_ways(options: argparse.Namespace) -> None:
    """Raise InputError for options that cannot be combined with trajectories."""
    if options.blocking:
        raise InputError("--list-ways and --way need --range; fill the gaps between poses one at a time.")
    if options.timing != "range" or options.duration is not None or options.alternative != 1:
        raise InputError("A trajectory determines the duration; leave out --timing, --duration and --alternative.")


def _list_ways(
    options: argparse.Namespace,
    opened: Opened,
    action: Action,
    slot: str,
    library: LibraryChoice | None,
    console: Console,
) -> int:
    first, last = options.frames
    scene = bpy.context.scene
    examples = stretch_examples(opened.armature, scene, action, [(first, last)], library)
    request = FillRequest(first, last, moves_following=options.move_following)
    ways = find_trajectories(opened.armature, scene, action, slot, examples, request)
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
    console.answer("\n".join(lines), "way", rows, {"ways": rows})
    return 0


def _between_poses(
    options: argparse.Namespace, opened: Opened, action: Action, slot: str, library: LibraryChoice | None
) -> str:
    times = poses_of(opened.armature, action, slot)
    scene = bpy.context.scene
    replaced = [(float(times[0]), float(times[-1]))]
    examples = stretch_examples(opened.armature, scene, action, replaced, library)
    in_betweens = None if options.every_frame else FEW_KEYS
    filled = fill_between_poses(opened.armature, scene, action, slot, examples, in_betweens)
    return f"{counted(filled.gaps, 'gap')} between {counted(filled.poses, 'pose')} filled."
