# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that make new actions: `restyle`, `blend`, `edit`, `retarget` and `set`."""

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Action

from ...animation.actions import assign
from ...animation.keys.simplification import Simplification, simplification
from ...core import InputError, counted
from ...core.fields import settings_in
from ...core.manner import StyleSettings, with_unit
from ...core.transfer import read_bone_map
from ...editing.bringing.bringing import BringOptions, bring_each, gathered_notes
from ...editing.bringing.incoming import file_coming
from ...editing.edit_task import EditTask
from ...editing.locomotion import MadeSet, SetAction, SetRequest, make_set
from ...editing.transforming.attributes import ReadAttributes, attributes_work, reading_work
from ...editing.transforming.restyling import blend_work, restyle_work
from ...editing.transforming.work import done_at_once
from ...generation.request import Request
from ...requests.attribute_examples import attribute_examples
from ...requests.choices import chosen_examples
from ...requests.direction_values import bone_names_of
from ...requests.edit_examples import other_example
from ...state.properties import readable_settings
from ..arguments.new_actions import KEY_SETTINGS
from ..arguments.setting_options import said
from ..console import Console
from ..errors import WrongOption, wrong_for_any_input
from ..inputs.opening import Opened, add_examples, expanded, open_input
from ..inputs.other_actions import other_actions
from ..outputs.exports import check_kind, save_blend, write_played
from ..outputs.file_names import check_pattern, file_name
from ..outputs.whole_files import whole_file
from ..stopping import check_stop
from .each_input import for_each_input
from .edited_file import EditedFile, open_edited, progress_said

FIELDS = ("direction", "speed", "strides", "name")
MOST_STRIDES = 8


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
        raise WrongOption("--share must lie between 0 and 1.")
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
    with wrong_for_any_input():
        opened = open_input(options.onto, options.armature, animated=False)
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
    brought, refused = bring_each(opened.armature, bpy.context.scene, [lambda: coming], asked)
    if not brought:
        raise InputError(refused[0])
    assign(opened.armature, brought[0].action, brought[0].slot)
    notes = (*opened.notes, *gathered_notes(brought, refused))
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


def locomotion(options: argparse.Namespace, console: Console) -> int:
    """Make the set, write its files and return the exit status. Raises InputError, and Failed if writing fails."""
    if not 1 <= options.strides <= MOST_STRIDES:
        raise InputError(f"--strides must lie between 1 and {MOST_STRIDES}.")
    fields = check_pattern(options.output, FIELDS)
    check_kind(Path(options.output), (".fbx", ".glb", ".bvh", ".blend"))
    is_one_file = options.output.lower().endswith(".blend")
    needed = {"direction", "speed"} | ({"strides"} if options.strides > 1 else set())
    if not is_one_file and needed - fields:
        lacking = " and ".join(f"{{{field}}}" for field in sorted(needed - fields))
        raise InputError(f'The output "{options.output}" needs {lacking}, so that each action gets a file of its own.')
    inputs = expanded(options.inputs)
    opened = open_input(inputs[0] if inputs else None, options.armature)
    made = make_set(opened.armature, bpy.context.scene, _request(options, opened, inputs[1:]))
    paths = [_path(options.output, opened, made_action) for made_action in made.actions]
    _check_paths(paths if not is_one_file else paths[:1], options.force)
    if is_one_file:
        with whole_file(paths[0], may_replace=options.force) as unfinished:
            save_blend(unfinished)
    else:
        for path, made_action in zip(paths, made.actions, strict=True):
            check_stop()
            _write(path, opened, made_action, options.force)
    _list(console, made, paths, is_one_file)
    return 0


def _request(options: argparse.Namespace, opened: Opened, others: Sequence[Path]) -> SetRequest:
    settings = readable_settings(opened.armature, bpy.context.scene)
    specs = opened.examples or tuple(example.spec for example in chosen_examples(opened.armature, settings.examples))
    for path in others:
        specs += add_examples(path)[0]
    return SetRequest(specs, tuple(range(1, options.strides + 1)), settings.root_bone, options.root_bone)


def _path(pattern: str, opened: Opened, made_action: SetAction) -> Path:
    values = {
        "direction": made_action.move.label,
        "speed": f"{made_action.speed:.2f}",
        "strides": made_action.move.strides,
    }
    return file_name(pattern, {**values, "name": opened.name})


def _check_paths(paths: list[Path], may_replace: bool) -> None:
    for path in paths:
        if paths.count(path) > 1:
            raise InputError(f'Two actions would be written to "{path}"; add {{strides}} or {{speed}} to --output.')
        if os.path.lexists(path) and not may_replace:
            raise InputError(f'"{path}" already exists; use --force to overwrite it, or choose another name.')


def _write(path: Path, opened: Opened, made_action: SetAction, may_replace: bool) -> None:
    scene, count = bpy.context.scene, made_action.move.motion.frames
    assign(opened.armature, made_action.action, made_action.slot)
    scene.frame_start, scene.frame_end = 1, count
    with whole_file(path, may_replace=may_replace) as unfinished:
        write_played(unfinished, opened.armature, np.arange(1.0, count + 1.0), opened.file_axes, path.stem)


def _list(console: Console, made: MadeSet, paths: list[Path], is_one_file: bool) -> None:
    """List the actions with speed and length, and what the examples do not show."""
    for path, made_action in zip(paths, made.actions, strict=True):
        console.note(f"{made_action.action.name if is_one_file else path}: {made_action.description}")
    for sentence in made.missing:
        console.note(sentence)
    where = paths[0] if is_one_file else paths[0].parent
    console.end(f"{counted(len(made.actions), 'action')} written to {where}.", file=str(where))
