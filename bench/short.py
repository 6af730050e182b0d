# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of examples cut short: transitions in 5 s, and speed, for each length and rate; JSON lines."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import bpy
import numpy as np

from genmm_addon.core import InputError, Motion, Synthesis, prepare, synthesize
from genmm_addon.core.motion import resample
from genmm_addon.generation.generate import Request, read

from .motions.clips import sources

SECONDS = (1 / 3, 0.5, 2 / 3, 1.0, 1.5, 2.0, 3.0, 5.0)
RATES = (30.0, 60.0, 120.0)
RESULT_SECONDS = 5.0
STARTS = (0.25, 0.6)
"""Starts of the cut pieces, as shares of the clip's remaining length."""


def transitions(result: Synthesis) -> int:
    """Return how often the first part leaves its example."""
    changed = np.diff(result.source_examples[:, 0]) != 0
    return int(np.sum(changed | (np.abs(np.diff(result.source_frames[:, 0]) - 1) > 0.51)))


def mean_speed(motion: Motion) -> float:
    """Return the mean distance of joints from frame to frame."""
    steps = np.diff(motion.pose()[1].astype(np.float64), axis=0)
    return float(np.linalg.norm(steps, axis=2).mean())


def measure(clip: str, motion: Motion, seeds: int, results: TextIO) -> None:
    """Print the figures of a clip at its rate, for each length up to its own."""
    rate = motion.frames_per_second
    for seconds in SECONDS:
        frames = round(seconds * rate)
        if frames + 1 > motion.frames:
            break
        pieces = [motion.slice(start, start + frames) for start in _starts(motion.frames - frames)]
        counts: list[int] = []
        speeds: list[float] = []
        for piece in pieces:
            prepared = prepare([piece])
            made = [synthesize(prepared, round(RESULT_SECONDS * rate), seed=seed) for seed in range(seeds)]
            counts += [transitions(result) for result in made]
            speeds += [mean_speed(result.motion) / max(mean_speed(piece), 1e-9) for result in made]
        line = {
            "clip": clip,
            "rate": rate,
            "seconds": round(seconds, 2),
            "transitions": round(float(np.mean(counts)), 1),
            "speed": round(float(np.mean(speeds)), 2),
            "lowest_speed": round(min(speeds), 2),
        }
        print(json.dumps(line), file=results, flush=True)


def _starts(room: int) -> Sequence[int]:
    return [int(share * room) for share in STARTS]


def run(motions: Path | None, seeds: int, results: TextIO) -> None:
    """Print the figures of every clip at each of its rates; a clip that cannot be used gets a sentence."""
    for name, open_clips in sources(motions):
        try:
            for clip in open_clips():
                bpy.context.scene.render.fps = int(max(RATES))
                request = Request(clip.armature, (clip.example,), frames=1)
                whole = read(request, bpy.context.scene).reading.motions[0]
                for rate in RATES:
                    if whole.frames_per_second >= 0.98 * rate:
                        measure(clip.name, resample(whole, rate)[0], seeds, results)
        except InputError as error:
            print(json.dumps({"clip": name, "error": str(error)}), file=results, flush=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="build.py bench --short", description=__doc__)
    parser.add_argument("--motions", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args(arguments)
    run(options.motions, min(options.seeds, 3), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
