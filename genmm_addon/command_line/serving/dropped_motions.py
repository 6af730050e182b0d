# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions that were dropped onto the page; one at a time is open in Blender, and any of them can be opened again."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Object

from ...animation.curves import collect_curves
from ...animation.reading.examples import ExampleSpec, example_range
from ...animation.stray_keys import stray_keys
from ...character.sample.sample_character import NAME, add_sample_character
from ...core import InputError, Motion
from ...core.motion import DEFAULT_RATE, SAME_PLACE
from ...files.import_file import empty_file
from ...generation.direction import CompletionSpec, PartSpec
from ...generation.generate import SceneReading, read_again
from ...generation.request import PartMode, Request
from ...pages.serving.session_files import SessionFiles
from ...pages.serving.tasks import Choices
from ...requests.choices import ChosenExample, read_noticing
from ..inputs.opening import Opened, longest, set_rate
from ..outputs.exports import result_of
from .body_parts import BodyPart, body_parts_of
from .import_process import open_imported

GONE = "This motion is no longer available; drop it again."
ALONE = "Do not keep all parts of the body; the result would be the example itself."


def _always() -> bool:
    return True


@dataclass(frozen=True, eq=False)
class ReadAction:
    """An action of the open motion, read. seconds: its duration."""

    request: Request
    reading: SceneReading
    parts: tuple[BodyPart, ...]
    seconds: float


class DroppedMotions:
    """The motions, by their numbers in the page; accesses Blender, so it belongs to the main thread."""

    def __init__(self, files: SessionFiles) -> None:
        self._files = files
        self._numbers: dict[int, int | None] = {}
        self._current: tuple[int, Opened] | None = None
        self._read: dict[int, ReadAction] = {}

    def add(self, number: int, file: int | None, goes_on: Callable[[], bool] = _always) -> Opened:
        """Open a dropped file, or the sample character (None).

        goes_on: called during the import; False cancels it. Raises InputError and Cancelled, with the number removed.
        """
        self._numbers[number] = file
        try:
            return self.open(number, goes_on)
        except BaseException:
            del self._numbers[number]
            raise

    def open(self, number: int, goes_on: Callable[[], bool] = _always) -> Opened:
        """Return a motion, open in Blender. Raises InputError if it is no longer available."""
        if self._current is not None and self._current[0] == number:
            return self._current[1]
        if number not in self._numbers:
            raise InputError(GONE)
        file = self._numbers[number]
        path = None if file is None else self._files.dropped(file)
        if file is not None and path is None:
            raise InputError(GONE)
        self._current = None
        self._read.clear()
        opened = _sample() if path is None else _opened(path, goes_on)
        self._current = number, opened
        return opened

    def read(self, number: int, action: int) -> ReadAction:
        """Return an action of a motion, cached. Raises InputError if it cannot be read or does not move."""
        opened = self.open(number)
        if not 0 <= action < len(opened.examples):
            raise InputError(GONE)
        if action not in self._read:
            spec = opened.examples[action]
            scene = bpy.context.scene
            request = Request(opened.armature, (spec,), frames=1)
            request, reading = read_noticing(request, [ChosenExample(spec, notice_rest_start=True)], scene)
            motion = reading.reading.motions[0]
            if motion.frames < 2:
                raise InputError(f'"{opened.name}" has a single frame; drop a file with motion.')
            if not _moves(motion):
                raise InputError(f'"{opened.name}" does not move; drop a file with motion.')
            seconds = (motion.frames - 1) / motion.frames_per_second
            reading = replace(reading, keeps_preparation=True)
            self._read[action] = ReadAction(request, reading, body_parts_of(motion), seconds)
        return self._read[action]

    def asked(self, choices: Choices) -> tuple[Opened, Request, SceneReading]:
        """Return the motion, request and data for the choices of the page. Raises InputError for invalid choices."""
        read = self.read(choices.motion, choices.action)
        opened, scene = self.open(choices.motion), bpy.context.scene
        frames = max(round(choices.seconds * read.reading.frames_per_second), 2)
        output = result_of(Path("variation.bvh"), opened.armature, None, False)
        request = replace(read.request, frames=frames, loop=choices.loop, output=output)
        request = _in_parts(request, read.parts, choices)
        return opened, request, read_again(request, read.reading, scene)


