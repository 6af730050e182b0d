# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm fill`: puts new motion between poses of an action, in place, and writes the file."""

import argparse
from dataclasses import replace

import numpy as np

from ...core import InputError, counted
from ...core.infill import Timing
from ...editing.filling.blocking import FEW_KEYS, fill_between_poses, poses_of
from ...editing.filling.filling import FillRequest, fill_range
from ...editing.filling.trajectories import find_trajectories, take_trajectory
from ..console import Console
from .each_input import for_each_input
from .edited_file import EditedFile, open_edited


@for_each_input(lambda options: not options.list_ways)
def fill(options: argparse.Namespace, console: Console) -> int:
    """Fill the gaps, write the file and return the exit status. Raises InputError, and Failed if writing fails."""
    file = open_edited(options, console)
    if options.list_ways or options.way is not None:
        _check_ways(options)
    if options.list_ways:
        return _list_ways(file)
    return file.write(_between_poses(file) if options.blocking else _in_range(file))


def _in_range(file: EditedFile) -> str:
    options = file.options
    first, last = options.frames
    request = FillRequest(first, last, options.alternative, Timing[options.timing.upper()])
    if options.duration is not None:
        request = replace(request, timing=Timing.DURATION, duration=options.duration)
    request = replace(request, moves_following=options.move_following)
    task = file.stretch_task([(first, last)])
    filled = fill_range(task, request) if options.way is None else take_trajectory(task, request, options.way)
    for note in filled.notes:
        file.console.note(note)
    if filled.number < options.alternative:
        file.console.note(f"Only {counted(filled.number, 'distinct alternative')} exist; using the last one.")
    return f'Frames {filled.first:g} to {filled.last:g} filled from "{filled.source}".'


def _check_ways(options: argparse.Namespace) -> None:
    """Raise InputError for options that cannot be combined with trajectories."""
    if options.blocking:
        raise InputError("--list-ways and --way need --range; fill the gaps between poses one at a time.")
    if options.timing != "range" or options.duration is not None or options.alternative != 1:
        raise InputError("A trajectory determines the duration; leave out --timing, --duration and --alternative.")


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
