# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions read from example actions, which must have the actions' values."""

import math
from pathlib import Path
from typing import TypedDict

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from rigs import MOTIONS, ODD_NAMES, RotationMode, evaluated, key, load, make_rig

from genmm_addon.animation import actions
from genmm_addon.animation.reading.examples import ExampleSpec, Reading, example_range, has_rest_start, read_examples
from genmm_addon.animation.rig import OBJECT_JOINT, bone_path
from genmm_addon.animation.rotation_modes import AXIS_ANGLE, EULER_ORDERS, QUATERNION, property_of
from genmm_addon.animation.scene_time import scene_rate
from genmm_addon.core import InputError, rotations

HIPS = 'pose.bones["hips"]'


def new_action(armature: Object, name: str = "Walk") -> tuple[Action, str]:
    return actions.new_action(name, armature)


def read(armature: Object, *examples: Action | ExampleSpec, visual: bool | None = None) -> Reading:
    specs = [item if isinstance(item, ExampleSpec) else ExampleSpec(item) for item in examples]
    return read_examples(armature, specs, scene=bpy.context.scene, visual=visual)


def poses_agree(armature: Object, reading: Reading, frames: list[float]) -> None:
    """Check that the motion's kinematics agree with Blender's evaluation of the action."""
    motion = reading.motions[0]
    matrices, positions = motion.pose()
    order = [armature.pose.bones.find(name) + 1 for name in motion.skeleton.names]
    expected = evaluated(armature, frames)[:, order]
    assert np.allclose(matrices, expected[..., :3, :3], atol=2e-5)
    assert np.allclose(positions, expected[..., :3, 3], atol=2e-5 * motion.skeleton.size)


@pytest.mark.parametrize("mode", [QUATERNION, AXIS_ANGLE, *EULER_ORDERS])
def test_bones_of_any_name_in_any_rotation_mode_pose_as_in_blender(mode: RotationMode) -> None:
    armature = make_rig()
    action, slot = new_action(armature)
    random = np.random.default_rng(7)
    for number, name in enumerate(ODD_NAMES):
        bone = armature.pose.bones[name]
        bone.rotation_mode = mode if number != 2 else "ZYX"
        width = 3 if bone.rotation_mode in EULER_ORDERS else 4
        for index in range(width):
            values = random.normal(size=3).tolist()
            path = f"{bone_path(name)}.{property_of(bone.rotation_mode)}"
            key(action, slot, path, index, [(1, values[0]), (6, values[1]), (11, values[2])])
        for index in range(3):
            key(action, slot, f"{bone_path(name)}.location", index, [(1, random.normal()), (11, random.normal())])
    actions.assign(armature, action, slot)
    reading = read(armature, action)
    assert set(reading.keyed.rotations) == set(ODD_NAMES)
    assert reading.motions[0].frames == 11
    poses_agree(armature, reading, list(range(1, 12)))


def test_quaternion_of_four_zeros_is_read_as_blender_poses_it() -> None:
    armature = make_rig()
    action, slot = new_action(armature)
    for index in range(4):
        key(action, slot, f"{HIPS}.rotation_quaternion", index, [(1, 0.0), (2, 0.0)])
    actions.assign(armature, action, slot)
    poses_agree(armature, read(armature, action), [1, 2])


def test_a_bone_without_keys_keeps_its_pose() -> None:
    armature = make_rig()
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.location", 0, [(1, 0.0), (5, 1.0)])
    still = armature.pose.bones["with.dot"]
    still.rotation_quaternion = (0.8, 0.6, 0, 0)
    still.location = (0.1, 0.2, 0.3)
    still.scale = (1, 2, 1)
    actions.assign(armature, action, slot)
    reading = read(armature, action)
    assert "with.dot" not in (*reading.keyed.rotations, *reading.keyed.locations, *reading.keyed.scales)
    poses_agree(armature, reading, [1, 2, 3, 4, 5])


def test_a_component_without_keys_keeps_its_value() -> None:
    armature = make_rig()
    armature.pose.bones["hips"].location = (0.0, 0.25, -0.5)
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.location", 0, [(1, 0.0), (3, 2.0)])
    motion = read(armature, action).motions[0]
    assert np.allclose(motion.translations[:, 0], [[0, 0.25, -0.5], [1, 0.25, -0.5], [2, 0.25, -0.5]])


