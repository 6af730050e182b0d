# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm natural`: makes coarse keys of an action, their full motion, or rough frames natural, and writes the file."""

import argparse

import bpy

from ...core import InputError, counted
from ...editing.coarse_keys import CoarseSpacing, make_coarse, make_full
from ...editing.naturalizing import NaturalRequest, make_natural
from ..console import Console
from .each_input import for_each_input
from .edited_file import EditedFile, open_edited


@for_each_input()
def natural(options: argparse.Namespace, console: Console) -> int:
    """Edit the action, write the file and return the exit status. Raises InputError, and Failed if writing fails."""
    file = open_edited(options, console)
    scene, character, written = bpy.context.scene, file.opened.armature, file.action
    if options.coarse is not None:
        if options.output.suffix.lower() != ".blend":
            raise InputError(
                "Only a .blend file can store coarse keys and their original; use that ending for --output."
            )
        spacing = CoarseSpacing.POSES if options.poses else CoarseSpacing.EVEN
        written = make_coarse(character, scene, spacing, options.coarse)
        said = f'"{written.name}" has coarse keys of "{file.action.name}", which is unchanged.'
    elif options.full:
        made = make_full(character, scene)
        written = made.action
        said = f'"{made.action.name}" passes through {counted(made.keys, "pose")}.'
    else:
        said = _made_natural(file)
    return file.write(said, action=written)


def _made_natural(file: EditedFile) -> str:
    first, last = file.options.frames
    made = make_natural(file.stretch_task([(first, last)]), NaturalRequest(first, last, file.options.strength))
    for note in made.notes:
        file.console.note(note)
    return f"Frames {made.first:g} to {made.last:g} now follow the examples."
