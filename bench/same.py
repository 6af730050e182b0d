# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests of results over many clips and kinds of control, for comparing two versions of the code.

Equal digests mean equal bytes. They are comparable on one machine with one NumPy only, since others round differently.
"""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.types import FCurve
from numpy.typing import NDArray

import genmm_addon
from genmm_addon.animation.actions import fcurves_of, slot_for
from genmm_addon.core import (
    Constraints,
    InputError,
    Loop,
    Motion,
    Part,
    Settings,
    Synthesis,
    metrics,
    prepare,
    synthesize,
)
from genmm_addon.core.constraints import NOTHING
from genmm_addon.core.features import limb_partition
from genmm_addon.core.motion import resample, with_typical_pose
from genmm_addon.core.transfer import carrier_of, match_names, retarget
from genmm_addon.generation.generate import Request, read

from .control import FRAMES, constraints_of
from .motions.clips import RATE, Clip, sources, without_rest_start

FOLDERS = ("bvh", "gltf")
"""Subfolders of a folder of motions that are compared if they exist; a library would take hours."""
SEEDS = (0, 1)
OTHER_SEED = 10_007
"""Seed of the result from which pins and a given part are taken."""
AGENTS, AGENT_FRAMES = 6, 60
OTHER_SETTINGS = Settings(completeness=None, contact_features=True, noise=0.5, patch_frames=7)

Digests = dict[str, str]
Case = tuple[str, str]


def digest(*arrays: NDArray[np.generic]) -> str:
    """Return the SHA-256 of the arrays' types, shapes and bytes."""
    hashed = hashlib.sha256()
    for array in arrays:
        hashed.update(f"{array.dtype.str} {array.shape}".encode())
        hashed.update(np.ascontiguousarray(array).tobytes())
    return hashed.hexdigest()


def digest_of(*results: Synthesis) -> str:
    """Return the digest of all arrays in results."""
    arrays: list[NDArray[np.generic]] = []
    for result in results:
        motion = result.motion
        arrays += [*motion.channels().values(), motion.translated, motion.scaled]
        arrays += [result.source_examples, result.source_frames]
        if result.loop is not None:
            arrays += [result.loop.shift, np.array(result.loop.turn)]
    return digest(*arrays)


def plain_cases(motion: Motion) -> Iterator[Case]:
    """Yield the digests of a motion's plain results, of each kind of control, and of the measures of one result."""
    prepared = prepare([motion])
    results = [synthesize(prepared, FRAMES, seed=seed) for seed in SEEDS]
    yield "default", digest_of(*results)
    yield "measures", digest(_measures(results[0].motion, motion))
    other = synthesize(prepared, FRAMES, seed=OTHER_SEED).motion
    for kind in ("pins", "given part", "loop"):
        yield (
            kind,
            digest_of(synthesize(prepared, FRAMES, constraints=constraints_of(kind, prepared, other) or NOTHING)),
        )
    yield "loop in place", digest_of(synthesize(prepared, FRAMES, constraints=Constraints(loop=Loop.IN_PLACE)))
    pinned = constraints_of("pins", prepared, other) or NOTHING
    assert pinned.poses is not None
    looping = Constraints(replace(pinned.poses, place=np.zeros(FRAMES, bool)), loop=Loop.TRAVEL)
    yield "pins in a loop", digest_of(synthesize(prepared, FRAMES, constraints=looping))
    yield "settings", digest_of(synthesize(prepare([motion], settings=OTHER_SETTINGS), FRAMES))


def path_case(motion: Motion) -> Iterator[Case]:
    """Yield the digest of a result along a path, if the motion travels."""
    prepared = prepare([motion])
    constraints = constraints_of("path", prepared, motion)
    if constraints is not None:
        yield "path", digest_of(synthesize(prepared, FRAMES, constraints=constraints))


