# SPDX-License-Identifier: GPL-3.0-or-later
"""Times of the command line for many clips, for crowds and for a large rig, separate from start-up; JSON lines.

The examples come from the sample character: with fingers for 65 bones, or chains for 433, and a generated walk of any
length.
"""

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

import bpy
import numpy as np
from bpy.types import Object

import genmm_addon
from genmm_addon.animation.actions import assign
from genmm_addon.animation.reading.examples import ExampleSpec
from genmm_addon.animation.writing import write_action
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.command_line.command import main as genmm
from genmm_addon.core import rotations
from genmm_addon.generation.generate import Request, compute, read

RATE = 30
WALK = "GenMM Walk"
MEGABYTE = 1024  # in the system's unit of memory, the kilobyte


def character(bones: int, frames: int) -> Object:
    """Return the sample character with `bones` bones, playing a walk of `frames` frames with keys on every bone."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_end = RATE, frames
    sample = add_sample_character(bpy.context)
    rig = sample.armature
    walk = next(action for action in sample.actions if action.name == WALK)
    more = _add_chains(rig, bones - len(rig.data.bones))
    request = Request(rig, (ExampleSpec(walk),), frames=frames, seeds=(1,))
    reading = read(request, scene)
    motion = compute(reading, request)[0].motion
    turned = motion.rotations.copy()
    # Each further bone swings at a rate of its own.
    angles = 0.3 * np.sin(np.arange(frames)[:, None] / RATE * (1.0 + np.arange(len(more)) % 7))
    axes = np.broadcast_to(np.array([1.0, 0.0, 0.0]), (*angles.shape, 3))
    turned[:, [motion.skeleton.names.index(name) for name in more]] = rotations.from_axis_angle(axes, angles)
    keyed = reading.reading.keyed
    every = type(keyed)(
        {**keyed.rotations, **dict.fromkeys(more, "QUATERNION")}, keyed.locations, keyed.scales, keyed.scalars
    )
    channels = motion.channels() | {"rotations": turned}
    written = write_action(motion.with_channels(channels), every, rig, name="Example")
    assign(rig, written.action, written.slot)
    rig.genmm.frames = frames  # type: ignore[attr-defined]  # registered by the extension
    return rig


def _add_chains(rig: Object, count: int) -> list[str]:
    """Add `count` bones, in chains of three on all existing bones in turn, and return their names."""
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bases = [bone.name for bone in rig.data.edit_bones]
    names: list[str] = []
    for number in range(count):
        parent = rig.data.edit_bones[names[-1] if number % 3 else bases[(number // 3) % len(bases)]]
        bone = rig.data.edit_bones.new(f"More {number:03}")
        bone.parent, bone.head = parent, parent.tail
        bone.tail = bone.head + 0.03 * (parent.tail - parent.head).normalized()
        names.append(bone.name)
    bpy.ops.object.mode_set(mode="OBJECT")
    for name in names:
        rig.pose.bones[name].rotation_mode = "QUATERNION"
    return names


def run(results: TextIO, agents: int) -> None:
    """Print the figures of each case as a JSON line."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        person = _saved(folder / "person.blend", 65, 500)
        bush = _saved(folder / "bush.blend", 433, 1000)
        cases: Sequence[tuple[str, Sequence[object]]] = (
            ("100 seeds, 300 frames", ("generate", person, "--frames", 300, "--seeds", "0-99", "-o", "{seed}.npz")),
            (
                f"{agents} agents, 300 frames, arrays",
                ("crowd", person, "--frames", 300, "--agents", agents, "-o", "c.npz"),
            ),
            (
                f"{agents} agents, 300 frames, file",
                ("crowd", person, "--frames", 300, "--agents", agents, "-o", "c.blend"),
            ),
            ("433 bones, 1,000 frames, arrays", ("generate", bush, "--frames", 1000, "-o", "b.npz")),
            ("433 bones, 1,000 frames, file", ("generate", bush, "--frames", 1000, "-o", "b.blend")),
        )
        os.chdir(folder)
        for name, words in cases:
            print(json.dumps({"case": name, **_measured(words)}), file=results, flush=True)
        print(json.dumps({"case": f"{agents} agents opened and played", **_played(folder / "c.blend")}), file=results)


def _saved(path: Path, bones: int, frames: int) -> Path:
    character(bones, frames)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def _measured(words: Sequence[object]) -> dict[str, Any]:
    start = time.perf_counter()
    status = genmm([str(word) for word in (*words, "--quiet")])
    seconds = time.perf_counter() - start
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return {"status": status, "seconds": round(seconds, 3), "peak_megabytes": round(peak / MEGABYTE)}


def _played(path: Path) -> dict[str, Any]:
    start = time.perf_counter()
    bpy.ops.wm.open_mainfile(filepath=str(path))
    opened = time.perf_counter() - start
    start = time.perf_counter()
    for frame in range(1, 11):
        bpy.context.scene.frame_set(frame)
    played = (time.perf_counter() - start) / 10
    megabytes = path.stat().st_size / 1e6
    return {"open_seconds": round(opened, 3), "frame_seconds": round(played, 3), "file_megabytes": round(megabytes)}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="build.py bench --batch", description=__doc__)
    parser.add_argument("--seeds", type=int, help="as the other benchmarks; these have seeds of their own")
    parser.add_argument("--agents", type=int, default=1000)
    options = parser.parse_args(arguments)
    genmm_addon.register()
    # Blender prints to stdout, which is reserved for the JSON lines.
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    run(results, options.agents)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
