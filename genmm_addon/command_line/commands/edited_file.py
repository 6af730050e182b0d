# SPDX-License-Identifier: GPL-3.0-or-later
"""Opening of a file whose action a command edits in place, and writing of the file with the result."""

import argparse
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Action

from ...animation.actions import assign, assigned
from ...core import InputError, Progress
from ...libraries.choosing import LibraryChoice
from ...libraries.indexed_examples import ExampleChoice
from ...requests.transform_examples import library_clips
from ..console import Console
from ..errors import NOTHING_WRONG
from ..inputs.opening import Opened, actions_named, open_input, some_example
from ..outputs.exports import save_blend, write_played
from ..outputs.whole_files import whole_file

STEPS = 10
"""Maximum number of progress lines."""


def open_edited(options: argparse.Namespace, console: Console) -> tuple[Opened, Action, str]:
    """Open the input and assign the action to edit; return the input, the action and its slot.

    Notes on the input are reported. Raises InputError if there is no such action, and for an existing output.
    """
    if os.path.lexists(options.output) and not options.force:
        raise InputError(f'"{options.output}" already exists; use --force to overwrite it, or choose another name.')
    if getattr(options, "alternative", 1) < 1:
        raise InputError("--alternative must be 1 or more.")
    opened = open_input(options.input, options.armature)
    for note in opened.notes:
        console.note(note)
    return opened, *_action(opened, options.action)


def library_of(options: argparse.Namespace) -> LibraryChoice | None:
    """Return the library chosen in the options; None without one."""
    return LibraryChoice((str(Path(options.library).absolute()),)) if options.library else None


def clips_of(options: argparse.Namespace, opened: Opened) -> ExampleChoice | None:
    """Return the clips chosen by --library and --tags; None without a library.

    Raises InputError if no clip has the tags, and for tags without a library.
    """
    if options.library:
        library = str(Path(options.library).absolute())
        return library_clips(opened.armature, bpy.context.scene, library, options.tags)
    if options.tags:
        raise InputError("--tags selects clips of a library; set its file with --library.")
    return None


def write_edited(
    options: argparse.Namespace,
    opened: Opened,
    action: Action,
    console: Console,
    said: str,
    notes: Iterable[str] = (),
) -> int:
    """Report the notes, write the file with the edited action, report what was done and return the exit status.

    Raises Failed if the file cannot be written.
    """
    for note in notes:
        console.note(note)
    first, last = round(action.frame_range[0]), round(action.frame_range[1])
    with whole_file(options.output, may_replace=options.force) as unfinished:
        if options.output.suffix.lower() == ".blend":
            save_blend(unfinished)
        else:
            frames = np.arange(first, last + 1, dtype=np.float64)
            with _range_of_scene(first, last):
                write_played(unfinished, opened.armature, frames, opened.file_axes, action.name)
    console.end(f"{said} Written to {options.output}.", file=str(options.output))
    return NOTHING_WRONG


def progress_said(console: Console, event: str) -> Progress:
    """Return a progress callback that prints lines such as "30 % restyled"."""
    last = 0

    def progress(share: float) -> None:
        nonlocal last
        step = int(STEPS * share + 1e-9)
        if step > last:
            last = step
            console.progress(event, f"{step / STEPS:.0%} {event}", step / STEPS)

    return progress


@contextmanager
def _range_of_scene(first: int, last: int) -> Iterator[None]:
    """Set the scene's frame range, which exporters write, for the block."""
    scene = bpy.context.scene
    before = scene.frame_start, scene.frame_end
    scene.frame_start, scene.frame_end = first, max(first, last)
    try:
        yield
    finally:
        scene.frame_start, scene.frame_end = before


def _action(opened: Opened, name: str) -> tuple[Action, str]:
    playing = assigned(opened.armature)
    if not name and playing is not None:
        return playing
    spec = actions_named(opened, [name])[0] if name else some_example(opened)
    if spec.action is None:
        raise InputError(f'"{opened.armature.name}" has no active action; choose one with --action.')
    assign(opened.armature, spec.action, spec.slot)
    playing = assigned(opened.armature)
    return (spec.action, spec.slot) if playing is None else playing
