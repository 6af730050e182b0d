# SPDX-License-Identifier: GPL-3.0-or-later
"""Combinations of two directions: the result follows both, or one sentence refuses them and nothing changes."""

import itertools
from collections.abc import Callable, Iterator

import bpy
import numpy as np
import pytest
from bpy.types import Object
from characters import data_names, world_bones
from interface import registered, results_of, select

from genmm_addon.animation import actions
from genmm_addon.character.sample.sample_character import SampleCharacter, add_sample_character

FRAMES = 120
PINNED = 60
ARM = ("UpperArm.L", "Forearm.L", "Hand.L")


@pytest.fixture
def sample() -> Iterator[SampleCharacter]:
    bpy.context.scene.render.fps = 30
    with registered():
        made = add_sample_character(bpy.context)
        select(made.armature)
        settings = made.armature.genmm
        settings.new_seed, settings.frames = False, FRAMES
        settings.examples.add().action = action_of(made, "Walk")
        yield made


def action_of(sample: SampleCharacter, name: str) -> bpy.types.Action:
    return next(action for action in sample.actions if name in action.name)


def add_pins(sample: SampleCharacter) -> None:
    """Pin the pose of the walk at its 100th frame, without its place."""
    actions.assign(sample.armature, action_of(sample, "Walk"))
    bpy.context.scene.frame_set(100)
    assert bpy.ops.genmm.pin_pose(place=False) == {"FINISHED"}
    for curve in actions.fcurves_of(sample.armature.genmm.pins_action):
        for point in curve.keyframe_points:
            point.co.x = PINNED
        curve.update()


def add_loop(sample: SampleCharacter) -> None:
    sample.armature.genmm.loop = "TRAVEL"


def add_path(sample: SampleCharacter) -> None:
    bpy.ops.curve.primitive_bezier_circle_add(radius=2.5)
    sample.armature.genmm.path_curve = bpy.context.object
    select(sample.armature)


def add_given_arms(sample: SampleCharacter) -> None:
    settings = sample.armature.genmm
    part = settings.part_list.add()
    part.name = "Left Arm"
    for name in ARM:
        part.bones.add().name = name
    settings.completion_action, settings.completion_part = action_of(sample, "Wave"), "Left Arm"


def add_parts(sample: SampleCharacter) -> None:
    kept = [(part.name, [row.name for row in part.bones]) for part in sample.armature.genmm.part_list]
    assert bpy.ops.genmm.make_parts(kind="UPPER_LOWER") == {"FINISHED"}
    for name, bones in kept:
        part = sample.armature.genmm.part_list.add()
        part.name = name
        for bone in bones:
            part.bones.add().name = bone


def add_second_example(sample: SampleCharacter) -> None:
    """Let the arms draw from the wave as well."""
    settings = sample.armature.genmm
    settings.examples.add().action = action_of(sample, "Dance")
    if not settings.part_list or settings.part_list[0].name != "Lower Body":
        add_parts(sample)
    settings.part_list[0].use_examples = True
    settings.part_list[0].excluded.add().number = 1


WAYS: dict[str, Callable[[SampleCharacter], None]] = {
    "pins": add_pins,
    "loop": add_loop,
    "path": add_path,
    "given": add_given_arms,
    "parts": add_parts,
    "mixing": add_second_example,
}
REFUSED = {frozenset({"loop", "given"}): "does not end as it begins"}


def turns_of(character: Object, frame: int) -> dict[str, np.ndarray]:
    bpy.context.scene.frame_set(frame)
    return {bone.name: np.array(bone.matrix_basis.to_quaternion()) for bone in character.pose.bones}


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """Return the angle between two quaternions in degrees."""
    return float(np.degrees(2 * np.arccos(np.clip(abs(one @ other), 0.0, 1.0))))


def check(way: str, made: Object, sample: SampleCharacter) -> None:
    """Check that the result follows a direction."""
    if way == "pins":
        actions.assign(sample.armature, action_of(sample, "Walk"))
        wanted, there = turns_of(sample.armature, 100), turns_of(made, PINNED)
        given = {row.name for part in sample.armature.genmm.part_list for row in part.bones if part.name == "Left Arm"}
        held = [name for name in wanted if name != "Hips" and name not in given]
        assert max(apart(wanted[name], there[name]) for name in held) < 1.0
    if way == "loop":
        rounds = [world_bones(made, frame)[:, :3, 3] for frame in (20, 20 + FRAMES)]
        shift = rounds[1] - rounds[0]
        assert np.abs(shift - shift[0]).max() < 5e-3
    if way == "path":
        number = sorted(bone.name for bone in made.pose.bones).index("Hips")
        for frame in (1, 50, 100):
            x, y, _ = world_bones(made, frame)[number][:3, 3]
            assert abs(np.hypot(x, y) - 2.5) < 0.12
    if way == "given":
        wave = action_of(sample, "Wave")
        actions.assign(sample.armature, wave)
        start = int(wave.frame_range[0])
        wanted, there = turns_of(sample.armature, start + 40), turns_of(made, 41)
        assert max(apart(wanted[name], there[name]) for name in ARM) < 0.1


@pytest.mark.every_case
@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(WAYS, 2)))
def test_two_ways_of_directing_go_together_or_are_refused(one: str, other: str, sample: SampleCharacter) -> None:
    WAYS[one](sample)
    WAYS[other](sample)
    before, there = set(results_of(sample.armature)), data_names()
    reason = REFUSED.get(frozenset({one, other}))
    if reason:
        with pytest.raises(RuntimeError, match=reason):
            bpy.ops.genmm.generate_motion()
        assert data_names() == there
        return
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    (made,) = set(results_of(sample.armature)) - before
    check(one, made, sample)
    check(other, made, sample)
