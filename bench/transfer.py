# SPDX-License-Identifier: GPL-3.0-or-later
"""Styles of a folder's clips transferred to clips of another style, blends of two, and edited attributes: JSON lines.

Contents are the first clips of an action in the plain style. The examples are the first clips of the other style; the
last ones, from which no result is made, are for comparison.

With --onto, walks and runs among the clips are instead brought to the characters of other files.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

import bpy
import numpy as np
from numpy.typing import NDArray

from genmm_addon.animation.reading.examples import read_examples
from genmm_addon.animation.rig import read_skeleton
from genmm_addon.core import InputError, Motion, Skeleton
from genmm_addon.core.feet import Foot
from genmm_addon.core.library import ClipLibrary, IndexedMotions, TagPattern, index_motions
from genmm_addon.core.manner import Restyled, StyleSettings, blend_motions, register_motion, restyle
from genmm_addon.core.motion import sample
from genmm_addon.core.repair import in_balance_as
from genmm_addon.core.transfer import bring, match_joints, moved_joints, needs_target_pose, usual_pose
from genmm_addon.files.import_file import import_file
from genmm_addon.libraries.building import Plan, build
from genmm_addon.libraries.takes import files_in

from .measures.attribute_measures import measure_attributes
from .measures.retarget_measures import compare
from .measures.transfer_measures import content_touchdowns, match_touchdowns, nearest_second, off_the_path, skate

Row = dict[str, Any]

EXAMPLES = 8
"""Number of clips of a style that results are made from."""
COMPARED = 12
"""Number of clips of a style that results are compared with, the last ones."""
OF_EACH_STYLE = 5
"""Number of clips of each style that give the range of attributes, and of those that results are compared with."""
GAITS = ("walk", "run", "dash", "trot")
"""Words in the names of clips of gaits."""
SHORTEST = 12
"""Fewest frames of a clip that is brought to other characters."""
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


def clips_of(library: ClipLibrary, action: str, style: str) -> list[Motion]:
    """Return the clips of an action in a style."""
    return [library.motion(int(number)) for number in library.chosen({"action": (action,), "style": (style,)})]


def measure(contents: Sequence[Motion], style: list[Motion], examples: int, settings: StyleSettings) -> Row:
    """Return the row of one style: means over the contents."""
    ready, compared = index_motions(style[:examples]), style[-COMPARED:]
    feet, plan = ready.standing.feet, ready.index.space.plan
    began = time.process_time()
    results = [restyle(content, ready, settings) for content in contents]
    seconds = (time.process_time() - began) / len(contents)
    motions = [result.motion for result in results]
    near, before = nearest_second(motions, compared, plan), nearest_second(contents, compared, plan)
    real = nearest_second(style[examples:-COMPARED] or style[:examples], compared, plan)
    away = [off_the_path(motion, content, plan) for motion, content in zip(motions, contents, strict=True)]
    sources = (
        [stretch for content in contents for stretch in _source_stretches(content, ready)]
        if settings.keep_timing
        else []
    )
    skates = [skate(some, feet) for some in (motions, compared)]
    return {
        "patch": round(near, 2),
        "untouched": round(before, 2),
        "real": round(real, 2),
        "real_at_content_tempo": round(_at_tempo(contents, style, ready, compared), 2)
        if settings.keep_timing
        else None,
        "ratio": round(near / before, 3),
        "touchdown_f1": _f1(results, contents, feet) if settings.keep_timing else None,
        "skate": round(skates[0], 1),
        "skate_real": round(skates[1], 1),
        "skate_sources": round(_skate_of_all(sources, feet), 1) if sources else None,
        "path_percent": round(100 * float(np.mean(away)), 2),
        "cost": round(float(np.mean([result.cost for result in results])), 2),
        "processor_seconds": round(seconds, 2),
    }


def _at_tempo(
    contents: Sequence[Motion], style: list[Motion], ready: IndexedMotions, compared: Sequence[Motion]
) -> float:
    """Return the distance of the style's real clips from other real ones, when played at the contents' tempo."""
    found = []
    for content in contents:
        rate = register_motion(content, ready).time_map.usual_rate
        played = [
            sample(clip, np.arange(0.0, clip.frames - 1, rate), clip.frames_per_second)
            for clip in style[EXAMPLES:-COMPARED] or style[:EXAMPLES]
        ]
        found.append(nearest_second(played, compared, ready.index.space.plan))
    return float(np.mean(found))


def _source_stretches(content: Motion, ready: IndexedMotions) -> list[Motion]:
    """Return the stretches of the style that are shown, each at the speed at which it is shown, on its own path."""
    time_map, index = register_motion(content, ready).time_map, ready.index
    places = np.where(time_map.weights < 0.5, *time_map.places)
    numbers = index.clips[np.floor(places).astype(np.int64)].astype(np.int64)
    breaks = np.flatnonzero((np.diff(numbers) != 0) | (np.diff(places) < 0)) + 1
    return [
        sample(ready.motions[own[0]], inside - index.starts[own[0]], content.frames_per_second)
        for own, inside in zip(np.split(numbers, breaks), np.split(places, breaks), strict=True)
        if len(inside) > 1
    ]


def _skate_of_all(motions: Sequence[Motion], feet: Sequence[Foot]) -> float:
    """Return the sliding of motions, weighted by their durations."""
    return float(
        np.average([skate([motion], feet) for motion in motions], weights=[motion.frames - 1 for motion in motions])
    )


def measure_blends(contents: Sequence[Motion], others: Sequence[Motion]) -> Row:
    """Return the row of blends of contents with one clip each: attributes, whether these are monotone, and touchdowns.

    Touchdowns are those of the blends at one half.
    """
    monotone, counted, pairs = list[bool](), list[str](), list[tuple[Restyled, Motion]]()
    feet: tuple[Foot, ...] = ()
    for content, other in zip(contents, others, strict=False):
        ready = index_motions([other])
        feet = ready.standing.feet
        results = [blend_motions(content, ready, share) for share in SHARES]
        values = [_attributes(result.motion, ready) for result in results]
        for name in set.intersection(*map(set, values)):
            steps = np.diff([value[name] for value in values])
            # An attribute that changes by less than a hundredth between the ends has no direction.
            flat = abs(values[-1][name] - values[0][name]) < 0.01 * abs(values[0][name]) + 1e-9
            monotone.append(bool(flat or np.all(steps * np.sign(steps.sum()) > -0.02 * np.abs(steps).sum())))
            counted.append(name)
        pairs.append((results[2], content))
    broken = sorted({name for name, good in zip(counted, monotone, strict=True) if not good})
    return {
        "monotone": f"{sum(monotone)} of {len(monotone)}",
        "not_monotone": broken,
        "touchdown_f1_half": _f1([one for one, _ in pairs], [content for _, content in pairs], feet),
    }


def _attributes(motion: Motion, ready: IndexedMotions) -> dict[str, float]:
    plan = ready.index.space.plan
    positions = motion.pose()[1].astype(np.float64)
    root, up = positions[:, plan.joint], np.array(motion.skeleton.up)
    height = root @ up
    steps = np.diff(root - height[:, None] * up, axis=0)
    seen = positions - root[:, None]
    ways = np.linalg.norm(steps, axis=1)
    # A character that stays in place sways without a direction.
    going = {"speed": float(ways.mean()), "length": float(ways.sum())} if ways.sum() > motion.skeleton.size else {}
    return going | {
        "frames": float(motion.frames),
        "root_height": float(height.mean()),
        "posture": float((seen @ up).max(axis=1).mean()),
        "swing": float(seen.std(axis=0).mean()),
    }


def _f1(results: Sequence[Restyled], contents: Sequence[Motion], feet: Sequence[Foot]) -> float | None:
    """Return F1 of touchdowns within a tenth of a second, at the moments of the content that are shown."""
    counts = np.zeros(3, np.int64)
    for result, content in zip(results, contents, strict=True):
        ours = content_touchdowns(result.motion, feet, result.positions)
        everywhere: NDArray[np.float64] = np.arange(content.frames, dtype=np.float64)
        counts += match_touchdowns(ours, content_touchdowns(content, feet, everywhere), content.frames_per_second)
    both, found, there = counts.tolist()
    return round(2 * both / (found + there), 3) if found + there else None


def run(folder: Path, options: argparse.Namespace, results: TextIO) -> None:
    """Print a JSON line for each action and style, and one for its blends."""
    library = build(files_in(folder), Plan((TagPattern(options.pattern),))).library
    plain: str = options.plain
    first, last = options.contents
    tags = {(clip.tags.get("action", ""), clip.tags.get("style", "")) for clip in library.clips}
    for action in sorted({action for action, style in tags if style == plain}):
        contents = clips_of(library, action, plain)[first:last]
        styles = [
            clips_of(library, action, style) for style in sorted(style for other, style in tags if other == action)
        ]
        ready = index_motions([clip for clips in styles for clip in clips[:OF_EACH_STYLE]])
        compared = [clip for clips in styles for clip in clips[-OF_EACH_STYLE:]]
        for found in measure_attributes(contents, ready, compared):
            print(json.dumps({"action": action, **found}), file=results, flush=True)
        for style in (
            () if options.attributes else sorted(style for other, style in tags if other == action and style != plain)
        ):
            clips = clips_of(library, action, style)
            if not contents or len(clips) <= EXAMPLES + 1:
                continue
            for examples in (1, EXAMPLES):
                for keep in (True, False):
                    row = {"action": action, "style": style, "examples": examples, "keep_timing": keep}
                    row |= measure(contents, clips, examples, StyleSettings(keep_timing=keep))
                    print(json.dumps(row), file=results, flush=True)
            row = {"blend": f"{action}, {plain} to {style}", **measure_blends(contents, clips)}
            print(json.dumps(row), file=results, flush=True)


def bring_all(folder: Path, targets: Path, results: TextIO) -> None:
    """Print a JSON line for each walk and run of a folder brought to each character of another one."""
    characters = list(_readable(targets, most=1))
    for _, skeleton, motions in _readable(folder):
        for name, motion in motions:
            if not any(word in name.lower() for word in GAITS) or motion.frames < SHORTEST:
                continue
            for onto, other, examples in characters:
                if other.names == skeleton.names:
                    continue
                row = {"clip": name, "onto": onto}
                try:
                    row |= _brought(motion, other, [example for _, example in examples])
                except InputError as error:
                    print(f"{name} onto {onto}: {error}", file=sys.stderr)
                    continue
                print(json.dumps(row), file=results, flush=True)


def _readable(folder: Path, most: int | None = None) -> Iterator[tuple[str, Skeleton, list[tuple[str, Motion]]]]:
    """Yield name, skeleton and actions of each motion file of a folder; one that cannot be read is only named.

    most: the largest number of actions of each.
    """
    for source in files_in(folder):
        try:
            yield source.path.name, *_of_file(source.path, most)
        except InputError as error:
            print(error, file=sys.stderr)


def _of_file(path: Path, most: int | None) -> tuple[Skeleton, list[tuple[str, Motion]]]:
    """Return the skeleton of a motion file, and its actions, at most so many, by their names."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    (character, *_) = import_file(path, bpy.context)
    motions = list[tuple[str, Motion]]()
    for example in character.examples[:most]:
        reading = read_examples(character.armature, [example], scene=bpy.context.scene)
        action = example.action.name
        # The action of a BVH file has the file's name.
        motions.append((action if action == path.stem else f"{path.stem} {action}", reading.motions[0]))
    return read_skeleton(character.armature), motions


def _brought(motion: Motion, target: Skeleton, examples: Sequence[Motion]) -> Row:
    """Return the row of a motion brought to another skeleton, of which the examples are motions."""
    pairs = match_joints(motion.skeleton, target, motions=[motion], target_motions=examples).names
    needs_pose = bool(examples) and needs_target_pose(motion.skeleton, target, pairs)
    moved = np.array(sorted(moved_joints(motion, target, pairs)), np.int64)
    laid = bring(motion, target, pairs, moved, target_pose=usual_pose(examples) if needs_pose else None)
    brought = in_balance_as(motion, laid)
    return {key: None if value is None else round(value, 2) for key, value in compare(motion, brought, pairs).items()}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="build.py bench --transfer --library", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pattern", default="dataset-2_{action}_{style}_{}")
    parser.add_argument("--plain", default="normal")
    parser.add_argument("--onto", type=Path, help="folder of characters to which walks and runs are brought")
    parser.add_argument("--attributes", action="store_true", help="attributes alone")
    parser.add_argument("--contents", type=int, nargs=2, default=(0, 3), metavar=("FIRST", "END"))
    options = parser.parse_args(arguments)
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        if options.onto:
            bring_all(options.folder, options.onto, results)
        else:
            run(options.folder, options, results)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
