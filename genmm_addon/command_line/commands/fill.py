# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm fill`: new motion between poses of an action, in place, and the file with it."""

import argparse
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Action

from ...animation.actions import assign, assigned
from ...core import InputError, counted
from ...core.infill import Timing
from ...files.bvh_writing import write_bvh
from ...filling.blocking import fill_between_poses, poses_of
from ...filling.filling import FillRequest, fill_range
from ...libraries.choosing import LibraryChoice
from ...requests.stretch_examples import stretch_examples
from ..console import Console
from ..inputs.opening import Opened, actions_named, open_input, some_example
from ..outputs.exports import check_kind
from ..outputs.whole_files import whole_file

KINDS = (".blend", ".bvh")


def fill(options: argparse.Namespace, console: Console) -> int:
    """Fill, and write the file; the exit status. Raises InputError, and Failed where the file cannot be written."""
    check_kind(options.output, KINDS)
    if options.output.exists() and not options.force:
        raise InputError(f'"{options.output}" is there already; write over it with --force, or choose another name.')
    if options.alternative < 1:
        raise InputError("--alternative counts from 1.")
    opened = open_input(options.input, options.armature)
    action, slot = _action(opened, options.action)
    library = LibraryChoice((str(Path(options.library).absolute()),)) if options.library else None
    said = _between_poses(opened, action, slot, library) if options.blocking else ""
    if not options.blocking:
        said = _in_range(options, opened, action, slot, library, console)
    with whole_file(options.output) as unfinished:
        if options.output.suffix.lower() == ".blend":
            bpy.ops.wm.save_as_mainfile(filepath=str(unfinished), copy=True, check_existing=False)
        else:
            first, last = round(action.frame_range[0]), round(action.frame_range[1])
            frames = np.arange(first, last + 1, dtype=np.float64)
            write_bvh(unfinished, opened.armature, bpy.context.scene, frames, opened.file_axes)
    console.end(f"{said} Written to {options.output}.", file=str(options.output))
    return 0


def _action(opened: Opened, name: str) -> tuple[Action, str]:
    """Return the action that is filled, and its slot; the character plays it then."""
    playing = assigned(opened.armature)
    if not name and playing is not None:
        return playing
    spec = actions_named(opened, [name])[0] if name else some_example(opened)
    if spec.action is None:
        raise InputError(f'"{opened.armature.name}" plays no action of its own; choose one with --action.')
    assign(opened.armature, spec.action, spec.slot)
    playing = assigned(opened.armature)
    return (spec.action, spec.slot) if playing is None else playing


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
    filled = fill_range(opened.armature, scene, action, slot, examples, request)
    for note in filled.notes:
        console.note(note)
    if filled.number < options.alternative:
        console.note(f"There are no more than {counted(filled.number, 'alternative')} that differ; the last is taken.")
    return f'Frames {filled.first:g} to {filled.last:g} are filled from "{filled.source}".'


def _between_poses(opened: Opened, action: Action, slot: str, library: LibraryChoice | None) -> str:
    times = poses_of(opened.armature, action, slot)
    scene = bpy.context.scene
    replaced = [(float(times[0]), float(times[-1]))]
    examples = stretch_examples(opened.armature, scene, action, replaced, library)
    found = fill_between_poses(opened.armature, scene, action, slot, examples)
    return f"{counted(found.gaps, 'gap')} between {counted(found.poses, 'pose')} are filled."
