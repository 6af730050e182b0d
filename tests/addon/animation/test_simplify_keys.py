# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplified keys in new motions and existing actions, which stay within their error when Blender plays them."""

import math
from pathlib import Path
from typing import Any, Literal

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from commands import run, saved_character
from interface import play, select
from mathutils import Quaternion

from genmm_addon.animation.actions import assigned, clear_assignment, fcurves_of, is_cyclic, repeat_forever
from genmm_addon.animation.curves import key_values
from genmm_addon.animation.keys.simplification import KeySpacing, keys_per_second
from genmm_addon.animation.reading.examples import ExampleSpec
from genmm_addon.character.sample.sample_character import SampleCharacter, add_sample_character
from genmm_addon.generation.generate import generate
from genmm_addon.generation.recipe import recipe_of, request_from_recipe
from genmm_addon.generation.request import Request

DEGREE = math.radians(1.0)

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def sample() -> SampleCharacter:
    bpy.context.scene.render.fps = 30
    return add_sample_character(bpy.context)


def frames_of(action: Action) -> range:
    return range(int(action.frame_range[0]), int(action.frame_range[1]) + 1)


def poses(rig: Object, frames: range) -> tuple[np.ndarray, np.ndarray]:
    """Return rotations (F, B, 4) of the bones' own channels and locations (F, B, 3), as Blender plays them."""
    turned: list[Any] = []
    moved: list[Any] = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        bones = [bone.matrix_basis.decompose() for bone in rig.pose.bones]
        turned.append([rotation[:] for _, rotation, _ in bones])
        moved.append([location[:] for location, _, _ in bones])
    return np.array(turned), np.array(moved)


