# SPDX-License-Identifier: GPL-3.0-or-later
"""Written actions: their keys give the motion, and they have no others."""

import math
from typing import TypedDict, Unpack

import bpy
import numpy as np
import pytest
from bpy.types import Object
from rigs import ODD_NAMES, RotationMode, evaluated, key, make_rig

from genmm_addon.animation import actions
from genmm_addon.animation.channels import KeyedChannels
from genmm_addon.animation.reading.examples import ExampleSpec, Reading, read_examples
from genmm_addon.animation.rig import OBJECT_JOINT, bone_path, read_skeleton
from genmm_addon.animation.rotation_modes import AXIS_ANGLE, EULER_ORDERS, QUATERNION
from genmm_addon.animation.writing import Written, rewrite_joints, write_action
from genmm_addon.core import InputError, Motion, rotations

HIPS = 'pose.bones["hips"]'


def wandering(armature: Object, mode: RotationMode = "QUATERNION") -> Reading:
    """Return a motion of 60 frames in which all channels change, including the object's."""
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    armature.rotation_mode = mode
    armature["mood"], armature["count"] = 0.0, 0
    motion = smooth_motion(armature)
    names = (OBJECT_JOINT, *ODD_NAMES)
    keyed = KeyedChannels({name: mode for name in names}, names, names)
    written = write_action(motion, keyed, armature, name="Everything")
    key(written.action, written.slot, '["mood"]', 0, [(1, 0.0), (30, 1.0), (60, 0.2)], "SINE")
    key(written.action, written.slot, '["count"]', 0, [(1, 0.0), (20, 4.0), (60, 2.0)], "CONSTANT")
    return read_examples(armature, [ExampleSpec(written.action)], scene=bpy.context.scene)


def smooth_motion(armature: Object, frames: int = 60) -> Motion:
    skeleton = read_skeleton(armature, with_object=True)
    joints = len(skeleton.names)
    time = np.linspace(0, 5, frames)[:, None, None]
    phase = np.random.default_rng(3).uniform(0, 6, (4, joints, 4))
    turned = rotations.normalize(np.sin(time + phase[0]) + np.cos(1.7 * time + phase[1])).astype(np.float32)
    everything = np.arange(joints)
    moved = np.sin(time + phase[2, :, :3]).astype(np.float32)
    scaled = (1.5 + 0.4 * np.sin(time + phase[3, :, :3])).astype(np.float32)
    return Motion(skeleton, 24.0, turned, everything, moved, everything, scaled)


class Options(TypedDict, total=False):
    """The options of `write_action`."""

    frame_start: float
    cyclic: bool
    tolerance: float


def written_again(armature: Object, reading: Reading, **options: Unpack[Options]) -> Written:
    return write_action(reading.motions[0], reading.keyed, armature, name="Again", **options)


@pytest.mark.parametrize("mode", [QUATERNION, AXIS_ANGLE, *EULER_ORDERS])
def test_written_channels_are_read_back_exactly(mode: RotationMode) -> None:
    armature = make_rig()
    reading = wandering(armature, mode)
    written = written_again(armature, reading)
    again = read_examples(armature, [ExampleSpec(written.action)], scene=bpy.context.scene)
    assert again.keyed == reading.keyed
    assert rotations.angle_between(again.motions[0].rotations, reading.motions[0].rotations).max() < 1e-5
    for name in ("translations", "scales", "scalars"):
        assert np.array_equal(again.motions[0].channels()[name], reading.motions[0].channels()[name]), name


def test_keys_lie_on_every_frame_from_the_start_and_are_straight_and_marked_as_generated() -> None:
    armature = make_rig()
    reading = wandering(armature)
    written = written_again(armature, reading, frame_start=101)
    curve = next(iter(actions.fcurves_of(written.action, written.slot)))
    assert [point.co[0] for point in curve.keyframe_points] == list(range(101, 161))
    assert {point.interpolation for point in curve.keyframe_points} == {"LINEAR"}
    assert {point.type for point in curve.keyframe_points} == {"GENERATED"}


