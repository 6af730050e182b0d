# SPDX-License-Identifier: GPL-3.0-or-later
"""Times of reading, synthesis and writing, as a JSON line for each example; `--save` keeps the motions."""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO, TypeVar

import bpy
import numpy as np

from genmm_addon.animation.rig import OBJECT_JOINT
from genmm_addon.core import InputError
from genmm_addon.core.motion import resample
from genmm_addon.generation.generate import Request, SceneReading, compute, read, write

from .motions.clip_arrays import layout_of, position_error, save
from .motions.clips import RATE, Clip, sources, without_rest_start

TIMES = 3

Made = TypeVar("Made")


def measure(clip: Clip, seeds: int, folder: Path | None) -> dict[str, Any]:
    """Read, synthesize and write an example at 30 fps, of twice its length; times are medians in seconds."""
    scene = bpy.context.scene
    request = without_rest_start(Request(clip.armature, (clip.example,), frames=1))
    read_s, reading = _timed(lambda: read(request, scene))
    motion = resample(reading.reading.motions[0], RATE)[0]
    request = replace(request, frames=2 * motion.frames)
    synthesis_s, syntheses = _timed(lambda: compute(reading, request))
    write_s, _ = _timed(lambda: write(bpy.context, request, reading, syntheses))
    result = {
        "clip": clip.name,
        "joints": len(motion.skeleton.names),
        "example_frames": motion.frames,
        "frames": request.frames,
        "t_pose_left_out": request.examples[0].skip_first_frame,
        "visual": reading.reading.visual,
        "read_s": round(read_s, 4),
        "synthesis_s": round(synthesis_s, 4),
        "write_s": round(write_s, 4),
        "total_s": round(read_s + synthesis_s + write_s, 4),
    }
    if folder is not None:
        result |= _save(clip, reading, replace(request, seeds=tuple(range(seeds))), folder)
    return result


def _save(clip: Clip, reading: SceneReading, request: Request, folder: Path) -> dict[str, Any]:
    """Save the example as used, and one result per seed; return values for the JSON line."""
    example = resample(reading.reading.motions[0], RATE)[0]
    world = np.array(clip.armature.matrix_world, np.float64)
    if example.skeleton.names[0] == OBJECT_JOINT:
        world = world @ np.linalg.inv(np.array(clip.armature.matrix_basis, np.float64))
    layout = layout_of(example, clip.file_axes @ world[:3])
    save(folder, f"{clip.name}_example", example, layout)
    start = time.perf_counter()
    syntheses = compute(reading, request)
    each = (time.perf_counter() - start) / len(syntheses)
    for seed, synthesis in zip(request.seeds, syntheses, strict=True):
        save(folder, f"{clip.name}_seed{seed:03d}", synthesis.motion, layout)
    return {
        "seeds": len(request.seeds),
        "synthesis_each_s": round(each, 4),
        "saved_joints": len(layout.names),
        "saved_position_error": round(position_error(example, layout), 6),
    }


def _timed(work: Callable[[], Made]) -> tuple[float, Made]:
    """Return the median time of several runs, and the last run's result."""
    times = []
    for _ in range(TIMES):
        start = time.perf_counter()
        made = work()
        times.append(time.perf_counter() - start)
    return statistics.median(times), made


def run(motions: Path | None, folder: Path | None, seeds: int, results: TextIO) -> None:
    """Print a JSON line for each example; a file or example that cannot be used gets a sentence."""

    def tell(line: dict[str, Any]) -> None:
        about = {"blender": bpy.app.version_string, "numpy": np.__version__}
        print(json.dumps({**line, **about}), file=results, flush=True)

    for name, open_clips in sources(motions):
        try:
            for clip in open_clips():
                try:
                    tell(measure(clip, seeds, folder))
                except InputError as error:
                    tell({"clip": clip.name, "error": str(error)})
        except InputError as error:
            tell({"clip": name, "error": str(error)})


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="build.py bench", description=__doc__)
    parser.add_argument("--motions", type=Path)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args(arguments)
    if options.motions and not options.motions.is_dir():
        parser.error(f"there is no folder {options.motions}")
    if options.seeds < 1:
        parser.error("--seeds must be 1 or more")
    if options.save:
        options.save.mkdir(parents=True, exist_ok=True)
    # Blender's importers print to stdout, which is reserved for the JSON lines.
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    run(options.motions, options.save, options.seeds, results)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
