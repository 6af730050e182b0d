# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm edit`: lists attributes of an action, such as its speed, or changes them in a new action."""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import bpy
from bpy.types import Action

from ....animation.reading.example_spec import ExampleSpec
from ....core import InputError
from ....core.manner import with_unit
from ....editing.transforming.attributes import ReadAttributes, attributes_work, reading_work
from ....editing.transforming.content import TransformTask
from ....editing.transforming.work import done_at_once
from ....libraries.indexed_examples import ExampleChoice
from ....requests.attribute_examples import attribute_examples
from ....requests.transform_examples import library_clips
from ...console import Console
from ...inputs.opening import Opened
from ...inputs.other_actions import other_actions
from ..each_input import for_each_input
from ..edited_file import open_edited
from .written import progress_said, write_transformed


@for_each_input(lambda options: bool(options.attributes))
def edit(options: argparse.Namespace, console: Console) -> int:
    """Edit the action and write the file, or print the values; return the exit status.

    Raises InputError, and Failed if the file cannot be written.
    """
    if options.tags and not options.library:
        raise InputError("--tags selects clips of a library; set its file with --library.")
    opened, action, slot = open_edited(options, console)
    with other_actions(options.others) as others:
        choice = _examples(options, opened, action, others)
        task = TransformTask(opened.armature, bpy.context.scene, action, slot, choice)
        if not options.attributes:
            return _say_values(done_at_once(partial(reading_work, task, ())), action, console)
        work = partial(attributes_work, task, ",".join(options.attributes))
        transformed, _ = done_at_once(work, progress_said(console, "edited"))
    return write_transformed(options, opened, transformed, console)


def _say_values(attributes: ReadAttributes, action: Action, console: Console) -> int:
    text = "\n".join(
        f"{entry.attribute.name}: {with_unit(f'{entry.value:.3g}', entry.attribute.kind.unit)}, "
        f"{entry.range.lowest:.3g} to {entry.range.highest:.3g} available"
        for entry in attributes.values
    )
    values = {
        entry.attribute.name: [entry.value, entry.range.lowest, entry.range.highest] for entry in attributes.values
    }
    said = {"action": action.name, "examples": attributes.examples, "values": values}
    console.answer(text, "attributes", [said], said)
    return 0


def _examples(
    options: argparse.Namespace, opened: Opened, action: Action, others: Sequence[ExampleSpec]
) -> ExampleChoice:
    library = str(Path(options.library).absolute()) if options.library else ""
    if library:
        return library_clips(opened.armature, bpy.context.scene, library, options.tags)
    return attribute_examples(opened.armature, bpy.context.scene, action, others)
