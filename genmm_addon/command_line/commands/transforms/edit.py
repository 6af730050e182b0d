# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm edit`: lists attributes of an action, such as its speed, or changes them in a new action."""

import argparse
from functools import partial

import bpy
from bpy.types import Action

from ....core.manner import with_unit
from ....editing.transforming.attributes import ReadAttributes, attributes_work, reading_work
from ....editing.transforming.work import done_at_once
from ....requests.attribute_examples import attribute_examples
from ...console import Console
from ...inputs.other_actions import other_actions
from ..each_input import for_each_input
from ..edited_file import open_edited, progress_said


@for_each_input(lambda options: bool(options.attributes))
def edit(options: argparse.Namespace, console: Console) -> int:
    """Edit the action and write the file, or print the values; return the exit status.

    Raises InputError, and Failed if the file cannot be written.
    """
    file = open_edited(options, console)
    with other_actions(options.others) as others:
        character, scene, clips = file.opened.armature, bpy.context.scene, file.clips()
        task = file.task(attribute_examples(character, scene, file.action, others) if clips is None else clips)
        if not options.attributes:
            return _say_values(done_at_once(partial(reading_work, task, ())), file.action, console)
        work = partial(attributes_work, task, ",".join(options.attributes))
        transformed, _ = done_at_once(work, progress_said(console, "edited"))
    return file.write(transformed.said, transformed.notes, transformed.action)


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
