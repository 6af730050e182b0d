# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions to bring to a character: an action of an armature in the file, the actions of a motion file, or a clip."""

from dataclasses import dataclass, replace
from pathlib import Path

import bpy
from bpy.types import Action, Context, Object, Scene

from ...animation.curves import collect_curves
from ...animation.reading.example_spec import ExampleSpec
from ...animation.reading.examples import example_range, read_examples
from ...animation.stray_keys import stray_keys
from ...core import InputError, Motion
from ...files.import_file import import_file
from ...libraries.choosing import LibraryChoice, clip_called


@dataclass(frozen=True, eq=False)
class Incoming:
    """A motion on its own skeleton, at its own rate.

    name: of its action or clip. owner: of its character, in quotes. first: the frame at which it begins in this file;
    None for one from elsewhere. notes: sentences for the user.
    """

    name: str
    owner: str
    motion: Motion
    first: float | None = None
    notes: tuple[str, ...] = ()


def action_coming(armature: Object, action: Action, scene: Scene, slot: str = "") -> Incoming:
    """Return the motion of an action of an armature in the file. Raises InputError if it has none."""
    return _of_spec(armature, ExampleSpec(action, slot), scene, is_here=True)


def file_coming(path: Path, context: Context, action: str = "") -> list[Incoming]:
    """Return the motions of all actions of a motion file's characters, or of one; nothing stays in the open file.

    Raises InputError for a file that cannot be read, and if it has no action of this name.
    """
    there_before = set(bpy.data.user_map())
    try:
        characters = import_file(path, context)
        specs = [(character, spec) for character in characters for spec in character.examples]
        chosen = [pair for pair in specs if not action or (pair[1].action and pair[1].action.name == action)]
        if not chosen:
            raise InputError(f'"{path.name}" has no action "{action}"; check its name.')
        motions = [_of_spec(character.armature, spec, context.scene) for character, spec in chosen]
        if len(motions) == 1:
            motions = [replace(motions[0], name=path.stem)]
        return [replace(motion, notes=(*characters[0].notes, *motion.notes)) for motion in motions]
    finally:
        bpy.data.batch_remove(set(bpy.data.user_map()) - there_before)


def clip_coming(file: str, name: str) -> Incoming:
    """Return the motion of a library's clip. Raises InputError if the library cannot be read or does not have it."""
    return Incoming(name, f'the library "{Path(file).name}"', clip_called(LibraryChoice((file,)), name))


def _of_spec(armature: Object, spec: ExampleSpec, scene: Scene, *, is_here: bool = False) -> Incoming:
    assert spec.action is not None
    curves, notes = collect_curves(armature, spec.action, spec.slot), ()
    start, end = example_range(armature, spec, scene)
    stray = None if spec.action.use_frame_range else stray_keys(curves, start, end)
    if stray is not None:
        spec = replace(spec, frame_start=float(stray.first), frame_end=float(stray.last))
        start, notes = spec.frame_start or start, (f"{spec.name} has {stray.where}; only {stray.range} is brought.",)
    reading = read_examples(armature, [spec], scene=scene)
    motion = reading.motions[0]
    motion.check_values(spec.name, start)
    first = start if is_here else None
    return Incoming(spec.action.name, f'"{armature.name}"', motion, first, (*notes, *reading.notes))
