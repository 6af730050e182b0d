# SPDX-License-Identifier: GPL-3.0-or-later
"""White noise added to the joint positions of a folder's clips, fitted to rotations, and its rest after repair.

Errors in the JSON lines are root mean squares over all joints of the body and frames, in cm at a height of 170 cm. The
best Gaussian is chosen for each clip with knowledge of the truth, which no filter has. The first lines are about flaws
put into clips and found, and about feet that slide: see `measure_flaws` and `measure_slides`.
"""

import argparse
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import InputError, Motion
from genmm_addon.core.library import ClipLibrary, IndexedMotions, TagPattern, index_motions
from genmm_addon.core.motion import gaussian
from genmm_addon.core.repair import denoised, fit_to_places
from genmm_addon.libraries.building import Plan, build
from genmm_addon.libraries.takes import files_in

from .measures.flaw_measures import measure_flaws
from .measures.slide_measures import measure_slides
from .measures.transfer_measures import BODY
from .motions.clip_lists import CHOSEN_ON, KEPT_ASIDE

Float64 = NDArray[np.float64]

DEVIATIONS = (0.5, 2.0, 5.0)
"""Standard deviation of noise in each coordinate, in centimeters."""
WIDTHS = (0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0)
"""Standard deviations of Gaussian filters, in frames."""
FIT_STEPS = 8
SLIDE_SEEDS = (1, 2, 3)
OTHERS = 60
"""Number of clips that are in neither list, taken from the whole folder."""


def measure(ready: IndexedMotions, library: ClipLibrary, number: int, deviation: float, seed: int) -> dict[str, float]:
    """Return the remaining error of one clip after each method, in cm."""
    truth, plan = ready.motions[number], ready.index.space.plan
    # Joints above the root, if there are any, do not affect the pose.
    body = np.flatnonzero(np.any([truth.skeleton.descendants(int(joint)) for joint in plan.anchored], axis=0))
    places, unit = _places(truth), truth.skeleton.size / BODY
    noise = np.random.default_rng(seed).normal(0.0, deviation * unit, places.shape)
    given = fit_to_places(truth, places + noise, body, plan.joint, steps=FIT_STEPS)

    def left(made: Motion) -> float:
        away = (_places(made) - places)[:, body]
        return float(np.sqrt(np.square(away).sum(axis=2).mean())) / unit

    filtered = [_filtered(_places(given), width) for width in WIDTHS]
    tags = library.clips[number].tags
    same = np.array([clip.tags == tags for clip in library.clips])
    clip = np.arange(len(same)) == number
    return {
        "noisy": left(given),
        "best_gaussian": min(left(fit_to_places(given, candidate, body, plan.joint)) for candidate in filtered),
        "filters": left(denoised(given, plan)),
        "without_clip": left(denoised(given, plan, ready, ~clip)),
        "without_action_and_style": left(denoised(given, plan, ready, ~same)),
    }


def _filtered(values: Float64, width: float) -> Float64:
    reach, flat = max(1, round(3 * width)), values.reshape(len(values), -1)
    padded = np.pad(flat, ((reach, reach), (0, 0)), mode="reflect", reflect_type="odd")
    bell = gaussian(reach, width)
    return np.stack([np.convolve(column, bell, "valid") for column in padded.T], axis=1).reshape(values.shape)


def _places(motion: Motion) -> Float64:
    return np.asarray(motion.pose()[1], np.float64)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="build.py bench --repair", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pattern", default="{}_{action}_{style}_{}")
    options = parser.parse_args(arguments)
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        library = build(files_in(options.folder), Plan((TagPattern(options.pattern),))).library
        ready = index_motions([library.motion(number) for number in range(len(library.clips))])
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    numbers = {clip.name: number for number, clip in enumerate(library.clips)}
    others = [name for name in numbers if name not in {*CHOSEN_ON, *KEPT_ASIDE}]
    for chosen, names in (
        ("chosen on", CHOSEN_ON),
        ("kept aside", KEPT_ASIDE),
        ("others", others[:: max(len(others) // OTHERS, 1)][:OTHERS]),
    ):
        motions = [ready.motions[numbers[name]] for name in names if name in numbers]
        if motions:
            print(json.dumps({"clips": chosen, **_rounded(measure_flaws(motions, 1))}), file=results, flush=True)
        for seed in SLIDE_SEEDS:
            slides = {"clips": chosen, "seed": seed, **_rounded(measure_slides(motions, seed))}
            print(json.dumps(slides), file=results, flush=True)
    for deviation in DEVIATIONS:
        for chosen, names in (("chosen on", CHOSEN_ON), ("kept aside", KEPT_ASIDE)):
            rows = []
            for name in (name for name in names if name in numbers):
                rows.append(measure(ready, library, numbers[name], deviation, 1))
                line: dict[str, Any] = {"clip": name, "noise": deviation, **_rounded(rows[-1])}
                print(json.dumps(line), file=results, flush=True)
            if rows:
                means = {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}
                line = {"clips": chosen, "count": len(rows), "noise": deviation, **_rounded(means)}
                print(json.dumps(line), file=results, flush=True)
    return 0


def _rounded(row: Mapping[str, float]) -> dict[str, float]:
    return {key: round(value, 2) for key, value in row.items()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
