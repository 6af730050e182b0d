# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of the results: a row for each example, with marks where a bound is missed."""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import TextIO

import bpy
import numpy as np
from numpy.typing import NDArray

from genmm_addon.character.flesh import flesh_of_character
from genmm_addon.core import InputError, Motion, Prepared, Synthesis, metrics, prepare, synthesize
from genmm_addon.core.evaluation import Capsules
from genmm_addon.core.feet import TOES
from genmm_addon.core.motion import resample, without_heading
from genmm_addon.generation.generate import Request, read

from .measures.feet_row import feet_row
from .measures.fixed_measures import FIXED, NO_WAYS, Ways, fixed_line, fixed_row
from .measures.gait_measures import gait_row
from .measures.mirrored_measures import mirrored_line, mirrored_row
from .measures.paper_method import against_paper
from .measures.quality_table import Row, header, missed, table_row
from .measures.transition_measures import distinct, jumps_of, squared_gaps
from .measures.weight_row import weight_row
from .motions.clip_lists import CHOSEN_ON, IN_NO_LIST, KEPT_ASIDE, LIBRARY, library_folder
from .motions.clips import RATE, Clip, sources, without_rest_start

SHORTEST = 2 * RATE
"""Fewest frames of an example that is measured."""
CENTIMETERS = 170.0
"""Assumed height of a character for speeds, in centimeters."""
GAP_PERCENTILE = 90
"""Percentile of the squared gaps at transitions that stands for the bad ones."""
MOST_SEEDS = 8
"""Most seeds for measures that take long: the correlation of gait, and the comparison with the paper's method."""
TOUCHING, SLIDING = 5.0, 2.5
"""Height below which a toe touches the ground, and movement per frame of a slide, in cm (Guo et al. 2022)."""


def measure_clip(clip: Clip, seeds: int, long: int, mirrored: bool = False, fixed: Ways = NO_WAYS) -> Row | None:
    """Return the row of a clip at 30 fps; None if it is too short. Raises InputError.

    long: see `measure`. mirrored: whether to add measures of results from the clip and its mirror image. fixed: measure
    only results that are fixed in these ways.
    """
    request = without_rest_start(Request(clip.armature, (clip.example,), frames=1))
    motion = resample(read(request, bpy.context.scene).reading.motions[0], RATE)[0]
    if motion.frames < SHORTEST:
        return None
    if fixed.names:
        return {"clip": clip.name, **fixed_row(prepare([motion]), seeds, fixed)}
    capsules = flesh_of_character(clip.armature, motion.skeleton, bpy.context.scene).capsules
    row = measure(clip.name, motion, seeds, long, capsules)
    return {**row, **mirrored_row(motion, seeds)} if mirrored else row


def measure(name: str, motion: Motion, seeds: int, long: int = 0, capsules: Capsules | None = None) -> Row:
    """Return the row of an example, over `seeds` results of twice its length, and one of `long` frames if not 0.

    capsules: see `weight_row`.
    """
    start = time.perf_counter()
    prepared = prepare([motion])
    ready = time.perf_counter()
    results = [synthesize(prepared, 2 * motion.frames, seed=seed) for seed in range(seeds)]
    made = time.perf_counter()
    example = prepared.motions[0]
    row: Row = {
        "clip": name,
        "joints": len(example.skeleton.names),
        "example_frames": example.frames,
        "frames": 2 * example.frames,
        "seeds": seeds,
        "in_place": prepared.root.in_place,
        "feet": ", ".join(example.skeleton.names[foot.joint] for foot in prepared.feet),
        **_of_feet(prepared, results),
        **feet_row(prepared, results),
        **weight_row(example, [result.motion for result in results], capsules),
        **_of_speeds(prepared, results),
        **_of_likeness(prepared, results, long),
        **_of_novelty(example, results),
        **_of_transitions(prepared, results),
        **gait_row(prepared, min(seeds, MOST_SEEDS)),
        **against_paper(prepared, [result.motion for result in results[:MOST_SEEDS]]),
        "drift": _mean([metrics.drift(result.motion, example, prepared.root.joint) for result in results])
        if prepared.root.in_place
        else None,
        "prepare_s": ready - start,
        "seed_s": (made - ready) / seeds,
    }
    rounded = {key: round(value, 5) if isinstance(value, float) else value for key, value in row.items()}
    return {**rounded, "missed": missed(rounded)}