def angles(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    dots = np.abs(np.sum(one * other, axis=-1)).clip(0.0, 1.0)
    return np.asarray(2.0 * np.arccos(dots))


def size_of(rig: Object) -> float:
    heads = np.array([bone.head_local for bone in rig.data.bones])
    return float(np.linalg.norm(np.ptp(heads, axis=0)))


def keyed_frames(action: Action) -> set[float]:
    return {point.co.x for curve in fcurves_of(action) for point in curve.keyframe_points}


def keys_of(action: Action) -> list[Any]:
    return [key_values(curve).tolist() for curve in fcurves_of(action)]


def key_count(action: Action) -> int:
    return sum(len(curve.keyframe_points) for curve in fcurves_of(action))


def walk_of(sample: SampleCharacter) -> Action:
    walk = next(action for action in sample.actions if action.name.endswith("Walk"))
    play(sample.armature, walk)
    select(sample.armature)
    return walk


@pytest.mark.parametrize(("degrees", "share"), [(0.5, 0.32), (2.0, 0.27)])
def test_the_walk_keeps_few_poses_and_plays_as_before(sample: SampleCharacter, degrees: float, share: float) -> None:
    walk, rig = walk_of(sample), sample.armature
    frames = frames_of(walk)
    turned, moved = poses(rig, frames)
    assert bpy.ops.genmm.simplify_keys(spacing="SHARED", degrees=degrees, percent=degrees) == {"FINISHED"}
    assert len(keyed_frames(walk)) <= share * len(frames)
    after_turned, after_moved = poses(rig, frames)
    assert angles(turned, after_turned).max() <= degrees * DEGREE * 1.01 + 1e-3
    assert np.abs(moved - after_moved).max() <= degrees / 100.0 * size_of(rig) * 1.01
    assert {point.interpolation for curve in fcurves_of(walk) for point in curve.keyframe_points} == {"BEZIER"}


@pytest.mark.parametrize("mode", ["XYZ", "AXIS_ANGLE"])
def test_other_rotation_modes_stay_within_the_angle(mode: Literal["XYZ", "AXIS_ANGLE"]) -> None:
    data = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    bone = data.edit_bones.new("Bone")
    bone.tail = (0.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    pose = rig.pose.bones["Bone"]
    pose.rotation_mode = mode
    for frame in range(1, 61):
        angle = 0.8 * math.sin(0.2 * frame)
        turn = Quaternion((0.3, 0.5, 0.8), angle)
        if mode == "AXIS_ANGLE":
            axis: Any = turn.to_axis_angle()[0]
            pose.rotation_axis_angle = (turn.to_axis_angle()[1], axis.x, axis.y, axis.z)
        else:
            pose.rotation_euler = turn.to_euler(mode)
        pose.keyframe_insert("rotation_axis_angle" if mode == "AXIS_ANGLE" else "rotation_euler", frame=frame)
    playing = assigned(rig)
    assert playing is not None
    before, _ = poses(rig, range(1, 61))
    count = key_count(playing[0])
    assert bpy.ops.genmm.simplify_keys(spacing="PER_BONE", degrees=1.0) == {"FINISHED"}
    assert key_count(playing[0]) < count
    after, _ = poses(rig, range(1, 61))
    assert angles(before, after).max() <= 1.01 * DEGREE + 1e-3


def test_separate_keys_per_bone_need_fewer_keys_than_shared_ones(sample: SampleCharacter) -> None:
    walk = walk_of(sample)
    copy = walk.copy()
    bpy.ops.genmm.simplify_keys(spacing="SHARED", degrees=1.0, percent=1.0)
    play(sample.armature, copy)
    bpy.ops.genmm.simplify_keys(spacing="PER_BONE", degrees=1.0, percent=1.0)
    assert key_count(copy) < key_count(walk)


@pytest.mark.parametrize("spacing", [KeySpacing.SHARED, KeySpacing.PER_BONE])
def test_a_new_motion_with_few_keys_plays_as_the_full_one(sample: SampleCharacter, spacing: KeySpacing) -> None:
    walk, rig = walk_of(sample), sample.armature
    made = []
    for keys in (KeySpacing.EVERY_FRAME, spacing):
        request = Request(rig, (ExampleSpec(walk),), frames=90, key_spacing=keys, key_error_degrees=1.0)
        made.append(generate(bpy.context, request)[0].object)
    full, few = (assigned(character) for character in made)
    assert full is not None and few is not None
    assert key_count(few[0]) < 0.5 * key_count(full[0])
    one, other = (poses(character, frames_of(full[0]))[0] for character in made)
    assert angles(one, other).max() <= 1.01 * DEGREE + 1e-3
    recipe = recipe_of(made[1])
    assert recipe is not None
    again = request_from_recipe(recipe)
    assert (again.key_spacing, again.key_error_degrees) == (spacing, 1.0)


def test_locked_modified_and_stepped_curves_are_not_simplified(sample: SampleCharacter) -> None:
    walk = walk_of(sample)
    curves = list(fcurves_of(walk))
    curves[0].lock = True
    curves[1].modifiers.new("NOISE")
    for point in curves[2].keyframe_points:
        point.interpolation = "CONSTANT"
    before = keys_of(walk)[:3]
    assert bpy.ops.genmm.simplify_keys() == {"FINISHED"}
    assert keys_of(walk)[:3] == before


def test_curves_that_cycle_only_beyond_the_action_are_simplified(sample: SampleCharacter) -> None:
    walk = walk_of(sample)
    repeat_forever(walk)
    keys = fcurves_of(walk)[0].keyframe_points
    while len(keys) > 100:
        keys.remove(keys[-1])
    frames = range(frames_of(walk)[0], frames_of(walk)[-1] + 60)
    before, all_keys, short_keys = poses(sample.armature, frames)[0], key_count(walk), keys_of(walk)[0]
    assert bpy.ops.genmm.simplify_keys(spacing="PER_BONE", degrees=1.0) == {"FINISHED"}
    assert key_count(walk) < 0.5 * all_keys and keys_of(walk)[0] == short_keys
    assert all(is_cyclic(curve) for curve in fcurves_of(walk))
    assert angles(poses(sample.armature, frames)[0], before).max() <= 1.01 * DEGREE + 1e-3


def test_an_action_of_few_keys_is_left_as_it_is(sample: SampleCharacter) -> None:
    walk = walk_of(sample)
    bpy.ops.genmm.simplify_keys(spacing="PER_BONE")
    few = keys_of(walk)
    assert bpy.ops.genmm.simplify_keys(spacing="SHARED") == {"CANCELLED"}
    assert keys_of(walk) == few


def test_stray_key_is_reported_and_nothing_is_simplified(sample: SampleCharacter) -> None:
    walk = walk_of(sample)
    curve = fcurves_of(walk)[0]
    curve.keyframe_points.insert(100_000, 1.0)
    before = key_count(walk)
    with pytest.raises(RuntimeError, match="delete stray keys"):
        bpy.ops.genmm.simplify_keys()
    assert key_count(walk) == before


def test_without_an_action_it_says_so(sample: SampleCharacter) -> None:
    select(sample.armature)
    clear_assignment(sample.armature)
    with pytest.raises(RuntimeError, match="plays no action"):
        bpy.ops.genmm.simplify_keys()


def test_non_finite_key_is_reported(sample: SampleCharacter) -> None:
    walk = walk_of(sample)
    fcurves_of(walk)[0].keyframe_points[3].co.y = math.nan
    with pytest.raises(RuntimeError, match="not a number"):
        bpy.ops.genmm.simplify_keys()


def test_the_command_line_simplifies(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    blend, _ = saved_character(tmp_path)
    words = ("generate", blend, "--frames", 60, "--keys", "shared")
    assert run(capfd, *words, "--max-angle", 2, "--output", tmp_path / "few.blend").status == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "few.blend"))
    made = next(action for action in bpy.data.actions if " Gen " in action.name)
    assert len(keyed_frames(made)) < 30
    said = run(capfd, *words, "--max-angle", 0, "--output", tmp_path / "none.blend")
    assert said.status == 2 and said.errors == ["Max Angle must lie between 0.001 and 180 degrees."]


def test_a_result_has_as_many_keys_as_its_examples_in_as_much_time(sample: SampleCharacter) -> None:
    walk, rig = walk_of(sample), sample.armature
    assert bpy.ops.genmm.simplify_keys(spacing="SHARED", degrees=2.0, percent=2.0) == {"FINISHED"}
    asked = keys_per_second(rig, (ExampleSpec(walk),), bpy.context.scene)
    assert asked is not None
    request = Request(rig, (ExampleSpec(walk),), frames=150, key_spacing=KeySpacing.AS_EXAMPLES)
    made = assigned(generate(bpy.context, request)[0].object)
    assert made is not None
    found = keys_per_second(rig, (ExampleSpec(made[0]),), bpy.context.scene)
    assert found is not None and 0.8 * asked <= found <= 1.05 * asked


def test_examples_keyed_on_every_frame_give_results_that_are(sample: SampleCharacter) -> None:
    walk, rig = walk_of(sample), sample.armature
    counts = []
    for keys in (KeySpacing.EVERY_FRAME, KeySpacing.AS_EXAMPLES):
        made = assigned(
            generate(bpy.context, Request(rig, (ExampleSpec(walk),), frames=60, key_spacing=keys))[0].object
        )
        assert made is not None
        counts.append(key_count(made[0]))
    assert counts[0] == counts[1]
