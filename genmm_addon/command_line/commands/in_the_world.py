# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm ground` and `genmm reach`: put feet on a mesh or bones at objects, in place, and write the file."""

import argparse

import bpy

from ...animation.reaching.places import PLACES
from ...control_rigs.ground_in_action import ActionForGround, put_action_on_ground
from ...control_rigs.reach_in_action import reach_in_action
from ...core import InputError, counted
from ...state.properties import readable_settings
from ..console import Console
from ..inputs.ground import ground_of
from .each_input import for_each_input
from .edited_file import open_edited


@for_each_input()
def ground(options: argparse.Namespace, console: Console) -> int:
    """Put the feet on the ground, write the file and return the exit status. Raises InputError and Failed."""
    file = open_edited(options, console)
    character, scene = file.opened.armature, bpy.context.scene
    chosen = readable_settings(character, scene).ground_object
    if options.ground is not None:
        chosen = ground_of(options.ground, character)
    if chosen is None:
        raise InputError("No ground is chosen; set an object or a file with --ground.")
    done = put_action_on_ground(ActionForGround(character, scene, file.action, file.slot, chosen), options.frames)
    said = f'Frames {done.first:g} to {done.last:g} stand on "{chosen.name}".'
    return file.write(said, done.notes)


@for_each_input()
def reach(options: argparse.Namespace, console: Console) -> int:
    """Make the bones reach their targets, write the file and return the exit status. Raises InputError and Failed."""
    file = open_edited(options, console)
    character, scene = file.opened.armature, bpy.context.scene
    text = options.reaches if options.reaches else readable_settings(character, scene).reaches
    made = reach_in_action(character, scene, file.action, file.slot, PLACES.parse(text))
    said = f"{counted(made.bones, 'bone')} moved to targets; frames {made.first:g} to {made.last:g} changed."
    return file.write(said, made.notes)