def part_cases(motion: Motion) -> Iterator[Case]:
    """Yield the digests of results by parts, from several examples, and mixed from parts with one example each."""
    parts = limb_partition(motion.skeleton)
    yield "parts", digest_of(synthesize(prepare([motion], parts=parts), FRAMES))
    halves = [motion.slice(0, motion.frames // 2), motion.slice(motion.frames // 2, motion.frames)]
    yield "several examples", digest_of(synthesize(prepare(halves), FRAMES))
    mixed = [Part(part.name, part.joints, (int(number > 0),)) for number, part in enumerate(parts)]
    prepared = prepare(halves, parts=mixed)
    yield "mixing", digest_of(synthesize(prepared, FRAMES))
    constraints = constraints_of("pins", prepared, synthesize(prepared, FRAMES, seed=OTHER_SEED).motion) or NOTHING
    yield "mixing with pins", digest_of(synthesize(prepared, FRAMES, constraints=constraints))


def retargeting_case(motion: Motion, target: Motion) -> Iterator[Case]:
    """Yield the digest of a motion transferred to another's skeleton, if names match their bones."""
    motion, target = with_typical_pose([motion])[0], with_typical_pose([target])[0]
    pairs = match_names(motion.skeleton.names, target.skeleton.names)
    if pairs:
        carrier = carrier_of(motion, target.skeleton, pairs)
        moved = retarget(motion, target.skeleton, pairs, np.array([carrier]))
        yield "retargeting", digest(*moved.channels().values())


def crowd_case(clip: Clip) -> Iterator[Case]:
    """Yield the digest of a small crowd: the places of its agents, and all keys of their motions."""
    bpy.context.view_layer.objects.active = clip.armature
    settings: Any = clip.armature.genmm  # type: ignore[attr-defined]  # registered by the extension
    settings.frames, settings.new_seed, settings.seed = AGENT_FRAMES, False, SEEDS[0]
    assert clip.example.action is not None
    operators: Any = bpy.ops.genmm  # type: ignore[attr-defined]  # registered by the extension
    operators.add_example(action=clip.example.action.name)
    for item in settings.examples:
        item.enabled = item.action == clip.example.action
    before = {*bpy.data.actions, *bpy.data.objects}
    operators.make_crowd(agents=AGENTS, clips=2, layout_kind="GRID")
    bpy.context.view_layer.update()
    made = [rig for rig in bpy.data.objects if rig not in before and rig.type == "ARMATURE"]
    rigs = sorted(made, key=lambda rig: str(rig.name))
    actions = sorted((one for one in bpy.data.actions if one not in before), key=lambda action: str(action.name))
    keys = [key_columns_of(curve) for action in actions for curve in fcurves_of(action, slot_for(rigs[0], action))]
    yield "crowd", digest(np.array([rig.matrix_world for rig in rigs]), *keys)


def key_columns_of(curve: FCurve) -> NDArray[np.float32]:
    """Return the frames and values `(2 K,)` of a curve's keys."""
    keys = np.empty(2 * len(curve.keyframe_points), np.float32)
    curve.keyframe_points.foreach_get("co", keys)
    return keys


def _measures(result: Motion, example: Motion) -> NDArray[np.float64]:
    return np.array(
        [
            metrics.coverage(result, example),
            metrics.local_distance(result, example),
            metrics.global_distance(result, example),
            metrics.completeness(result, example),
            *metrics.speed_ratios(result, example),
        ]
    )


def cases_of(clip: Clip, target: Motion | None) -> Iterator[Case]:
    """Yield every case of a clip; a refused case has its sentence in place of a digest."""
    request = without_rest_start(Request(clip.armature, (clip.example,), frames=1))
    motion = resample(read(request, bpy.context.scene).reading.motions[0], RATE)[0]
    groups = {
        "plain": plain_cases(motion),
        "path": path_case(motion),
        "parts": part_cases(motion),
        "crowd": crowd_case(clip),
        "retargeting": retargeting_case(motion, target or motion),
    }
    for name, group in groups.items():
        try:
            yield from group
        except (InputError, RuntimeError) as error:
            yield name, f"refused: {error}"


def digests(motions: Path | None) -> Digests:
    """Return the digest of each case, named `clip: kind`, for the sample character and a folder's motion files."""
    found: Digests = {}
    target: Motion | None = None
    for folder in _folders(motions):
        for name, open_clips in sources(folder):
            if name == "sample" and target is not None:
                continue
            try:
                for clip in open_clips():
                    for kind, value in cases_of(clip, target):
                        found[f"{clip.name}: {kind}"] = value
                    if target is None:
                        request = Request(clip.armature, (clip.example,), frames=1)
                        target = read(request, bpy.context.scene).reading.motions[0]
            except InputError as error:
                found[name] = f"refused: {error}"
            print(name, file=sys.stderr, flush=True)
    return found


def _folders(motions: Path | None) -> list[Path | None]:
    if motions is None:
        return [None]
    return [motions / name for name in FOLDERS if (motions / name).is_dir()] or [motions]


def differences(old: Digests, new: Digests) -> list[str]:
    """Return a line for each case that differs or that only one version has."""
    lines = []
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            lines.append(f"{name}: gone")
        elif name not in old:
            lines.append(f"{name}: new")
        elif old[name] != new[name]:
            lines.append(f"{name}: differs")
    return lines


def main(arguments: list[str]) -> int:
    """Write the digests, compare them if requested, and return 1 if any differs."""
    parser = argparse.ArgumentParser(prog="build.py bench --same", description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--motions", type=Path)
    options = parser.parse_args(arguments)
    if options.motions and not options.motions.is_dir():
        parser.error(f"there is no folder {options.motions}")
    if options.against and not options.against.is_file():
        parser.error(f"there is no file {options.against}")
    genmm_addon.register()
    # Blender's importers print to stdout, which is reserved for the differences.
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    found = digests(options.motions)
    options.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if not options.against:
        return 0
    old = json.loads(options.against.read_text(encoding="utf-8"))
    lines = differences(old, found)
    for line in lines or [f"all {len(found)} cases are the same"]:
        print(line, file=results)
    results.flush()
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
