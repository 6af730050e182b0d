# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm restyle` and `genmm blend`: make a new action from one and others of its kind, and write the file."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import bpy
from bpy.types import Action

from ....core import InputError
from ....core.manner import StyleSettings
from ....editing.transforming.content import TransformTask
from ....editing.transforming.restyling import blend_work, restyle_work
from ....editing.transforming.work import done_at_once
from ....requests.transform_examples import other_example
from ...console import Console
from ...inputs.opening import Opened
from ...inputs.other_actions import other_actions
from ..each_input import for_each_input
from ..edited_file import clips_of, open_edited, progress_said, write_edited


@for_each_input()
def restyle(options: argparse.Namespace, console: Console) -> int:
    """Restyle the action, write the file and return the exit status. Raises InputError and Failed."""
    settings = StyleSettings(options.strength, not options.style_tempo, options.posture_only)
    opened, action, slot = open_edited(options, console)
    with _task(options, opened, action, slot) as task:
        transformed = done_at_once(partial(restyle_work, task, settings), progress_said(console, "restyled"))
    return write_edited(options, opened, transformed.action, console, transformed.said, transformed.notes)


@for_each_input()
def blend(options: argparse.Namespace, console: Console) -> int:
    """Blend the actions, write the file and return the exit status. Raises InputError and Failed."""
    if not 0 <= options.share <= 1:
        raise InputError("--share must lie between 0 and 1.")
    opened, action, slot = open_edited(options, console)
    with _task(options, opened, action, slot) as task:
        transformed = done_at_once(partial(blend_work, task, options.share), progress_said(console, "blended"))
    return write_edited(options, opened, transformed.action, console, transformed.said, transformed.notes)


@contextmanager
def _task(options: argparse.Namespace, opened: Opened, action: Action, slot: str) -> Iterator[TransformTask]:
    """Yield the action and its examples; those of a motion file exist only during the block. Raises InputError."""
    scene, choice = bpy.context.scene, clips_of(options, opened)
    with other_actions([options.other] if options.other else []) as others:
        if choice is None:
            choice = other_example(opened.armature, scene, action, others[0] if others else None)
        yield TransformTask(opened.armature, scene, action, slot, choice)
