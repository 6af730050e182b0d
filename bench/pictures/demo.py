# SPDX-License-Identifier: GPL-3.0-or-later
"""Five variations of one motion, saved as `demo.blend` and shown in `demo.png` and, animated, in `demo.webp`.

On the beat, the sample's dance, or the longest motion of a file, follows `demo.wav`, drums whose tempo changes.
"""

import argparse
import os
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import bpy
from bpy.types import Object, Scene

from genmm_addon.animation.actions import assign, clear_assignment
from genmm_addon.animation.reading.examples import ExampleSpec, example_range, has_rest_start
from genmm_addon.animation.scene_time import scene_rate
from genmm_addon.animation.signals.beat_markers import mark_found_beats
from genmm_addon.animation.signals.follows import FOLLOWS, FollowedSignal
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.core import InputError
from genmm_addon.core.motion import resample
from genmm_addon.files.import_file import import_file
from genmm_addon.generation.generate import Request, compute, read, write
from genmm_addon.generation.results import Result

from ..motions.sounds import changing_tempo, rhythm, write_wav
from .contact_sheet import Row, render
from .moving_picture import film

RATE = 30
VARIATIONS = 5
SHORTEST = 3 * RATE
"""Least number of frames of results, so that those of short examples show something."""
TEMPOS = (110.0, 130.0)
"""Beats per minute of the first and the second half of the drums, on both sides of the dance's own tempo."""


class Demo:
    """One run, which prints each step and its time on the console."""

    def __init__(self, folder: Path, console: TextIO) -> None:
        self.folder = folder
        self.console = console

    def run(self, source: Path | None, on_beat: bool = False) -> None:
        """Make the files in the folder. Raises InputError if the source cannot be used."""
        bpy.ops.wm.read_factory_settings(use_empty=True)
        scene = bpy.context.scene
        scene.render.fps, scene.render.fps_base = RATE, 1.0
        with self._step(f"{source.name} imported" if source else "sample character added"):
            armature, example = _imported(source) if source else _sample(-1 if on_beat else 0)
        with self._step(f'"{example.action.name}" read'):
            request = _without_rest_start(Request(armature, (example,), frames=1, extend_playback=True), scene)
            reading = read(request, scene)
        frames = resample(reading.reading.motions[0], RATE)[0].frames
        request = replace(request, frames=max(frames, SHORTEST), seeds=tuple(range(VARIATIONS)))
        if on_beat:
            with self._step("drums made, and their beats found"):
                request = self._with_drums(request, scene)
                reading = read(request, scene)
        with self._step(f"{VARIATIONS} variations of {request.frames} frames synthesized"):
            syntheses = compute(reading, request)
        with self._step("their characters written"):
            results = write(bpy.context, request, reading, syntheses)
        start = _play_at_speed(armature, request.examples[0], scene)
        with self._step("saved"):
            blend = self.folder / "demo.blend"
            bpy.context.preferences.filepaths.save_version = 0
            bpy.ops.wm.save_as_mainfile(filepath=str(blend), check_existing=False, compress=True)
        print(f"\n{blend}\n", file=self.console, flush=True)  # before the pictures, which take longest
        rows = _rows(armature, example.action.name, start, frames, results, request, scene)
        picture = self.folder / "demo.png"
        with self._step("picture rendered"):
            renderer = render(rows, scene, picture)
        moving = self.folder / "demo.webp"
        with self._step("moving picture rendered"):
            film(rows, scene, moving)
        for number, synthesis in enumerate(syntheses, start=1):
            for match in synthesis.followed:
                print(f"Variation {number}: {match.accented} of {match.beats} beats have an accent", file=self.console)
        for note in (*reading.notes, *results[0].notes, f"the picture is by {renderer}."):
            print(f"Note: {note}", file=self.console)
        print(f"\n{picture}\n{moving}", file=self.console, flush=True)

    def _with_drums(self, request: Request, scene: Scene) -> Request:
        """Return the request to follow drums, which the scene plays if this Blender has sound; beats are marked."""
        seconds = request.frames / scene_rate(scene)
        drums = write_wav(self.folder / "demo.wav", rhythm(changing_tempo(TEMPOS, seconds), seconds))
        scene.frame_end = scene.frame_start + request.frames - 1
        mark_found_beats(scene, str(drums), scene.frame_start, request.frames)
        if bpy.app.build_options.audaspace:
            editor: Any = scene.sequence_editor_create()
            strips = editor.strips if hasattr(editor, "strips") else editor.sequences
            strips.new_sound("Drums", str(drums), 1, scene.frame_start)
        return replace(request, follows=FOLLOWS.text([FollowedSignal("SOUND", str(drums), "", "BEATS")]))

    @contextmanager
    def _step(self, what: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        print(f"{time.perf_counter() - start:6.2f} s  {what}", file=self.console, flush=True)


def _sample(action: int) -> tuple[Object, ExampleSpec]:
    sample = add_sample_character(bpy.context)
    return sample.armature, ExampleSpec(sample.actions[action])


def _imported(source: Path) -> tuple[Object, ExampleSpec]:
    """Return the file's first character with the longest of its actions."""
    character = import_file(source, bpy.context)[0]

    def seconds(example: ExampleSpec) -> float:
        start, end = example_range(character.armature, example, bpy.context.scene)
        return end - start

    example = max(character.examples, key=seconds)
    assign(character.armature, example.action, example.slot)
    return character.armature, example


def _without_rest_start(request: Request, scene: Scene) -> Request:
    """Return the request without a T-pose in its example's first frame."""
    if not has_rest_start(read(request, scene).reading.motions[0]):
        return request
    return replace(request, examples=(replace(request.examples[0], skip_first_frame=True),))


def _play_at_speed(armature: Object, example: ExampleSpec, scene: Scene) -> float:
    """Start the example with the scene and at its own rate, on an NLA strip if needed, and return its first frame."""
    start, end = example_range(armature, example, scene)
    start += example.skip_first_frame
    rate = example.frames_per_second or scene_rate(scene)
    if rate == scene_rate(scene) and start == scene.frame_start:
        return start
    clear_assignment(armature)
    track = armature.animation_data.nla_tracks.new()
    track.name = "Example"
    strip = track.strips.new(example.action.name, scene.frame_start, example.action)
    if example.slot and hasattr(strip, "action_slot"):
        strip.action_slot = next(slot for slot in example.action.slots if slot.identifier == example.slot)
    strip.action_frame_start, strip.action_frame_end = start, end
    strip.scale = scene_rate(scene) / rate
    return float(scene.frame_start)


def _rows(
    armature: Object, name: str, start: float, frames: int, results: list[Result], request: Request, scene: Scene
) -> list[Row]:
    """Return the rows of the example and its variations, each from its own start to its own end."""
    rate = scene_rate(scene)
    first = scene.frame_start
    example = Row(f"Example: {name}", armature, start, start + frames - 1, rate)
    variations = [
        Row(f"Variation {number}, seed {result.seed}", result.object, first, first + request.frames - 1, rate)
        for number, result in enumerate(results, start=1)
    ]
    return [example, *variations]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="build.py demo", description=__doc__)
    parser.add_argument("--input", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--on-beat", action="store_true")
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    # Blender and its drivers print much that is harmless: it goes into a file, and our own lines to the console.
    console = os.fdopen(os.dup(1), "w", encoding="utf-8")
    with open(options.output / "blender.log", "wb") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    try:
        Demo(options.output, console).run(options.input, options.on_beat)
    except InputError as error:
        print(f"demo: {error}", file=console, flush=True)
        return 2
    except Exception:
        traceback.print_exc(file=console)
        console.flush()
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
