# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps filled out of a folder of clips, beside interpolation: L2P, L2Q, NPSS, and how well durations are found.

Gaps begin at any frame of the folder with equal chance (a seed for each length). The half second on both sides is
known, or the poses alone. Either the clip itself is left out, or every clip of its action and style.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import InputError, Motion, metrics, rotations
from genmm_addon.core.clips import ClipLibrary, TagPattern
from genmm_addon.core.infill import FillingLibrary, Gap, cost_durations, fill_gap, prepare_filling
from genmm_addon.libraries.building import Plan, build
from genmm_addon.libraries.takes import files_in

LENGTHS = (15, 30, 60)
"""Frames that are missing."""
KNOWN = 15
DURATIONS = range(8, 91, 2)
CLEARLY = 1.5
"""A duration is clearly best where each that differs by more than a fifth costs this many times as much."""
BODY = 170.0
"""Height to which L2P counts, in centimeters."""

Row = dict[str, Any]


def gaps(library: ClipLibrary, frames: int, count: int, seed: int) -> list[tuple[int, int]]:
    """Return clips and the frames of them before which gaps begin, `frames` frames from pose to pose."""
    random, found = np.random.default_rng([seed, frames]), list[tuple[int, int]]()
    while len(found) < count:
        at = int(random.integers(library.frames))
        clip = library.clip_at(at)
        first = at - library.clips[clip].start
        if first >= 2 and first + frames < library.clips[clip].frames - 2:
            found.append((clip, first))
    return found


def interpolated(motion: Motion, first: int, frames: int) -> Motion:
    """Return the shortest way between two frames: slerp of rotations, lerp of translations."""
    share = np.arange(frames + 1) / frames
    start, end = motion.slice(first, first + 1), motion.slice(first + frames, first + frames + 1)
    shape = (frames + 1, *motion.rotations.shape[1:])
    turns = rotations.slerp(
        np.broadcast_to(start.rotations, shape),
        np.broadcast_to(end.rotations, shape),
        np.broadcast_to(share[:, None], shape[:2]),
    )
    moves = start.translations + (end.translations - start.translations) * share[:, None, None]
    channels = motion.slice(first, first + frames + 1).channels()
    return motion.with_channels(
        {**channels, "rotations": turns.astype(np.float32), "translations": moves.astype(np.float32)}
    )


def measure(
    ready: FillingLibrary, library: ClipLibrary, missing: int, count: int, whole_style: bool, known: int = KNOWN
) -> Row:
    """Return the row of one length; known: frames on each side of a gap besides its pose."""
    frames, values, seconds, hits = missing + 1, list[list[float]](), list[float](), list[bool]()
    for clip, first in gaps(library, frames, count, seed=0):
        motion, allowed = ready.motions[clip], _allowed(library, clip, whole_style)
        gap = Gap(
            motion.slice(max(0, first - known), first + 1),
            motion.slice(first + frames, min(first + frames + known + 1, motion.frames)),
        )
        start = time.perf_counter()
        filled = fill_gap(ready, gap, frames, allowed=allowed)[0].motion.slice(1, frames)
        seconds.append(time.perf_counter() - start)
        truth = motion.slice(first + 1, first + frames)
        linear = interpolated(motion, first, frames).slice(1, frames)
        values.append(
            [
                measured(one, truth)
                for measured in (metrics.l2_positions, metrics.l2_quaternions, metrics.npss)
                for one in (filled, linear)
            ]
        )
        found = cost_durations(ready.index, gap, DURATIONS, allowed)
        others = np.abs(found.durations - found.best) > 0.2 * found.best
        if found.costs[others].min(initial=np.inf) >= CLEARLY * found.costs.min():
            hits.append(abs(found.best - frames) <= 0.2 * frames)
    means = np.mean(values, axis=0)
    means[:2] *= BODY / library.skeleton.size
    names = ("l2p", "l2p_linear", "l2q", "l2q_linear", "npss", "npss_linear")
    return {
        "missing": missing,
        "left_out": "action and style" if whole_style else "clip",
        "gaps": count,
        "ratio": round(float(means[0] / means[1]), 3),
        **{name: round(float(value), 4) for name, value in zip(names, means, strict=True)},
        "clear_durations": len(hits),
        "within_a_fifth": round(float(np.mean(hits)), 3) if hits else None,
        "seconds": round(float(np.median(seconds)), 3),
    }


def _allowed(library: ClipLibrary, clip: int, whole_style: bool) -> NDArray[np.bool_]:
    own = dict(library.clips[clip].tags)
    if not whole_style:
        return np.asarray(np.arange(len(library.clips)) != clip)
    return np.array([dict(other.tags) != own for other in library.clips])


def run(folder: Path, pattern: str, count: int, known: int, results: TextIO) -> None:
    """Print one JSON line for each length and for what is left out."""
    library = build(files_in(folder), Plan((TagPattern(pattern),))).library
    start = time.perf_counter()
    ready = prepare_filling([library.motion(number) for number in range(len(library.clips))])
    prepared = {"clips": len(library.clips), "frames": library.frames, "seconds": round(time.perf_counter() - start, 2)}
    print(json.dumps(prepared), file=results, flush=True)
    for whole_style in (True, False):
        for missing in LENGTHS:
            print(json.dumps(measure(ready, library, missing, count, whole_style, known)), file=results, flush=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="build.py bench --filling", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pattern", default="{}_{action}_{style}_{}")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--gaps", type=int, default=40)
    parser.add_argument("--lone-poses", action="store_true", help="nothing but the two poses is known, as in blocking")
    options = parser.parse_args(arguments)
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        run(options.folder, options.pattern, options.gaps, 0 if options.lone_poses else KNOWN, results)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