def test_muted_curves_do_not_play() -> None:
    armature = make_rig()
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.location", 0, [(1, 0.0), (3, 2.0)])
    key(action, slot, f"{HIPS}.location", 1, [(1, 7.0), (30, 9.0)]).mute = True
    motion = read(armature, action).motions[0]
    assert motion.frames == 3
    assert np.all(motion.translations[:, 0, 1] == 0)


def test_connected_bone_does_not_move_despite_location_keys() -> None:
    armature = make_rig(["a", "b"], connected=True)
    action, slot = new_action(armature)
    key(action, slot, 'pose.bones["a"].location', 0, [(1, 0.0), (3, 2.0)])
    key(action, slot, 'pose.bones["b"].location', 0, [(1, 0.0), (3, 2.0)])
    actions.assign(armature, action, slot)
    reading = read(armature, action)
    assert reading.keyed.locations == ("a",)
    poses_agree(armature, reading, [1, 2, 3])


def test_scales_are_read() -> None:
    armature = make_rig()
    action, slot = new_action(armature)
    for index in range(3):
        key(action, slot, f"{HIPS}.scale", index, [(1, 1.0), (3, 2.0 + index)])
    actions.assign(armature, action, slot)
    reading = read(armature, action)
    assert reading.keyed.scales == ("hips",)
    assert np.allclose(reading.motions[0].scales[:, 0], [[1.0, 1.0, 1.0], [1.5, 2.0, 2.5], [2.0, 3.0, 4.0]])


@pytest.mark.parametrize("mode", [QUATERNION, AXIS_ANGLE, "XYZ", "ZXY"])
def test_object_motion_becomes_joint_zero(mode: RotationMode) -> None:
    armature = make_rig()
    armature.rotation_mode = mode
    armature.scale = (2, 2, 2)
    armature.delta_location = (9, 9, 9)
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.location", 0, [(1, 0.0), (5, 1.0)])
    for index in range(3):
        key(action, slot, "location", index, [(1, 1.0 * index), (5, 3.0)])
        key(action, slot, property_of(mode), index, [(1, 0.1), (5, 1.0 + index)])
    actions.assign(armature, action, slot)
    reading = read(armature, action)
    motion = reading.motions[0]
    assert motion.skeleton.names[0] == OBJECT_JOINT
    assert reading.keyed.rotations == {OBJECT_JOINT: mode}
    assert reading.keyed.scales == ()
    matrices, positions = motion.pose()
    expected = evaluated(armature, [1, 2, 3, 4, 5])[:, 0]
    assert np.allclose(matrices[:, 0], expected[:, :3, :3], atol=1e-5)
    assert np.allclose(positions[:, 0] + 9, expected[:, :3, 3], atol=1e-5)


def test_examples_share_one_layout_and_channels_missing_from_one_are_held() -> None:
    armature = make_rig()
    armature.pose.bones["hips"].location = (4, 5, 6)
    first, slot = new_action(armature, "First")
    key(first, slot, f"{HIPS}.location", 0, [(1, 0.0), (3, 2.0)])
    second, slot = new_action(armature, "Second")
    key(second, slot, f"{bone_path('with.dot')}.rotation_quaternion", 1, [(1, 0.0), (4, 0.5)])
    key(second, slot, "scale", 0, [(1, 1.0), (4, 2.0)])
    reading = read(armature, first, second)
    one, other = reading.motions
    assert one.skeleton is other.skeleton
    assert one.skeleton.names[0] == OBJECT_JOINT
    assert np.array_equal(one.translated, other.translated) and np.array_equal(one.scaled, other.scaled)
    hips = one.translated.tolist().index(one.skeleton.names.index("hips"))
    assert np.allclose(other.translations[:, hips], [4, 5, 6])
    assert np.allclose(one.scales, 1)
    assert set(reading.keyed.rotations) == {"with.dot"}
    assert reading.keyed.locations == ("hips",) and reading.keyed.scales == (OBJECT_JOINT,)


