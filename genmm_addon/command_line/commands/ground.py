# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm ground`: the feet of an action put on a mesh, in place, and the file with it."""

import argparse

import bpy

from ...core import InputError
from ...filling.grounding import put_action_on_ground
from ...state.properties import readable_settings
from ..console import Console
from ..inputs.ground import ground_of
from .edited_file import open_edited, write_edited


def ground(options: argparse.Namespace, console: Console) -> int:
    """Put feet on the ground, and write the file; the exit status. Raises InputError, and Failed where it cannot."""
    opened, action, slot = open_edited(options)
    scene = bpy.context.scene
    chosen = readable_settings(opened.armature, scene).ground_object
    if options.ground is not None:
        chosen = ground_of(options.ground, opened.armature)
    if chosen is None:
        raise InputError("There is no ground to stand on; name an object or a file with --ground.")
    done = put_action_on_ground(opened.armature, scene, action, slot, chosen, options.frames)
    for note in done.notes:
        console.note(note)
    write_edited(options, opened, action)
    said = f'Frames {done.first:g} to {done.last:g} stand on "{chosen.name}".'
    console.end(f"{said} Written to {options.output}.", file=str(options.output))
    return 0