def test_keys_that_are_made_smooth_later_have_handles_within_their_frame() -> None:
    armature = make_rig()
    written = written_again(armature, wandering(armature))
    curve = actions.fcurves_of(written.action, written.slot)[0]
    as_made = actions.curve_factory(*actions.new_action("New", armature)).new("location", 0)
    assert curve.auto_smoothing == as_made.auto_smoothing
    points = curve.keyframe_points
    assert {(point.handle_left_type, point.handle_right_type) for point in points} == {("AUTO_CLAMPED",) * 2}
    times, keys = (np.array([point.co[axis] for point in points]) for axis in (0, 1))
    left, right = (np.array([getattr(point, side)[0] for point in points]) for side in ("handle_left", "handle_right"))
    assert (left < times).all() and (left > times - 1).all() and (right > times).all() and (right < times + 1).all()
    for point in points:
        point.interpolation = "BEZIER"
    between = np.array([curve.evaluate(frame + 0.5) for frame in times[:-1].tolist()])
    least, most = np.minimum(keys[1:], keys[:-1]), np.maximum(keys[1:], keys[:-1])
    assert (between >= least - 1e-5).all() and (between <= most + 1e-5).all()


def test_curves_that_are_there_keep_how_their_handles_are_smoothed() -> None:
    armature = make_rig()
    reading = wandering(armature)
    written = written_again(armature, reading)
    curves = actions.fcurves_of(written.action, written.slot)
    for curve in curves:
        curve.auto_smoothing = "NONE"
    rotations_alone = KeyedChannels(reading.keyed.rotations, (), ())
    rewrite_joints(reading.motions[0], rotations_alone, armature, written.action, written.slot, 1.0)
    assert {curve.auto_smoothing for curve in actions.fcurves_of(written.action, written.slot)} == {"NONE"}


def test_nothing_is_assigned_and_no_other_action_touched() -> None:
    armature = make_rig()
    reading = wandering(armature)
    before = set(bpy.data.actions)
    actions.clear_assignment(armature)
    written = written_again(armature, reading)
    assert set(bpy.data.actions) - before == {written.action}
    assert actions.assigned(armature) is None


def test_only_keyed_channels_are_written() -> None:
    armature = make_rig()
    armature.pose.bones["with.dot"].location = (1, 2, 3)
    motion = smooth_motion(armature)
    keyed = KeyedChannels({"hips": QUATERNION}, ("back\\slash",), ())
    written = write_action(motion, keyed, armature, name="Little")
    paths = {curve.data_path for curve in actions.fcurves_of(written.action, written.slot)}
    assert paths == {f"{HIPS}.rotation_quaternion", f"{bone_path('back' + chr(92) + 'slash')}.location"}


def test_curves_are_grouped_by_bone() -> None:
    armature = make_rig()
    written = written_again(armature, wandering(armature))
    for curve in actions.fcurves_of(written.action, written.slot):
        if curve.data_path.startswith("pose.bones"):
            assert curve.data_path.startswith(bone_path(curve.group.name) + ".")
        elif curve.data_path.startswith("["):
            assert curve.group is None
        else:
            assert curve.group.name == "Object Transforms"


def test_whole_numbers_are_rounded_and_stepped() -> None:
    armature = make_rig()
    reading = wandering(armature)
    column = reading.motions[0].scalar_names.index('["count"]')
    reading.motions[0].scalars[:, column] += 0.3
    written = written_again(armature, reading)
    curve = next(c for c in actions.fcurves_of(written.action, written.slot) if c.data_path == '["count"]')
    assert {point.interpolation for point in curve.keyframe_points} == {"CONSTANT"}
    assert {point.co[1] for point in curve.keyframe_points} == {0.0, 4.0, 2.0}


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_turning_on_and_on_never_flips(order: str) -> None:
    armature = make_rig()
    motion = smooth_motion(armature, 200)
    joint = motion.skeleton.names.index("hips")
    angles = np.linspace(0, 6 * math.pi, 200)
    motion.rotations[:, joint] = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), angles)
    written = write_action(motion, KeyedChannels({"hips": order}), armature, name="Turn")
    for curve in actions.fcurves_of(written.action, written.slot):
        values = [point.co[1] for point in curve.keyframe_points]
        expected = 6 * math.pi if curve.array_index == 2 else 0.0
        assert values[-1] - values[0] == pytest.approx(expected, abs=1e-3)
        assert np.abs(np.diff(values)).max() < 0.2