def toes_of(prepared: Prepared) -> list[int]:
    """Return the joints named toes, without single ones; if there are none, the feet that were found."""
    skeleton = prepared.motions[0].skeleton
    beside = np.bincount(skeleton.parents[skeleton.parents >= 0], minlength=len(skeleton.names))
    named = [
        joint
        for joint, name in enumerate(skeleton.names)
        if "toe" in name.lower() and beside[skeleton.parents[joint]] < TOES
    ]
    return named or [foot.joint for foot in prepared.feet]


def _of_feet(prepared: Prepared, results: Sequence[Synthesis]) -> Row:
    example, toes = prepared.motions[0], toes_of(prepared)
    if not toes:
        return dict.fromkeys(("skate", "skate_ratio", "skate_example", "sliding", "sliding_example"))
    height, base = example.skeleton.size, metrics.ground_base(example, toes)
    of_example = metrics.foot_skate(example, toes, base, height)
    of_results = _mean([metrics.foot_skate(result.motion, toes, base, height) for result in results])
    return {
        "skate": of_results,
        "skate_ratio": of_results / max(of_example, 1e-9),
        "skate_example": of_example,
        "sliding": _mean([_sliding(result.motion, toes, base, height) for result in results]),
        "sliding_example": _sliding(example, toes, base, height),
    }


def _sliding(motion: Motion, toes: list[int], base: NDArray[np.float64], height: float) -> float:
    up = np.array(motion.skeleton.up)
    touching = motion.pose()[1][:, toes] @ up - base < TOUCHING * height / CENTIMETERS
    return metrics.sliding_share(motion, toes, touching, SLIDING * height / CENTIMETERS)


def _of_speeds(prepared: Prepared, results: Sequence[Synthesis]) -> Row:
    example = prepared.motions[0]
    accelerations = np.array([metrics.acceleration_ratios(result.motion, example) for result in results])
    speeds = np.array([metrics.speed_ratios(result.motion, example) for result in results])
    of_example = _highest_root_speed(example, prepared.root.joint)
    root = [_highest_root_speed(result.motion, prepared.root.joint) for result in results]
    moves = of_example > 1e-4 * example.skeleton.size
    return {
        "acceleration": float(accelerations[:, 0].mean()),
        "acceleration_largest": float(accelerations[:, 1].mean()),
        "speed": float(speeds[:, 0].mean()),
        "speed_largest": float(speeds[:, 1].max()),
        "root_speed_largest": max(root) / of_example if moves else None,
    }


def _highest_root_speed(motion: Motion, root: int) -> float:
    """Return the largest distance that the root moves along the ground in a frame."""
    up = np.array(motion.skeleton.up)
    steps = np.diff(motion.pose()[1][:, root].astype(np.float64), axis=0)
    return float(np.linalg.norm(steps - (steps @ up)[:, None] * up, axis=1).max())


def _of_likeness(prepared: Prepared, results: Sequence[Synthesis], long: int) -> Row:
    """Return the distances to the example, without the heading if a result's heading is free."""
    example = without_heading(prepared.motions[0], prepared.root)
    seen = [without_heading(result.motion, prepared.root) for result in results]
    coverage = [metrics.coverage(motion, example) for motion in seen]
    longer = synthesize(prepared, long).motion if long else None
    return {
        "coverage": _mean(coverage),
        "coverage_least": min(coverage),
        "completeness": _mean([metrics.completeness(motion, example) for motion in seen]),
        "global": _mean([metrics.global_distance(motion, example) for motion in seen]),
        "local": _mean([metrics.local_distance(motion, example) for motion in seen]),
        "local_long": None
        if longer is None
        else metrics.local_distance(without_heading(longer, prepared.root), example),
        "speed_long": None if longer is None else metrics.speed_ratios(longer, prepared.motions[0])[0],
    }


def _of_transitions(prepared: Prepared, results: Sequence[Synthesis]) -> Row:
    jumps = jumps_of(results)
    gaps = squared_gaps(without_heading(prepared.motions[0], prepared.root), jumps)
    occurrences = distinct(jumps)
    return {
        "gap": float(np.percentile(gaps, GAP_PERCENTILE)) if len(gaps) else None,
        "gap_mean": float(gaps.mean()) if len(gaps) else None,
        "distinct": len(occurrences),
        "once": float(np.mean(occurrences == 1)) if len(occurrences) else None,
    }


