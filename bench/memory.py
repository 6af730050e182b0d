# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of presses that once crashed Blender, and of all kinds of presses on rigs of many bones; JSON lines.

Each is in a separate process that is watched. `--only "5,000 bones"` chooses those on the largest rig.

Peaks are resident memory in megabytes; `before` is that of the process when the press began.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import bpy
from bpy.types import Object

import genmm_addon
from genmm_addon.animation.actions import assigned, fcurves_of
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.command_line.command import main as genmm
from genmm_addon.core.examples import budget

from .batch import RATE, WALK, character

MEGABYTE = 1024  # in the system's unit of memory, the kilobyte
FRAMES = 300
LONGEST = 1_048_574
BONES = 65
MANY_BONES, MANY_FRAMES = (300, 1200, 5000), 120
SECOND = "Second"


def sample() -> Object:
    """Return the sample character, selected and playing its walk."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.render.fps = RATE
    made = add_sample_character(bpy.context)
    walk = next(action for action in made.actions if action.name == WALK)
    made.armature.animation_data.action = walk
    bpy.context.view_layer.objects.active = made.armature
    return made.armature


def stray_key(frame: int) -> Callable[[], str]:
    """Return a press on an action with a single key at a distant frame."""

    def generate() -> str:
        action, slot = assigned(sample()) or (None, "")
        fcurves_of(action, slot)[0].keyframe_points.insert(frame, 0.5)
        return _generated(frames=FRAMES)

    return generate


def long_example(frames: int) -> Callable[[], str]:
    """Return a press on a long action of 65 bones."""

    def generate() -> str:
        character(BONES, frames)
        return _generated(frames=FRAMES)

    return generate


def many_examples(count: int) -> Callable[[], str]:
    """Return a press of Generate on a number of walks."""

    def generate() -> str:
        rig = sample()
        action, slot = assigned(rig) or (None, "")
        for _ in range(count):
            row = rig.genmm.examples.add()  # type: ignore[attr-defined]  # registered by the extension
            row.action, row.slot = action.copy(), slot
        return _generated(frames=FRAMES)

    return generate


def command(*words: object) -> Callable[[], str]:
    """Return a run of the command line on the sample character."""

    def generate() -> str:
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "sample.blend"
            sample()
            bpy.ops.wm.save_as_mainfile(filepath=str(path))
            os.chdir(scratch)
            _note_memory()
            status = genmm(["generate", str(path), *map(str, words)])
            size = sum(file.stat().st_size for file in Path(scratch).glob("out*"))
        return f"status {status}, {size / 1e6:.0f} MB written"

    return generate


def many_bones_commands(bones: int, *commands: str) -> Callable[[], str]:
    """Return runs of the command line, one after another, on a character with many bones in `many.blend`."""

    def ran() -> str:
        with tempfile.TemporaryDirectory() as scratch:
            character(bones, MANY_FRAMES)
            bpy.ops.wm.save_as_mainfile(filepath=str(Path(scratch) / "many.blend"))
            os.chdir(scratch)
            _note_memory()
            return "status " + ", ".join(str(genmm(words.split())) for words in commands)

    return ran


def many_bones(work: Callable[[Object], object], bones: int) -> Callable[[], str]:
    """Return a press on a character with many bones and a walk of 120 frames, of which 40 to 70 are chosen."""

    def pressed() -> str:
        rig, scene = character(bones, MANY_FRAMES), bpy.context.scene
        scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 40, 70
        action, _ = assigned(rig) or (None, "")
        action.copy().name = SECOND
        return _outcome(lambda: work(rig))

    return pressed


def _select_result(rig: Object) -> None:
    """Select a generated copy of the character."""
    others = (armature for armature in bpy.data.objects if armature.type == "ARMATURE" and armature != rig)
    bpy.context.view_layer.objects.active = next(others)


def _keep_poses(rig: Object, frames: tuple[int, ...] = (1, 31, 61, 91)) -> None:
    """Leave the action's poses at some frames, as in blocking; the whole walk stays as an example."""
    operators.add_example(played=True)
    action, slot = assigned(rig) or (None, "")
    action = action.copy()
    for curve in fcurves_of(action, slot):
        values = [curve.evaluate(frame) for frame in frames]
        curve.keyframe_points.clear()
        for frame, value in zip(frames, values, strict=True):
            curve.keyframe_points.insert(frame, value, options={"FAST"}).interpolation = "CONSTANT"
        curve.update()
    rig.animation_data.action = action


