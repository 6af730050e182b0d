# SPDX-License-Identifier: GPL-3.0-or-later
"""Digests of generated motion: plain results, each kind of control, parts, mixing, crowds, retargeting."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from genmm_addon.animation.actions import fcurves_of, slot_for
from genmm_addon.core import Constraints, InputError, Loop, Motion, Part, Settings, metrics, prepare, synthesize
from genmm_addon.core.constraints import NOTHING
from genmm_addon.core.features import limb_partition
from genmm_addon.core.motion import resample, with_typical_pose
from genmm_addon.core.transfer import carrier_of, match_names, retarget
from genmm_addon.generation.generate import Request, read

from ..control import FRAMES, constraints_of
from ..motions.clips import RATE, Clip, without_rest_start
from .digests import Case, key_columns_of

SEEDS = (0, 1)
OTHER_SEED = 10_007
"""Seed of the result from which pins and a given part are taken."""
AGENTS, AGENT_FRAMES = 6, 60
OTHER_SETTINGS = Settings(completeness=None, contact_features=True, noise=0.5, patch_frames=7)


def plain_cases(motion: Motion) -> Iterator[Case]:
    """Yield the digests of a motion's plain results, of each kind of control, and of the measures of one result."""
    prepared = prepare([motion])
    results = [synthesize(prepared, FRAMES, seed=seed) for seed in SEEDS]
    yield "default", results
    yield "measures", [_measures(results[0].motion, motion)]
    other = synthesize(prepared, FRAMES, seed=OTHER_SEED).motion
    for kind in ("pins", "given part", "loop"):
        yield (
            kind,
            [synthesize(prepared, FRAMES, constraints=constraints_of(kind, prepared, other) or NOTHING)],
        )
    yield "loop in place", [synthesize(prepared, FRAMES, constraints=Constraints(loop=Loop.IN_PLACE))]
    pinned = constraints_of("pins", prepared, other) or NOTHING
    assert pinned.poses is not None
    looping = Constraints(replace(pinned.poses, place=np.zeros(FRAMES, bool)), loop=Loop.TRAVEL)
    yield "pins in a loop", [synthesize(prepared, FRAMES, constraints=looping)]
    yield "settings", [synthesize(prepare([motion], settings=OTHER_SETTINGS), FRAMES)]


def path_case(motion: Motion) -> Iterator[Case]:
    """Yield the digest of a result along a path, if the motion travels."""
    prepared = prepare([motion])
    constraints = constraints_of("path", prepared, motion)
    if constraints is not None:
        yield "path", [synthesize(prepared, FRAMES, constraints=constraints)]


def part_cases(motion: Motion) -> Iterator[Case]:
    """Yield the digests of results by parts, from several examples, and mixed from parts with one example each."""
    parts = limb_partition(motion.skeleton)
    yield "parts", [synthesize(prepare([motion], parts=parts), FRAMES)]
    halves = [motion.slice(0, motion.frames // 2), motion.slice(motion.frames // 2, motion.frames)]
    yield "several examples", [synthesize(prepare(halves), FRAMES)]
    mixed = [Part(part.name, part.joints, (int(number > 0),)) for number, part in enumerate(parts)]
    prepared = prepare(halves, parts=mixed)
    yield "mixing", [synthesize(prepared, FRAMES)]
    constraints = constraints_of("pins", prepared, synthesize(prepared, FRAMES, seed=OTHER_SEED).motion) or NOTHING
    yield "mixing with pins", [synthesize(prepared, FRAMES, constraints=constraints)]


def retargeting_case(motion: Motion, target: Motion) -> Iterator[Case]:
    """Yield the digest of a motion transferred to another's skeleton, if names match their bones."""
    motion, target = with_typical_pose([motion])[0], with_typical_pose([target])[0]
    pairs = match_names(motion.skeleton.names, target.skeleton.names)
    if pairs:
        carrier = carrier_of(motion, target.skeleton, pairs)
        moved = retarget(motion, target.skeleton, pairs, np.array([carrier]))
        yield "retargeting", [moved]


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
    actions = sorted(
        (action for action in bpy.data.actions if action not in before), key=lambda action: str(action.name)
    )
    curves = [curve for action in actions for curve in fcurves_of(action, slot_for(rigs[0], action))]
    yield "crowd", [np.array([rig.matrix_world for rig in rigs]), *map(key_columns_of, curves)]


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
