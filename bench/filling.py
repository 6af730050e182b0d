# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps filled from a folder of clips, compared with interpolation: L2P, L2Q, NPSS, and the durations found.

Gaps begin at any frame of the folder with equal probability, from a seed for each length. Either half a second on both
sides is known, or only the poses. Either the clip itself is excluded, or every clip of its action and style. Gaps for
which no similar clip is then left in the folder (of the action and style, or of the action) are counted separately.
"""

import argparse
import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import InputError, Motion, metrics, rotations
from genmm_addon.core.infill import cost_durations, fill_gap
from genmm_addon.core.library import ClipLibrary, IndexedMotions, TagPattern, index_motions
from genmm_addon.core.motion import Gap
from genmm_addon.libraries.building import Plan, build
from genmm_addon.libraries.takes import files_in

LENGTHS = (15, 30, 60)
"""Numbers of missing frames."""
LEFT_OUT = {"style": True, "clip": False}
KNOWN = 15
DURATIONS = range(8, 91, 2)
CLEARLY = 1.5
"""Factor of costs by which a duration is clearly the best: the least of all durations that differ by over a fifth."""
BODY = 170.0
"""Body height to which L2P is scaled, in centimeters."""

Row = dict[str, Any]


def gaps(library: ClipLibrary, frames: int, count: int, seed: int) -> list[tuple[int, int]]:
    """Return clips and frames before which gaps of `frames` frames, from pose to pose, begin."""
    random, found = np.random.default_rng([seed, frames]), list[tuple[int, int]]()
    while len(found) < count:
        at = int(random.integers(library.frames))
        clip = int(np.searchsorted(library.stops, at, side="right"))
        first = at - library.clips[clip].start
        if first >= 2 and first + frames < library.clips[clip].frames - 2:
            found.append((clip, first))
    return found


def interpolated(motion: Motion, first: int, frames: int) -> Motion:
    """Return the linear interpolation between two frames: slerp of rotations, lerp of translations."""
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


@dataclass(frozen=True)
class GapSample:
    """The gaps to measure: `count` gaps of `missing` frames; known: frames on each side in addition to the pose."""

    missing: int
    count: int
    whole_style: bool
    known: int = KNOWN


@dataclass(frozen=True)
class _Filled:
    """The result for one gap. values: L2P, L2Q and NPSS, of ours and of the interpolation each.

    seconds: elapsed. akin: whether a similar clip was left. clear: whether the best duration is within a fifth
    of the gap's own; None if no duration is clearly the best.
    """

    values: list[float]
    seconds: float
    akin: bool
    clear: bool | None


def measure(ready: IndexedMotions, library: ClipLibrary, sample: GapSample) -> Row:
    """Return the row of one length."""
    places = gaps(library, sample.missing + 1, sample.count, seed=0)
    filled = [_measured(ready, library, sample, clip, first) for clip, first in places]
    values = np.array([gap.values for gap in filled])
    means, akin = values.mean(axis=0), np.array([gap.akin for gap in filled])
    means[:2] *= BODY / library.skeleton.size
    names = ("l2p", "l2p_linear", "l2q", "l2q_linear", "npss", "npss_linear")
    ours, linear = values[:, 0], values[:, 1]
    hits = [gap.clear for gap in filled if gap.clear is not None]
    return {
        "missing": sample.missing,
        "left_out": "action and style" if sample.whole_style else "clip",
        "gaps": sample.count,
        "ratio": _ratio(ours, linear),
        "akin_gaps": int(akin.sum()),
        "akin_ratio": _ratio(ours[akin], linear[akin]),
        "others_ratio": _ratio(ours[~akin], linear[~akin]),
        **{name: round(float(value), 4) for name, value in zip(names, means, strict=True)},
        "clear_durations": len(hits),
        "within_a_fifth": round(float(np.mean(hits)), 3) if hits else None,
        "seconds": round(float(np.median([gap.seconds for gap in filled])), 3),
    }


def _measured(ready: IndexedMotions, library: ClipLibrary, sample: GapSample, clip: int, first: int) -> _Filled:
    """Return the measures of one gap; first: the frame of the pose before it, in its clip."""
    frames, known, motion = sample.missing + 1, sample.known, ready.motions[clip]
    allowed = _allowed(library, clip, sample.whole_style)
    gap = Gap(
        motion.slice(max(0, first - known), first + 1),
        motion.slice(first + frames, min(first + frames + known + 1, motion.frames)),
    )
    start = time.perf_counter()
    filled = fill_gap(ready, gap, frames, allowed=allowed)[0].motion.slice(1, frames)
    seconds = time.perf_counter() - start
    truth = motion.slice(first + 1, first + frames)
    linear = interpolated(motion, first, frames).slice(1, frames)
    found = cost_durations(ready.index, gap, DURATIONS, allowed)
    others = np.abs(found.durations - found.best) > 0.2 * found.best
    clear = found.costs[others].min(initial=np.inf) >= CLEARLY * found.costs.min()
    return _Filled(
        [
            measured(filling, truth)
            for measured in (metrics.l2_positions, metrics.l2_quaternions, metrics.npss)
            for filling in (filled, linear)
        ],
        seconds,
        _is_akin_left(library, clip, sample.whole_style),
        bool(abs(found.best - frames) <= 0.2 * frames) if clear else None,
    )


def _ratio(ours: NDArray[np.float64], linears: NDArray[np.float64]) -> float | None:
    return round(float(ours.sum() / linears.sum()), 3) if len(ours) else None


def _allowed(library: ClipLibrary, clip: int, whole_style: bool) -> NDArray[np.bool_]:
    own = dict(library.clips[clip].tags)
    if not whole_style:
        return np.asarray(np.arange(len(library.clips)) != clip)
    return np.array([dict(other.tags) != own for other in library.clips])


def _is_akin_left(library: ClipLibrary, clip: int, whole_style: bool) -> bool:
    """Return whether a clip of the same action is left; if only the clip is excluded, also of the same style."""
    own = dict(library.clips[clip].tags)
    others = [dict(other.tags) for number, other in enumerate(library.clips) if number != clip]
    if not whole_style:
        return own in others
    return any(other.get("action") == own.get("action") and other != own for other in others)


def run(options: argparse.Namespace, results: TextIO) -> None:
    """Print a JSON line for each length and each kind of exclusion."""
    known = 0 if options.lone_poses else KNOWN
    library = build(files_in(options.folder), Plan((TagPattern(options.pattern),))).library
    start = time.perf_counter()
    ready = index_motions([library.motion(number) for number in range(len(library.clips))])
    prepared = {"clips": len(library.clips), "frames": library.frames, "seconds": round(time.perf_counter() - start, 2)}
    print(json.dumps(prepared), file=results, flush=True)
    for left_out in options.left_out or LEFT_OUT:
        for missing in LENGTHS:
            row = measure(ready, library, GapSample(missing, options.gaps, LEFT_OUT[left_out], known))
            print(json.dumps(row), file=results, flush=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="build.py bench --filling", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pattern", default="{}_{action}_{style}_{}")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--gaps", type=int, default=40)
    parser.add_argument("--lone-poses", action="store_true", help="nothing but the two poses is known, as in blocking")
    parser.add_argument("--left-out", choices=LEFT_OUT, action="append", help="only one of the two")
    options = parser.parse_args(arguments)
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        run(options, results)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
