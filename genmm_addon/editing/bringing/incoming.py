# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions to bring to a character: an action of an armature in the file, the actions of a motion file, or a clip."""

from dataclasses import dataclass, replace
from pathlib import Path

import bpy
from bpy.types import Action, Object, Scene

from ...animation.curves import collect_curves
from ...animation.reading.example_spec import ExampleSpec
from ...animation.reading.examples import example_range, read_examples
from ...animation.stray_keys import stray_keys
from ...core import MOST_OFFERED, InputError, Motion, listed
from ...core.library import LeftOut
from ...files.import_file import check_file
from ...libraries.choosing import LibraryChoice, clip_called
from ...libraries.last_used import LastUsed
from ...libraries.reading.reader_process import reader_process
from ...libraries.takes import ENDINGS, SourceFile, Take, bvh_take, content_of

_read = LastUsed[tuple[str, str], list[Take | LeftOut]]()
"""The files read last, by path and content, for other options of the same operator."""


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


def action_coming(armature: Object, action: Action, scene: Scene) -> Incoming:
    """Return the motion of an action of an armature in the file. Raises InputError if it has none."""
    spec = ExampleSpec(action)
    curves = collect_curves(armature, action)
    notes: tuple[str, ...] = ()
    start, end = example_range(armature, spec, scene)
    stray = None if action.use_frame_range else stray_keys(curves, start, end)
    if stray is not None:
        spec, start = replace(spec, frame_start=float(stray.first), frame_end=float(stray.last)), float(stray.first)
        notes = (f"{spec.name} has {stray.where}; only {stray.range} is brought.",)
    reading = read_examples(armature, [spec], scene=scene)
    reading.motions[0].check_values(spec.name, start)
    return Incoming(action.name, f'"{armature.name}"', reading.motions[0], start, (*notes, *reading.notes))


def file_coming(path: Path, action: str = "") -> list[Incoming]:
    """Return the motions of all actions of a motion file, or of one; the open file does not change.

    Raises InputError for a file that cannot be read, and if it has no action of this name.
    """
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f'"{path.name}" is not a motion file; choose a .bvh, .fbx, .glb, .gltf or .blend file.')
    check_file(path)
    file = SourceFile(path, path.name)
    data, fingerprint = content_of(file)
    takes = _read.made_once((str(path), fingerprint), lambda: _takes(file, data, fingerprint))
    coming = [_of_take(take, path) for take in takes if isinstance(take, Take)]
    chosen = [motion for motion in coming if action in ("", motion.name)]
    if not chosen:
        reasons = [take.reason for take in takes if isinstance(take, LeftOut)] or ["it is empty."]
        available = listed([motion.name for motion in coming], most=MOST_OFFERED)
        missing = f'"{path.name}" has no action "{action}"; available: {available}.'
        raise InputError(missing if coming else f'"{path.name}" has no action that moves a character: {reasons[0]}')
    return chosen


def _takes(file: SourceFile, data: bytes, fingerprint: str) -> list[Take | LeftOut]:
    if file.is_bvh:
        return [bvh_take(file, data, fingerprint)]
    with reader_process(bpy.app.binary_path) as reader:
        return reader.read(file, fingerprint)


def clip_coming(choice: LibraryChoice, name: str) -> Incoming:
    """Return the motion of a library's clip. Raises InputError if a library cannot be read or none has it."""
    return Incoming(name, "the library", clip_called(choice, name))


def _of_take(take: Take, path: Path) -> Incoming:
    """Return the motion of a file's take, named after its action where the file may have several."""
    name = path.stem if path.suffix.lower() == ".bvh" else take.source.rpartition(":")[2] or path.stem
    take.motion.check_values(f'Action "{name}"')
    return Incoming(name, f'"{path.name}"', take.motion, notes=take.notes)