def test_custom_properties_and_influences_are_scalars() -> None:
    armature = make_rig()
    armature["mood"] = 0.5
    armature.pose.bones["hips"]["level"] = 3
    armature.pose.bones["hips"]["direction"] = [0.0, 1.0]
    armature.pose.bones["hips"].constraints.new("COPY_ROTATION").name = "Copy"
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.location", 0, [(1, 0.0), (3, 2.0)])
    key(action, slot, '["mood"]', 0, [(1, 0.0), (3, 1.0)])
    key(action, slot, f'{HIPS}["level"]', 0, [(1, 0.0), (3, 3.0)])
    key(action, slot, f'{HIPS}["direction"]', 1, [(1, 0.0), (3, 1.0)])
    key(action, slot, f'{HIPS}.constraints["Copy"].influence', 0, [(1, 1.0), (3, 0.0)])
    reading = read(armature, action)
    motion = reading.motions[0]
    by_name = dict(zip(motion.scalar_names, motion.scalars.T.tolist(), strict=True))
    assert by_name == {
        '["mood"]': [0, 0.5, 1],
        f'{HIPS}["level"]': [0, 1, 3],
        f'{HIPS}["direction"][1]': [0, 0.5, 1],
        f'{HIPS}.constraints["Copy"].influence': [1, 0.5, 0],
    }
    stepped = [channel.data_path for channel in reading.keyed.scalars if channel.is_stepped]
    assert stepped == [f'{HIPS}["level"]']
    assert [channel.group for channel in reading.keyed.scalars] == ["", "hips", "hips", "hips"]


def test_a_scalar_one_example_lacks_holds_its_value() -> None:
    armature = make_rig()
    armature["mood"] = 0.25
    first, slot = new_action(armature, "First")
    key(first, slot, '["mood"]', 0, [(1, 0.0), (3, 1.0)])
    key(first, slot, f"{HIPS}.location", 0, [(1, 0.0)])
    second, slot = new_action(armature, "Second")
    key(second, slot, f"{HIPS}.location", 0, [(1, 0.0), (2, 0.0)])
    assert read(armature, first, second).motions[1].scalars.tolist() == [[0.25], [0.25]]


def test_choices_are_read_by_number() -> None:
    armature = make_rig()
    constraint = armature.pose.bones["hips"].constraints.new("TRACK_TO")
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.location", 0, [(1, 0.0), (3, 2.0)])
    path = f'{HIPS}.constraints["{constraint.name}"].up_axis'
    key(action, slot, path, 0, [(1, 0.0), (2, 2.0)], "CONSTANT")
    reading = read(armature, action)
    assert reading.keyed.scalars[0].is_stepped
    assert reading.motions[0].scalars[:, 0].tolist() == [0, 2, 2]


def test_curves_of_missing_bones_and_properties_are_skipped_with_a_note() -> None:
    armature = make_rig()
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.location", 0, [(1, 0.0), (3, 2.0)])
    key(action, slot, 'pose.bones["tail"].location', 0, [(1, 0.0), (300, 2.0)])
    key(action, slot, '["nothing"]', 0, [(1, 0.0), (300, 2.0)])
    reading = read(armature, action)
    assert reading.motions[0].frames == 3
    assert reading.motions[0].scalar_names == ()
    assert len(reading.notes) == 1 and "tail" in reading.notes[0]


def test_rotation_keys_in_another_mode_than_the_bones_are_left_out_and_noted() -> None:
    armature = make_rig()
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.location", 0, [(1, 0.0), (3, 2.0)])
    key(action, slot, f"{HIPS}.rotation_euler", 0, [(1, 0.0), (3, 2.0)])
    actions.assign(armature, action, slot)
    reading = read(armature, action)
    assert reading.keyed.rotations == {}
    assert "hips" in reading.notes[0]
    poses_agree(armature, reading, [1, 2, 3])


def test_a_range_that_ends_between_frames_is_sampled_up_to_its_last_whole_frame() -> None:
    armature = make_rig()
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.location", 0, [(0, 0.0), (27.8, 27.8)])
    assert example_range(armature, ExampleSpec(action), bpy.context.scene) == pytest.approx((0, 27.8))
    motion = read(armature, action).motions[0]
    assert np.allclose(motion.translations[:, 0, 0], np.arange(28), atol=1e-5)


def test_ranges_that_start_between_frames_are_sampled_from_there() -> None:
    armature = make_rig()
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.location", 0, [(0, 0.0), (20, 20.0)])
    motion = read(armature, ExampleSpec(action, frame_start=2.5, frame_end=6.0)).motions[0]
    assert np.allclose(motion.translations[:, 0, 0], [2.5, 3.5, 4.5, 5.5])


def test_the_range_set_by_hand_comes_before_the_keys() -> None:
    armature = make_rig()
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.location", 0, [(0, 0.0), (20, 20.0)])
    action.use_frame_range = True
    action.frame_start, action.frame_end = 5, 9
    assert np.allclose(read(armature, action).motions[0].translations[:, 0, 0], [5, 6, 7, 8, 9])


