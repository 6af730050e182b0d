# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm restyle` and `genmm blend`: make a new action from one and others of its kind, and write the file."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import bpy

from ....core import InputError
from ....core.manner import StyleSettings
from ....editing.edit_task import EditTask
from ....editing.transforming.restyling import blend_work, restyle_work
from ....editing.transforming.work import done_at_once
from ....requests.transform_examples import other_example
from ...console import Console
from ...inputs.other_actions import other_actions
from ..each_input import for_each_input
from ..edited_file import EditedFile, open_edited, progress_said


@for_each_input()
def restyle(options: argparse.Namespace, console: Console) -> int:
    """Restyle the action, write the file and return the exit status. Raises InputError and Failed."""
    settings = StyleSettings(options.strength, not options.style_tempo, options.posture_only)
    file = open_edited(options, console)
    with _task(file) as task:
        transformed = done_at_once(partial(restyle_work, task, settings), progress_said(console, "restyled"))
    return file.write(transformed.said, transformed.notes, transformed.action)


@for_each_input()
def blend(options: argparse.Namespace, console: Console) -> int:
    """Blend the actions, write the file and return the exit status. Raises InputError and Failed."""
    if not 0 <= options.share <= 1:
        raise InputError("--share must lie between 0 and 1.")
    file = open_edited(options, console)
    with _task(file) as task:
        transformed = done_at_once(partial(blend_work, task, options.share), progress_said(console, "blended"))
    return file.write(transformed.said, transformed.notes, transformed.action)


@contextmanager
def _task(file: EditedFile) -> Iterator[EditTask]:
    """Yield the action and its examples; those of a motion file exist only during the block. Raises InputError."""
    character, scene, other = file.opened.armature, bpy.context.scene, file.options.other
    choice = file.clips()
    with other_actions([other] if other else []) as others:
        if choice is None:
            choice = other_example(character, scene, file.action, others[0] if others else None)
        yield file.task(choice)