def _moves(motion: Motion) -> bool:
    positions = motion.pose()[1]
    return bool(np.ptp(positions, axis=0).max() > SAME_PLACE * motion.skeleton.size)


def longest_action(opened: Opened) -> int:
    """Return the number of a motion's longest action."""
    return opened.examples.index(longest(opened.armature, opened.examples))


def seconds_of(opened: Opened, spec: ExampleSpec) -> float:
    """Return the duration of an action in seconds. Raises InputError if it has no keys."""
    start, end = example_range(opened.armature, spec, bpy.context.scene)
    return (end - start) / (spec.frames_per_second or DEFAULT_RATE)


def _in_parts(request: Request, parts: tuple[BodyPart, ...], choices: Choices) -> Request:
    """Return the request with limbs that move independently, and with limbs kept from the example."""
    if any(number >= len(parts) for number in (*choices.free, *choices.kept)):
        raise InputError(GONE)
    if choices.kept and len(choices.kept) == len(parts):
        raise InputError(ALONE)
    spec = request.examples[0]
    assert spec.action is not None
    if choices.free:
        specs = tuple(PartSpec(parts[number].title, parts[number].matched) for number in choices.free)
        request = replace(request, part_mode=PartMode.PAINTED, parts=specs)
    if choices.kept:
        bones = tuple(bone for number in choices.kept for bone in parts[number].bones)
        start, end = example_range(request.armature, spec, bpy.context.scene)
        given = CompletionSpec(
            spec.action, bones, spec.slot, start + spec.skip_first_frame, end, spec.frames_per_second
        )
        request = replace(request, completion=given)
    return request


def _opened(path: Path, goes_on: Callable[[], bool]) -> Opened:
    """Open a file and return its content; of several characters, the one with the longest motion."""
    characters = open_imported(path, goes_on)
    several = len(characters) > 1
    best = max(
        characters, key=lambda character: _longest_seconds(Opened(path.stem, character.armature, character.examples))
    )
    notes = best.notes
    if several:
        notes += (
            f'The file has {len(characters)} characters; "{best.armature.name}", with the longest motion, is used.',
        )
    examples, more = _without_stray_keys(best.armature, best.examples)
    opened = Opened(path.stem, best.armature, examples, (*notes, *more), best.file_axes)
    rate = opened.examples[0].frames_per_second
    if rate is not None:
        set_rate(rate)
    return opened


def _without_stray_keys(
    armature: Object, examples: tuple[ExampleSpec, ...]
) -> tuple[tuple[ExampleSpec, ...], tuple[str, ...]]:
    """Return the examples without keys far from all others, nearly always mistakes, and notes on them."""
    kept, notes = [], []
    for spec in examples:
        assert spec.action is not None
        curves = collect_curves(armature, spec.action, spec.slot)
        stray = stray_keys(curves, *example_range(armature, spec, bpy.context.scene))
        if stray is not None:
            notes.append(f'"{spec.action.name}" has {stray.where}; only {stray.range} are used.')
            spec = replace(spec, frame_start=float(stray.first), frame_end=float(stray.last))
        kept.append(spec)
    return tuple(kept), tuple(notes)


def _longest_seconds(opened: Opened) -> float:
    return max(seconds_of(opened, spec) for spec in opened.examples)


def _sample() -> Opened:
    empty_file()
    set_rate(DEFAULT_RATE)
    added = add_sample_character(bpy.context)
    examples = tuple(ExampleSpec(action, frames_per_second=DEFAULT_RATE) for action in added.actions)
    return Opened(NAME, added.armature, examples)
