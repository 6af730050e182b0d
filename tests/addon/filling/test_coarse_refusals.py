# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse keys that cannot be made, or brought back to full motion: refused in a sentence, with nothing changed."""

from collections.abc import Iterator

import bpy
import pytest
from bpy.types import Action, Object
from characters import action_of, walking_sample

from genmm_addon.animation import actions
from genmm_addon.animation.curves import collect_curves, key_values

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def walker() -> Iterator[Object]:
    yield walking_sample()


def curve_of(action: Action, bone: str, number: int = 1) -> bpy.types.FCurve:
    return next(
        curve
        for curve in actions.fcurves_of(action)
        if curve.data_path == f'pose.bones["{bone}"].rotation_quaternion' and curve.array_index == number
    )


def all_keys() -> dict[str, list[list[float]]]:
    return {
        action.name: [key_values(curve).ravel().tolist() for curve in actions.fcurves_of(action)]
        for action in bpy.data.actions
    }


def assert_refused(match: str, press: str = "coarse_keys", **values: str) -> None:
    before = all_keys()
    with pytest.raises(RuntimeError, match=match) as said:
        getattr(bpy.ops.genmm, press)(**values)
    assert "Traceback" not in str(said.value)
    assert all_keys() == before


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (100_000.0, r"keys at 1-301 and one at 100,000; delete the keys"),
        (-1_000_000.0, r"one at -1,000,000; delete the keys"),
        (float("inf"), "a key beyond all frames that Blender can play"),
    ],
)
def test_a_key_far_from_all_others_is_named_before_coarse_keys_are_made(
    walker: Object, frame: float, sentence: str
) -> None:
    point = curve_of(action_of(walker), "UpperArm.R").keyframe_points[-1]
    point.co.x = frame
    before = all_keys()
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.genmm.coarse_keys()
    assert list(all_keys()) == list(before)


def test_a_coarse_key_far_from_all_others_is_named_before_the_motion_is_made(walker: Object) -> None:
    bpy.ops.genmm.coarse_keys()
    curve_of(action_of(walker), "UpperArm.R").keyframe_points.insert(100_000, 0.0)
    assert_refused("one at 100,000; delete the keys", "switch_keys", action="FULL")


def test_keys_within_a_single_frame_are_rejected(walker: Object) -> None:
    short, slot = actions.new_action("Short", walker)
    factory = actions.curve_factory(short, slot)
    for curve in actions.fcurves_of(action_of(walker)):
        points = factory.new(curve.data_path, curve.array_index).keyframe_points
        for frame in (5.0, 5.3):
            points.insert(frame, curve.evaluate(frame))
    actions.assign(walker, short, slot)
    assert_refused("no motion for this character that lasts a frame")


def test_coarse_keys_that_were_moved_into_one_frame_are_too_few(walker: Object) -> None:
    bpy.ops.genmm.coarse_keys()
    for curve in actions.fcurves_of(action_of(walker)):
        while len(curve.keyframe_points) > 2:
            curve.keyframe_points.remove(curve.keyframe_points[1])
        curve.keyframe_points[1].co.x = curve.keyframe_points[0].co.x + 0.4
    assert_refused("fewer than two keys left that lie a frame or more", "switch_keys", action="FULL")


def test_a_muted_curve_beside_others_of_its_bone_is_named_by_coarse_keys_too(walker: Object) -> None:
    curve_of(action_of(walker), "UpperArm.R").mute = True
    assert_refused(r'The curve of "UpperArm.R" \(rotation quaternion\) is muted')


def test_a_muted_group_plays_nothing_and_is_not_read(walker: Object) -> None:
    action = action_of(walker)
    curve = curve_of(action, "UpperArm.R")
    assert "UpperArm.R" in collect_curves(walker, action).transforms["rotation_quaternion"]
    curve.group.mute = True
    arms = {
        name
        for name in collect_curves(walker, action).transforms["rotation_quaternion"]
        if name in {other.data_path.split('"')[1] for other in curve.group.channels}
    }
    assert arms == set()


def test_a_bone_that_was_renamed_since_is_named_since_its_detail_would_be_lost(walker: Object) -> None:
    bpy.ops.genmm.coarse_keys()
    walker.data.bones["UpperArm.R"].name = "Right Arm"
    assert_refused('"GenMM Walk" moves the bone "UpperArm.R", which has another name now', "switch_keys", action="FULL")
    walker.data.bones["Right Arm"].name = "UpperArm.R"
    assert bpy.ops.genmm.switch_keys(action="FULL") == {"FINISHED"}


def test_a_bone_that_is_gone_hinders_nothing(walker: Object) -> None:
    action, slot = actions.assigned(walker) or (None, "")
    assert action is not None
    curve = actions.curve_factory(action, slot).new('pose.bones["Tail"].rotation_quaternion', 0)
    curve.keyframe_points.insert(1, 1.0)
    bpy.ops.genmm.coarse_keys()
    assert bpy.ops.genmm.switch_keys(action="FULL") == {"FINISHED"}


@pytest.mark.parametrize("frame", [61, 201])
def test_non_finite_key_is_reported_with_its_frame_in_the_scene(walker: Object, frame: int) -> None:
    curve_of(action_of(walker), "UpperArm.R").keyframe_points[frame - 1].co.y = float("nan")
    with pytest.raises(RuntimeError, match=f"not a finite number at frame {frame};"):
        bpy.ops.genmm.make_natural(range_choice="FRAMES", first_frame=41, last_frame=91)