def test_a_whole_range_missed_by_rounding_is_whole() -> None:
    armature = make_rig()
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.location", 0, [(0.99999887, 0.0), (47.99999, 20.0)])
    assert example_range(armature, ExampleSpec(action), bpy.context.scene) == (1.0, 48.0)


def test_the_first_frame_can_be_left_out() -> None:
    armature = make_rig()
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.location", 0, [(1, 1.0), (4, 4.0)])
    motion = read(armature, ExampleSpec(action, skip_first_frame=True)).motions[0]
    assert np.allclose(motion.translations[:, 0, 0], [2, 3, 4])
    with pytest.raises(InputError, match="Walk"):
        read(armature, ExampleSpec(action, frame_end=1, skip_first_frame=True))


def test_scene_rate_is_used_unless_the_example_sets_a_rate() -> None:
    armature = make_rig()
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = 120, 1.001
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.location", 0, [(1, 1.0), (4, 4.0)])
    reading = read(armature, action, ExampleSpec(action, frames_per_second=60.0))
    assert scene_rate(scene) == pytest.approx(119.88, abs=1e-3)
    assert [motion.frames_per_second for motion in reading.motions] == pytest.approx([120 / 1.001, 60.0])


def test_non_finite_key_stays_in_the_motion_and_fails_its_check() -> None:
    armature = make_rig()
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.rotation_quaternion", 1, [(1, 0.0), (2, math.nan), (3, 0.0)])
    motion = read(armature, action).motions[0]
    with pytest.raises(InputError, match="rotation"):
        motion.check_values("Walk")


class Span(TypedDict, total=False):
    """The part of an action that an example is, and its rate."""

    frame_start: float
    frame_end: float
    frames_per_second: float


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"frame_start": 9.0, "frame_end": 3.0}, "before it starts"),
        ({"frame_start": 0.0, "frame_end": 1e9}, "shorter"),
        ({"frame_start": math.nan}, "finite"),
        ({"frames_per_second": 0.0}, "frame rate"),
        ({"frames_per_second": math.inf}, "frame rate"),
    ],
)
def test_impossible_requests_are_refused_by_name(spec: Span, words: str) -> None:
    armature = make_rig()
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.location", 0, [(1, 1.0), (4, 4.0)])
    with pytest.raises(InputError, match=words) as caught:
        read(armature, ExampleSpec(action, **spec))
    assert "Walk" in str(caught.value)


def test_an_action_of_something_else_is_refused_by_name() -> None:
    armature = make_rig()
    action, slot = new_action(armature, "Camera")
    key(action, slot, 'pose.bones["lens"].location', 0, [(1, 1.0), (4, 4.0)])
    with pytest.raises(InputError, match="Camera"):
        read(armature, action)
    with pytest.raises(InputError, match="Camera"):
        read(armature, ExampleSpec(action, frame_start=1, frame_end=4))


def test_no_examples_are_refused() -> None:
    with pytest.raises(InputError, match="add an action"):
        read(make_rig())


def test_reading_leaves_the_character_unchanged() -> None:
    armature = make_rig()
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.location", 0, [(1, 1.0), (4, 4.0)])
    armature.pose.bones["hips"].location = (7, 8, 9)
    read(armature, action)
    assert armature.animation_data is None
    assert armature.pose.bones["hips"].location[:] == (7, 8, 9)


RECORDED = sorted((MOTIONS / "bvh").glob("*.bvh"))


@pytest.mark.skipif(not RECORDED, reason="the motions folder is not at hand")
@pytest.mark.parametrize("path", [path for path in RECORDED if path.stem != "sinusoidal"], ids=lambda path: path.stem)
def test_a_t_pose_before_the_motion_is_noticed_and_nothing_else_taken_for_one(path: Path) -> None:
    load(path)
    armature = next(item for item in bpy.data.objects if item.type == "ARMATURE")
    motion = read(armature, armature.animation_data.action).motions[0]
    assert not has_rest_start(motion)
    motion.rotations[0] = [1, 0, 0, 0]
    assert has_rest_start(motion)


def test_short_or_still_motions_have_no_t_pose() -> None:
    armature = make_rig()
    action, slot = new_action(armature)
    key(action, slot, f"{HIPS}.location", 0, [(1, 1.0), (4, 4.0)])
    motion = read(armature, action).motions[0]
    assert not has_rest_start(motion)
    assert not has_rest_start(motion.slice(0, 1))
    assert rotations.angle_between(motion.rotations[0], motion.rotations[1]).max() == 0
