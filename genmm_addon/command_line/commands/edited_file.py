# SPDX-License-Identifier: GPL-3.0-or-later
"""Opening of a file whose action a command edits in place, and writing of the file with the result."""

import argparse
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Action

from ...animation.actions import assign, assigned
from ...animation.stretches.fingerprints import Range
from ...core import InputError, Progress, counted
from ...editing.edit_task import EditTask
from ...libraries.choosing import LibraryChoice, choose_clips
from ...libraries.indexed_examples import ExampleChoice
from ...requests.edit_examples import library_clips, stretch_task
from ..console import Console
from ..errors import NOTHING_WRONG, WrongOption, wrong_for_any_input
from ..inputs.opening import Opened, actions_named, open_input, some_example
from ..outputs.exports import save_blend, write_played
from ..outputs.whole_files import whole_file

STEPS = 10
"""Maximum number of progress lines."""


@dataclass(frozen=True, eq=False)
class EditedFile:
    """A file that was opened for a command, and the action in it to edit."""

    options: argparse.Namespace
    console: Console
    opened: Opened
    action: Action
    slot: str

    def library(self) -> LibraryChoice | None:
        """Return the library chosen in the options; None without one. Raises InputError if it cannot be read."""
        return LibraryChoice((_path_of_library(self.options),)) if self.options.library else None

    def stretch_task(self, replaced: Sequence[Range] = ()) -> EditTask:
        """Return the task of editing the action; its `replaced` frames are not used as examples. Raises InputError."""
        character, scene = self.opened.armature, bpy.context.scene
        return stretch_task(character, scene, self.action, self.slot, replaced, self.library())

    def task(self, choice: ExampleChoice | None) -> EditTask:
        """Return the task of editing the action with the given examples."""
        return EditTask(self.opened.armature, bpy.context.scene, self.action, self.slot, choice)

    def clips(self) -> ExampleChoice | None:
        """Return the clips chosen by --library and --tags; None without a library.

        Raises InputError if no clip has the tags, and for tags without a library.
        """
        if self.options.library:
            library = _path_of_library(self.options)
            return library_clips(self.opened.armature, bpy.context.scene, library, self.options.tags)
        if self.options.tags:
            raise WrongOption("--tags selects clips of a library; set its file with --library.")
        return None

    def write(self, said: str, notes: Iterable[str] = (), action: Action | None = None) -> int:
        """Report the notes, write the file with the edited action, report what was done and return the exit status.

        action: the new one if the edit made one. Raises Failed if the file cannot be written.
        """
        options, written = self.options, action or self.action
        for note in notes:
            self.console.note(note)
        first, last = round(written.frame_range[0]), round(written.frame_range[1])
        with whole_file(options.output, may_replace=options.force) as unfinished:
            if options.output.suffix.lower() == ".blend":
                save_blend(unfinished)
            else:
                frames = np.arange(first, last + 1, dtype=np.float64)
                with _range_of_scene(first, last):
                    write_played(unfinished, self.opened.armature, frames, self.opened.file_axes, written.name)
        self.console.end(f"{said} Written to {options.output}.", file=str(options.output))
        return NOTHING_WRONG


def open_edited(options: argparse.Namespace, console: Console) -> EditedFile:
    """Open the input and assign the action to edit.

    Notes on the input are reported. Raises InputError if there is no such action, and for an existing output.
    """
    if os.path.lexists(options.output) and not options.force:
        raise InputError(f'"{options.output}" already exists; use --force to overwrite it, or choose another name.')
    if getattr(options, "alternative", 1) < 1:
        raise WrongOption("--alternative must be 1 or more.")
    opened = open_input(options.input, options.armature)
    for note in opened.notes:
        console.note(note)
    action, slot = _action(opened, options.action)
    if len(opened.examples) > 1 and not options.action:
        console.note(
            f'Only "{action.name}" of {counted(len(opened.examples), "action")} in "{options.input.name}" is edited; '
            "choose another with --action."
        )
    return EditedFile(options, console, opened, action, slot)


def _path_of_library(options: argparse.Namespace) -> str:
    """Return the path of a library that has clips with the tags. Raises WrongOption for any other."""
    path = str(Path(options.library).absolute())
    with wrong_for_any_input():
        choose_clips(LibraryChoice((path,), getattr(options, "tags", ""), frames=1))
    return path


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