operators: Any = bpy.ops.genmm  # type: ignore[attr-defined]  # registered by the extension
IN_RANGE: Mapping[str, Any] = {"range_choice": "PREVIEW"}
PRESSES: Mapping[str, Sequence[Callable[[Object], object]]] = {
    "Generate": [lambda _: operators.generate_motion(frames=MANY_FRAMES)],
    "Generate, limbs": [
        lambda rig: setattr(rig.genmm, "part_mode", "LIMBS"),  # type: ignore[attr-defined]  # registered by the extension
        lambda _: operators.generate_motion(frames=MANY_FRAMES),
    ],
    "Pins": [
        lambda _: operators.pin_pose(),
        lambda _: operators.pin_range(action=SECOND, start=90, end=100),
        lambda _: operators.generate_motion(frames=MANY_FRAMES),
    ],
    "Regenerate, Swap": [
        lambda _: operators.generate_motion(frames=MANY_FRAMES),
        _select_result,
        lambda _: operators.regenerate_stretch(first=30, last=60),
        lambda _: operators.swap_stretch(first=30, last=60),
    ],
    "Regenerate Unlocked": [
        lambda _: operators.generate_motion(frames=MANY_FRAMES),
        _select_result,
        lambda _: operators.lock_stretch(first=50, last=70),
        lambda _: operators.regenerate_unlocked(),
    ],
    "Variations, Asset": [
        lambda _: operators.generate_motion(frames=MANY_FRAMES, variations=3),
        _select_result,
        lambda _: operators.mark_asset(),
        lambda _: operators.keep_variation(number=1),
    ],
    "Crowd": [lambda _: operators.make_crowd(agents=4)],
    "Fill Range, Next Filling": [lambda _: operators.fill_range(**IN_RANGE), lambda _: operators.next_filling()],
    "From Blocking to Spline": [_keep_poses, lambda _: operators.blocking_to_spline()],
    "Choose Trajectory": [lambda _: operators.choose_trajectory(**IN_RANGE)],
    "Continue": [lambda _: operators.continue_action()],
    "Connect": [lambda _: operators.connect_action(action=SECOND)],
    "Coarse Keys, Restore": [lambda _: operators.coarse_keys(), lambda _: operators.restore_full_motion()],
    "Make Natural": [lambda _: operators.make_natural(**IN_RANGE)],
    "Simplify Keys": [lambda _: operators.simplify_keys()],
    "Find Flaws, Repair": [lambda _: operators.find_flaws(), lambda _: operators.repair()],
    "Restyle": [lambda _: operators.restyle(other_action=SECOND)],
    "Blend": [lambda _: operators.blend_action(other_action=SECOND)],
    "Read Values": [lambda _: operators.read_attributes(other_action=SECOND)],
    "Edit Attributes": [
        lambda _: operators.edit_attributes(other_action=SECOND, attributes="speed=1x, crouch=1x"),
    ],
    "Root Motion": [lambda _: operators.root_motion_to_bone()],
    "Find Feet": [lambda _: operators.find_feet()],
}
"""The presses on rigs of many bones, each in steps."""
COMMANDS: Mapping[str, Sequence[str]] = {
    "info": ["info many.blend"],
    "FBX": ["generate many.blend --frames 120 -o out.fbx"],
    "glTF": ["generate many.blend --frames 120 -o out.glb"],
    "Library, clusters, search": [
        "library build many.blend -o many.npz",
        "library clusters many.npz --strips strips",
        f"library search many.npz --motion Example --frames 1-{MANY_FRAMES // 2}",
    ],
}
"""Commands on rigs of many bones, in the order in which they run."""


def all_of(steps: Sequence[Callable[[Object], object]]) -> Callable[[Object], object]:
    """Return a press that takes all steps."""
    return lambda rig: [step(rig) for step in steps]


CASES: dict[str, Callable[[], str]] = {
    **{f"a stray key at {frame:,}": stray_key(frame) for frame in (20_000, 100_000, 1_000_000)},
    **{f"an example of {frames:,} frames, {BONES} bones": long_example(frames) for frames in (20_000, 60_000)},
    "1,000 examples": many_examples(1000),
    f"{LONGEST:,} frames, arrays": command("--frames", LONGEST, "--result", "new-action", "-o", "out.npz"),
    f"{LONGEST:,} frames, .blend": command("--frames", LONGEST, "-o", "out.blend"),
    "1,000 seeds in one .blend": command("--frames", FRAMES, "--seeds", "0-999", "-o", "out.blend"),
    **{
        f"{name}, {bones:,} bones": many_bones(all_of(steps), bones)
        for name, steps in PRESSES.items()
        for bones in MANY_BONES
    },
    **{
        f"{name}, {bones:,} bones": many_bones_commands(bones, *commands)
        for name, commands in COMMANDS.items()
        for bones in MANY_BONES
    },
}


def _generated(**values: object) -> str:
    """Return the outcome of a press of Generate."""
    return _outcome(lambda: operators.generate_motion(**values))


def _outcome(work: Callable[[], object]) -> str:
    """Return the outcome of a press: the sentence of a refusal, or that it was done."""
    _note_memory()
    try:
        work()
    except RuntimeError as error:
        return str(error).removeprefix("Error: ").strip()
    return "done"


def _note_memory() -> None:
    """Print the process's present memory."""
    print(f"BEFORE {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // MEGABYTE}", flush=True)


def _watched(name: str) -> dict[str, Any]:
    """Return the figures of a case, measured in a separate process."""
    start = time.perf_counter()
    words = [sys.executable, "-P", "-m", "bench.start", "bench.memory", "--case", name]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    lines = process.stdout.read().splitlines()
    _, status, usage = os.wait4(process.pid, 0)
    said = {line.split()[0]: line.partition(" ")[2] for line in lines if line.startswith(("BEFORE ", "OUTCOME "))}
    return {
        "case": name,
        "outcome": said.get("OUTCOME", f"ended by signal {os.WTERMSIG(status)}" if status else "none"),
        "before_megabytes": int(said.get("BEFORE", 0)),
        "peak_megabytes": usage.ru_maxrss // MEGABYTE,
        "seconds": round(time.perf_counter() - start, 1),
        "notes": [line for line in lines if "instead of" in line or "may be used" in line][:1],
    }


def run(results: TextIO, chosen: str) -> None:
    """Print a JSON line for each case whose name contains `chosen`."""
    print(json.dumps({"budget_megabytes": round(budget() / 2**20)}), file=results, flush=True)
    for name in CASES:
        if chosen in name:
            print(json.dumps(_watched(name)), file=results, flush=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="build.py bench --memory", description=__doc__)
    parser.add_argument("--seeds", type=int, help="as the other benchmarks; these have seeds of their own")
    parser.add_argument("--only", default="", help="the cases with this in their names")
    parser.add_argument("--case", choices=CASES, help="this one, in this process")
    options = parser.parse_args(arguments)
    genmm_addon.register()
    if options.case:
        print("OUTCOME", CASES[options.case](), flush=True)
        return 0
    run(sys.stdout, options.only)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
