# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm continue`: continues an action, or connects it with another one, in place, and writes the file."""

import argparse

import bpy
from bpy.types import Action

from ...animation.reading.example_spec import ExampleSpec
from ...animation.scene_time import scene_rate
from ...core import InputError
from ...editing.filling.connecting import connect_action
from ...editing.filling.continuing import ContinueFrom, ContinueRequest, continue_action
from ..console import Console
from ..inputs.opening import Opened
from ..inputs.other_actions import other_actions
from .each_input import for_each_input
from .edited_file import EditedFile, open_edited


@for_each_input()
def go_on(options: argparse.Namespace, console: Console) -> int:
    """Continue the action, write the file and return the exit status. Raises InputError and Failed."""
    file = open_edited(options, console)
    return file.write(_connected(file)) if options.connect else _continued(file)


def _continued(file: EditedFile) -> int:
    options = file.options
    start = ContinueFrom.LAST_KEY if options.start is None else ContinueFrom.PLAYHEAD
    if options.start == "first":
        start = ContinueFrom.FIRST_KEY
    frame = options.start if isinstance(options.start, float) else 1.0
    request = ContinueRequest(start, options.frames, frame, options.alternative, options.blend)
    made = continue_action(file.stretch_task(), request)
    return file.write(f'Frames {made.first:g} to {made.last:g} added from "{made.source}".', made.notes)


def _connected(file: EditedFile) -> str:
    slide = round(scene_rate(bpy.context.scene)) if file.options.slide is None else file.options.slide
    task = file.stretch_task()
    with other_actions([file.options.connect]) as (other,):
        following = _following(file.opened, other)
        name = following.name
        made = connect_action(task, following, slide)
    return f'Frames {made.first:g} to {made.last:g} lead to "{name}", taken from "{made.source}".'


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
