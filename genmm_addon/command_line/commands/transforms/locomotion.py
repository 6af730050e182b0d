# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm set`: cuts a locomotion set from examples, and writes a file for each of its actions."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np

from ....animation.actions import assign
from ....core import InputError, counted
from ....editing.locomotion import MadeSet, SetAction, SetRequest, make_set
from ....requests.choices import chosen_examples
from ....state.properties import readable_settings
from ...console import Console
from ...inputs.files import expanded
from ...inputs.opening import Opened, add_examples, open_input
from ...outputs.exports import check_kind, save_blend, write_played
from ...outputs.file_names import check_pattern, file_name
from ...outputs.whole_files import whole_file
from ...stopping import check_stop

FIELDS = ("direction", "speed", "strides", "name")
MOST_STRIDES = 8


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
    paths = [_path(options.output, opened, one) for one in made.actions]
    _check_paths(paths if not is_one_file else paths[:1], options.force)
    if is_one_file:
        with whole_file(paths[0], may_replace=options.force) as unfinished:
            save_blend(unfinished)
    else:
        for path, one in zip(paths, made.actions, strict=True):
            check_stop()
            _write(path, opened, one, options.force)
    _list(console, made, paths, is_one_file)
    return 0


def _request(options: argparse.Namespace, opened: Opened, others: Sequence[Path]) -> SetRequest:
    settings = readable_settings(opened.armature, bpy.context.scene)
    specs = opened.examples or tuple(one.spec for one in chosen_examples(opened.armature, settings.examples))
    for path in others:
        specs += add_examples(path)[0]
    return SetRequest(specs, tuple(range(1, options.strides + 1)), settings.root_bone, options.root_bone)


def _path(pattern: str, opened: Opened, one: SetAction) -> Path:
    values = {"direction": one.move.label, "speed": f"{one.speed:.2f}", "strides": one.move.strides}
    return file_name(pattern, {**values, "name": opened.name})


def _check_paths(paths: list[Path], may_replace: bool) -> None:
    for path in paths:
        if paths.count(path) > 1:
            raise InputError(f'Two actions would be written to "{path}"; add {{strides}} or {{speed}} to --output.')
        if os.path.lexists(path) and not may_replace:
            raise InputError(f'"{path}" already exists; use --force to overwrite it, or choose another name.')


def _write(path: Path, opened: Opened, one: SetAction, may_replace: bool) -> None:
    scene, count = bpy.context.scene, one.move.motion.frames
    assign(opened.armature, one.action, one.slot)
    scene.frame_start, scene.frame_end = 1, count
    with whole_file(path, may_replace=may_replace) as unfinished:
        write_played(unfinished, opened.armature, np.arange(1.0, count + 1.0), opened.file_axes, path.stem)


def _list(console: Console, made: MadeSet, paths: list[Path], is_one_file: bool) -> None:
    """List the actions with speed and length, and what the examples do not show."""
    for path, one in zip(paths, made.actions, strict=True):
        console.note(f"{one.action.name if is_one_file else path}: {one.description}")
    for sentence in made.missing:
        console.note(sentence)
    where = paths[0] if is_one_file else paths[0].parent
    console.end(f"{counted(len(made.actions), 'action')} written to {where}.", file=str(where))