@pytest.mark.parametrize("mode", [QUATERNION, AXIS_ANGLE, "XYZ", "YXZ"])
@pytest.mark.parametrize("tolerance", [1e-3, 0.02])
def test_thinned_keys_stay_within_the_tolerance(mode: RotationMode, tolerance: float) -> None:
    armature = make_rig()
    reading = wandering(armature, mode)
    written = written_again(armature, reading, tolerance=tolerance)
    again = read_examples(armature, [ExampleSpec(written.action)], scene=bpy.context.scene)
    before, after = reading.motions[0], again.motions[0]
    assert after.frames == before.frames
    assert rotations.angle_between(after.rotations, before.rotations).max() <= tolerance * 1.001 + 1e-5
    moved = np.linalg.norm(after.translations - before.translations, axis=-1).max()
    assert moved <= tolerance * before.skeleton.size * 1.001 + 1e-5
    assert np.abs(after.scales - before.scales).max() <= tolerance * 1.001 + 1e-5
    assert np.abs(after.scalars - before.scalars).max() <= tolerance * 1.001 + 1e-5


def test_a_larger_tolerance_leaves_fewer_keys_and_the_ends() -> None:
    armature = make_rig()
    reading = wandering(armature)

    def keys(tolerance: float) -> int:
        written = written_again(armature, reading, tolerance=tolerance)
        curves = actions.fcurves_of(written.action, written.slot)
        assert all(curve.range() == curves[0].range() for curve in curves)
        return sum(len(curve.keyframe_points) for curve in curves)

    dense, thin, thinner = keys(0.0), keys(0.002), keys(0.05)
    assert thinner < 0.5 * thin and thin < 0.8 * dense


def test_the_curves_of_a_rotation_are_keyed_at_the_same_frames() -> None:
    armature = make_rig()
    written = written_again(armature, wandering(armature), tolerance=0.05)
    times: dict[str, set[tuple[float, ...]]] = {}
    for curve in actions.fcurves_of(written.action, written.slot):
        times.setdefault(curve.data_path, set()).add(tuple(point.co[0] for point in curve.keyframe_points))
    assert all(len(each) == 1 for each in times.values())
    assert len({next(iter(each)) for each in times.values()}) > 1


def test_a_cyclic_action_says_so() -> None:
    armature = make_rig()
    written = written_again(armature, wandering(armature), frame_start=11, cyclic=True)
    assert written.action.use_cyclic
    assert written.action.frame_range[:] == (11, 70)


def test_a_single_frame_is_written() -> None:
    armature = make_rig()
    motion = smooth_motion(armature).slice(0, 1)
    written = write_action(motion, KeyedChannels({"hips": "XYZ"}, ("hips",)), armature, name="One", tolerance=0.1)
    assert [len(curve.keyframe_points) for curve in actions.fcurves_of(written.action, written.slot)] == [1] * 6


def test_missing_bone_is_reported_and_no_action_is_left_behind() -> None:
    motion = smooth_motion(make_rig())
    stranger = make_rig(["spine"])
    before = len(bpy.data.actions)
    with pytest.raises(InputError, match="hips"):
        write_action(motion, KeyedChannels({"hips": QUATERNION}), stranger, name="Wrong")
    assert len(bpy.data.actions) == before


def test_the_written_action_plays() -> None:
    armature = make_rig()
    reading = wandering(armature, "XYZ")
    written = written_again(armature, reading)
    actions.assign(armature, written.action, written.slot)
    motion = reading.motions[0]
    matrices, positions = motion.pose()
    got = evaluated(armature, list(range(1, 61)))[:, 0]
    assert np.allclose(got[:, :3, :3], matrices[:, 0], atol=1e-5)
    assert np.allclose(got[:, :3, 3], positions[:, 0], atol=1e-5)
