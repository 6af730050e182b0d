# SPDX-License-Identifier: GPL-3.0-or-later
"""Costs and accuracy of control, for each example: pins, key poses, a kept part, a loop, a path, a signal."""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import bpy
import numpy as np

from genmm_addon.core import (
    Constraints,
    Facing,
    InputError,
    Loop,
    Motion,
    PoseConstraint,
    Prepared,
    RootPath,
    Synthesis,
    metrics,
    prepare,
    rotations,
    synthesize,
)
from genmm_addon.core.motion import resample
from genmm_addon.generation.generate import Request, read

from .measures.followed_measures import followed_rows
from .motions.clips import RATE, Clip, sources, without_rest_start

FRAMES = 300
TIMES = 5
SHORTEST = 2 * RATE
KINDS = ("pins", "key poses", "given part", "loop", "path")

Row = dict[str, Any]


def measure(name: str, motion: Motion, seeds: int) -> list[Row]:
    """Return a row for each kind of control: its accuracy, and its cost relative to plain synthesis and preparation."""
    prepared = prepare([motion])
    other = synthesize(prepared, FRAMES, seed=10_007).motion
    plain = _seconds(lambda: synthesize(prepare([motion]), FRAMES))
    rows = []
    for kind in KINDS:
        constraints = constraints_of(kind, prepared, other)
        if constraints is None:
            continue
        results = [synthesize(prepared, FRAMES, constraints=constraints, seed=seed) for seed in range(seeds)]
        took = _seconds(partial(_once, motion, constraints))
        rows.append(
            {
                "clip": name,
                "control": kind,
                "seconds": round(took, 4),
                "of_plain": round(took / plain, 3),
                "speed_largest": round(max(metrics.speed_ratios(result.motion, motion)[1] for result in results), 3),
                **errors_of(kind, prepared, constraints, results),
            }
        )
    for signal, row in followed_rows(prepared, FRAMES, seeds):
        took = _seconds(partial(_once, motion, signal))
        rows.append({"clip": name, "seconds": round(took, 4), "of_plain": round(took / plain, 3), **row})
    return rows


def _once(motion: Motion, constraints: Constraints) -> None:
    synthesize(prepare([motion]), FRAMES, constraints=constraints)


def constraints_of(kind: str, prepared: Prepared, other: Motion) -> Constraints | None:
    """Return the constraints of a kind of control; None for a path if the example does not travel."""
    if kind == "loop":
        return Constraints(loop=Loop.TRAVEL)
    if kind == "path":
        travels = not prepared.root.in_place and prepared.root.facing is Facing.FREE
        return Constraints(path=_curve(prepared)) if travels else None
    joints = np.zeros((FRAMES, len(other.skeleton.names)), bool)
    place = np.zeros(FRAMES, bool)
    if kind == "given part":
        joints[:, : len(other.skeleton.names) // 2] = True
        place[:] = joints[0, prepared.root.joint]
    else:
        at = [60, 150, 240] if kind == "pins" else list(range(15, FRAMES, 30))
        joints[at], place[at] = True, True
    return Constraints(PoseConstraint(other, joints, place))


def _curve(prepared: Prepared) -> RootPath:
    """Return an S-shaped path with the length that the example covers in the result's time."""
    skeleton, track = prepared.motions[0].skeleton, prepared.examples.tracks[0]
    length = float(np.linalg.norm(track.velocity, axis=1).mean()) * FRAMES
    share, up = np.linspace(0.0, 1.0, 400), np.array(skeleton.up)
    ahead = np.eye(3)[int(np.argmin(np.abs(up)))]
    aside = np.cross(up, ahead)
    swing = 0.5 * skeleton.size * np.sin(2 * np.pi * share)
    return RootPath(share[:, None] * length * ahead + swing[:, None] * aside)


def errors_of(kind: str, prepared: Prepared, constraints: Constraints, results: Sequence[Synthesis]) -> Row:
    """Return the largest errors over the results.

    Differences from fixed poses are in degrees and sizes of the skeleton, the seam of a loop in steps of the example.
    """
    size, root = prepared.motions[0].skeleton.size, prepared.root.joint
    poses, row = constraints.poses, {}
    if poses is not None:
        turned = [
            rotations.angle_between(result.motion.rotations, poses.motion.rotations)[poses.joints] for result in results
        ]
        row["degrees_off"] = round(float(np.degrees(max(angles.max() for angles in turned))), 4)
        if poses.place.any():
            there = poses.motion.pose()[1][poses.place, root]
            off = [np.abs(result.motion.pose()[1][poses.place, root] - there).max() / size for result in results]
            row["place_off"] = round(float(max(off)), 5)
    if constraints.loop is not Loop.OFF:
        steps = [np.linalg.norm(np.diff(result.motion.pose()[1][-2:], axis=0), axis=2).max() for result in results]
        highest = float(np.linalg.norm(np.diff(prepared.motions[0].pose()[1], axis=0), axis=2).max())
        row["seam"] = round(float(max(steps)) / highest, 3)
    if constraints.path is not None:
        row["path_off"] = round(max(off_path(result.motion, root, constraints.path, size) for result in results), 4)
    return row


def off_path(motion: Motion, root: int, path: RootPath, size: float) -> float:
    """Return the mean distance of the root from the path, to its side and without its sway, in sizes of the skeleton.

    The sway is smoothed out of the distances, since the smoothed places of a body on a circle are inside of it.
    """
    up, count = np.array(motion.skeleton.up), len(path.points)
    dense = np.stack(
        [np.interp(np.linspace(0, count - 1, 10 * count), np.arange(count), line) for line in path.points.T], axis=1
    )
    dense -= (dense @ up)[:, None] * up
    aside = np.cross(up, np.gradient(dense, axis=0))
    aside /= np.linalg.norm(aside, axis=1)[:, None]
    places = motion.pose()[1][:, root].astype(np.float64)
    places -= (places @ up)[:, None] * up
    nearest = [int(np.linalg.norm(dense - place, axis=1).argmin()) for place in places]
    distances = np.einsum("td,td->t", places - dense[nearest], aside[nearest])
    bell = np.hanning(round(motion.frames_per_second) + 2)[1:-1]
    return float(np.abs(np.convolve(distances, bell / bell.sum(), "valid")).mean()) / size


def _seconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(TIMES):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure_clip(clip: Clip, seeds: int) -> list[Row]:
    """Return the rows of a clip at 30 fps; empty if it is too short. Raises InputError."""
    request = without_rest_start(Request(clip.armature, (clip.example,), frames=1))
    motion = resample(read(request, bpy.context.scene).reading.motions[0], RATE)[0]
    return measure(clip.name, motion, seeds) if motion.frames >= SHORTEST else []


def run(motions: Path | None, seeds: int, results: TextIO) -> None:
    """Print a JSON line for each example and kind of control; clips that cannot be used get a sentence on stderr."""
    for _, open_clips in sources(motions):
        try:
            for clip in open_clips():
                try:
                    rows = measure_clip(clip, seeds)
                except InputError as error:
                    print(f"{clip.name}: {error}", file=sys.stderr)
                    continue
                for row in rows:
                    print(json.dumps(row), file=results, flush=True)
        except InputError as error:
            print(error, file=sys.stderr)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="build.py bench --control", description=__doc__)
    parser.add_argument("--motions", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args(arguments)
    if options.motions and not options.motions.is_dir():
        parser.error(f"there is no folder {options.motions}")
    if options.seeds < 1:
        parser.error("--seeds must be 1 or more")
    # Blender's importers print to stdout, which is reserved for the JSON lines.
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    run(options.motions, options.seeds, results)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
