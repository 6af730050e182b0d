# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm retarget`: brings the actions of motion files to a character, and writes its file with them."""

import argparse
import os
from contextlib import ExitStack

import bpy

from ...animation.actions import assign
from ...animation.keys.simplification import simplification
from ...core import InputError, counted
from ...core.transfer import read_bone_map
from ...editing.bringing.bringing import SPACINGS, BringOptions, bring_to
from ...editing.bringing.incoming import file_coming
from ...requests.direction_values import bone_names_of
from ...state.properties import readable_settings
from ..console import Console
from ..inputs.opening import open_input
from .each_input import for_each_input
from .edited_file import write_edited


@for_each_input()
def retarget(options: argparse.Namespace, console: Console) -> int:
    """Bring an input's actions, write the file and return the exit status.

    Raises InputError, and Failed if writing fails.
    """
    if os.path.lexists(options.output) and not options.force:
        raise InputError(f'"{options.output}" already exists; use --force to overwrite it, or choose another name.')
    coming = file_coming(options.input, options.action)
    if len(coming) > 1 and options.output.suffix.lower() != ".blend":
        raise InputError(
            f'"{options.input.name}" has {counted(len(coming), "action")}; choose one with --action, or write a .blend.'
        )
    opened = open_input(options.onto, options.armature)
    settings = readable_settings(opened.armature, bpy.context.scene)
    spacing = next(entry.value for entry in SPACINGS if entry.word == options.keys)
    asked = BringOptions(
        in_place=options.in_place,
        path_scale=options.path_scale,
        root_motion=options.root_motion,
        keys=simplification(spacing, options.max_angle, options.max_offset),
        bone_names=bone_names_of(settings),
        keep_contacts=settings.keep_contacts,
        bone_map=None if options.map is None else read_bone_map(options.map),
    )
    with ExitStack() as undoing:
        brought = [bring_to(opened.armature, bpy.context.scene, each, asked, undoing) for each in coming]
        undoing.pop_all()
    assign(opened.armature, brought[0].action, brought[0].slot)
    for note in dict.fromkeys((*opened.notes, *(note for each in brought for note in each.notes))):
        console.note(note)
    write_edited(options, opened, brought[0].action)
    names = ", ".join(f'"{each.action.name}"' for each in brought)
    console.end(f'{names} brought to "{opened.armature.name}". Written to {options.output}.', file=str(options.output))
    return 0