def _of_novelty(example: Motion, results: Sequence[Synthesis]) -> Row:
    sources = [result.source_frames[:, 0] for result in results]
    transitions = [metrics.transitions(result.source_examples[:, 0], result.source_frames[:, 0]) for result in results]
    same = [float(np.mean(np.abs(one - other) < 0.5)) for place, one in enumerate(sources) for other in sources[:place]]
    return {
        "diversity": metrics.set_diversity([result.motion for result in results], example),
        "cuts": _mean(transitions) * 150 / (2 * example.frames),
        "verbatim": max(_longest_segment(frames) for frames in sources) / example.frames,
        "same": max(same, default=0.0),
    }


def _longest_segment(frames: NDArray[np.float64]) -> int:
    """Return the largest number of consecutive frames that follow each other as in the example."""
    edges = np.flatnonzero(np.abs(np.diff(frames) - 1.0) > 0.01) + 1
    return int(np.diff(np.concatenate(([0], edges, [len(frames)]))).max())


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def chosen_sources(motions: Path | None, which: str, patterns: Sequence[str]) -> Iterator[Callable[[], Iterator[Clip]]]:
    """Yield the openers of the requested clips.

    which: "all", "chosen" (of the library only those on which settings are chosen), "aside" (only those kept aside),
    "others" (one of each other action and style). patterns: of file names; empty selects all.
    """
    folder = library_folder(motions)
    library = {path.stem for path in folder.glob("*")} if folder is not None else set()
    for name, open_clips in sources(motions):
        chosen = CHOSEN_ON if name in library else (name,)
        listed = name in {"all": (name,), "chosen": chosen, "aside": KEPT_ASIDE, "others": IN_NO_LIST}[which]
        picked = not patterns or any(fnmatch(name, pattern) for pattern in patterns)
        if picked and listed:
            yield open_clips


def run(
    clips: Iterable[Callable[[], Iterator[Clip]]],
    seeds: int,
    long: int,
    as_json: bool,
    results: TextIO,
    mirrored: bool = False,
    fixed: Ways = NO_WAYS,
) -> None:
    """Print a line for each example of SHORTEST frames or more; clips that cannot be used get a sentence on stderr.

    mirrored: add a second line on the changes with its mirror image. fixed: print a line for each way instead.
    """
    if not as_json and not fixed.names:
        print(header(), file=results, flush=True)
    for open_clips in clips:
        try:
            for clip in open_clips():
                try:
                    row = measure_clip(clip, seeds, long, mirrored, fixed)
                except InputError as error:
                    print(f"{clip.name}: {error}", file=sys.stderr)
                    continue
                if row is not None and fixed.names and not as_json:
                    print(
                        "\n".join([str(row["clip"]), *(fixed_line(row, way) for way in fixed.names)]),
                        file=results,
                        flush=True,
                    )
                elif row is not None:
                    print(json.dumps(row) if as_json else table_row(row), file=results, flush=True)
                    if mirrored and not as_json:
                        print(mirrored_line(row), file=results, flush=True)
        except InputError as error:
            print(error, file=sys.stderr)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="build.py bench --quality", description=__doc__)
    parser.add_argument("--motions", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--list", choices=("all", "chosen", "aside", "others"), default="all")
    parser.add_argument("--clips", nargs="+", default=[])
    parser.add_argument("--long", type=int, default=0)
    parser.add_argument("--mirrored", action="store_true")
    parser.add_argument("--fixed", nargs="+", choices=tuple(FIXED), default=[])
    parser.add_argument("--pin-sets", type=int, default=1)
    options = parser.parse_args(arguments)
    if options.motions and not options.motions.is_dir():
        parser.error(f"there is no folder {options.motions}")
    if options.list != "all" and library_folder(options.motions) is None:
        parser.error(f'--list chooses clips of a folder called "{LIBRARY}"; give it, or the one above, as --motions')
    if options.seeds < 1:
        parser.error("--seeds must be 1 or more")
    if options.fixed and options.mirrored:
        parser.error("--fixed measures nothing else: leave out --mirrored")
    if options.pin_sets < 1:
        parser.error("--pin-sets must be 1 or more")
    if options.long < 0:
        parser.error("--long must be 0 or more")
    # Blender's importers print to stdout, which is reserved for the table.
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    clips = chosen_sources(options.motions, options.list, options.clips)
    ways = Ways(tuple(options.fixed), options.pin_sets)
    run(clips, options.seeds, options.long, options.json, results, options.mirrored, ways)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
