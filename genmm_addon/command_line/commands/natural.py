# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm natural`: makes coarse keys of an action, their full motion, or rough frames natural, and writes the file."""

import argparse

import bpy
from bpy.types import Action

from ...core import InputError, counted
from ...editing.coarse_keys import CoarseSpacing, make_coarse, make_full
from ...editing.naturalizing import NaturalRequest, make_natural
from ...requests.stretch_examples import stretch_examples
from ..console import Console
from ..inputs.opening import Opened
from .each_input import for_each_input
from .edited_file import library_of, open_edited, write_edited


@for_each_input()
def natural(options: argparse.Namespace, console: Console) -> int:
    """Edit the action, write the file and return the exit status. Raises InputError, and Failed if writing fails."""
    opened, action, slot = open_edited(options, console)
    scene = bpy.context.scene
    if options.coarse is not None:
        if options.output.suffix.lower() != ".blend":
            raise InputError(
                "Only a .blend file can store coarse keys and their original; use that ending for --output."
            )
        spacing = CoarseSpacing.POSES if options.poses else CoarseSpacing.EVEN
        written = make_coarse(opened.armature, scene, spacing, options.coarse)
        said = f'"{written.name}" has coarse keys of "{action.name}", which is unchanged.'
    elif options.full:
        made = make_full(opened.armature, scene)
        written = made.action
        said = f'"{made.action.name}" passes through {counted(made.keys, "pose")}.'
    else:
        written = action
        said = _made_natural(options, opened, action, slot, console)
    return write_edited(options, opened, written, console, said)


def _made_natural(options: argparse.Namespace, opened: Opened, action: Action, slot: str, console: Console) -> str:
    first, last = options.frames
    scene, library = bpy.context.scene, library_of(options)
    examples = stretch_examples(opened.armature, scene, action, [(first, last)], library)
    request = NaturalRequest(first, last, options.strength)
    made = make_natural(opened.armature, scene, action, slot, examples, request)
    for note in made.notes:
        console.note(note)
    return f"Frames {made.first:g} to {made.last:g} now follow the examples."
