# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm retarget`: brings the actions of motion files to a character, and writes its file with them."""

import argparse
import os
from collections.abc import Sequence
from contextlib import ExitStack

import bpy
from bpy.types import Object

from ...animation.actions import assign
from ...animation.keys.simplification import Simplification, simplification
from ...core import InputError, counted
from ...core.fields import settings_in
from ...core.transfer import read_bone_map
from ...editing.bringing.bringing import BringOptions, Brought, bring_to
from ...editing.bringing.incoming import Incoming, file_coming
from ...generation.request import Request
from ...requests.direction_values import bone_names_of
from ...state.properties import readable_settings
from ..arguments.retargeting import KEY_SETTINGS
from ..arguments.setting_options import said
from ..console import Console
from ..inputs.opening import open_input
from .each_input import for_each_input
from .edited_file import EditedFile


@for_each_input()
def retarget(options: argparse.Namespace, console: Console) -> int:
    """Bring an input's actions, write the file and return the exit status; a note names those that do not fit.

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
    asked = BringOptions(
        in_place=options.in_place,
        path_scale=options.path_scale,
        root_motion=options.root_motion,
        keys=_few_keys(options),
        bone_names=bone_names_of(settings),
        keep_contacts=settings.keep_contacts,
        bone_map=None if options.map is None else read_bone_map(options.map),
    )
    brought, refused = _brought(opened.armature, coming, asked)
    assign(opened.armature, brought[0].action, brought[0].slot)
    notes = dict.fromkeys((*opened.notes, *refused, *(note for each in brought for note in each.notes)))
    names = ", ".join(f'"{each.action.name}"' for each in brought)
    said = f'{names} brought to "{opened.armature.name}".'
    return EditedFile(options, console, opened, brought[0].action, brought[0].slot).write(said, notes)


def _few_keys(options: argparse.Namespace) -> Simplification | None:
    """Return the precision of few keys; None for keys on every frame. Raises InputError for an error out of range."""
    given = {field: getattr(Request, field) for field in KEY_SETTINGS} | said(Request, options, KEY_SETTINGS)
    spacing, *errors = given.values()
    for field, error in zip(KEY_SETTINGS[1:], errors, strict=True):
        settings_in(Request)[field].properties[0].check(error)
    return simplification(spacing, *errors)


def _brought(character: Object, coming: Sequence[Incoming], options: BringOptions) -> tuple[list[Brought], list[str]]:
    """Return the actions that could be brought, and the reasons for those that could not.

    Raises InputError with the first reason if there is no other action.
    """
    brought, refused = list[Brought](), list[InputError]()
    for each in coming:
        with ExitStack() as undoing:
            try:
                brought.append(bring_to(character, bpy.context.scene, each, options, undoing))
            except InputError as error:
                refused.append(error)
            else:
                undoing.pop_all()
    if not brought:
        raise refused[0]
    return brought, [str(error) for error in refused]
