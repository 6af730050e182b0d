# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins as keys: the pinned and the free channels, and their effect on a result."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Action
from characters import BONES, Character, make_character
from rigs import RotationMode, key

from genmm_addon.animation import actions
from genmm_addon.animation.curves import collect_curves
from genmm_addon.animation.pins.action import (
    Animated,
    Pinned,
    animated_by,
    columns_of,
    is_own,
    new_pins,
    pin_current_pose,
    pin_from_action,
    remove_pins,
    set_place,
)
from genmm_addon.animation.pins.pose_constraint import PinsConstraint, constraint_from_pins
from genmm_addon.animation.reading.example_spec import Reading
from genmm_addon.animation.reading.examples import ExampleSpec, read_examples
from genmm_addon.animation.reading.target_motion import keyed_columns
from genmm_addon.core import InputError

SPINE_ALONE = Pinned(frozenset({"spine"}), "hips", place=False)


@pytest.fixture
def character() -> Character:
    return make_character()


def everything(place: bool) -> Pinned:
    return Pinned(frozenset(BONES), "hips", place)


def animated(character: Character) -> Animated:
    return animated_by([collect_curves(character.armature, character.walk)])


def read(character: Character) -> Reading:
    return read_examples(character.armature, [ExampleSpec(character.walk)], scene=bpy.context.scene)


def pin(character: Character, at: int, frame: int, pinned: Pinned, pins: Action | None = None) -> Action:
    """Pin the walk's pose at frame `at`, at another frame, and return the pins."""
    bpy.context.scene.frame_set(at)
    pins = pins or new_pins(character.armature)
    pin_current_pose(character.armature, pins, frame, pinned, animated(character))
    return pins


def held(character: Character, pins: Action, first_frame: float = 1.0, frames: int = 60) -> PinsConstraint:
    return constraint_from_pins(character.armature, read(character), pins, "", first_frame, frames)


def test_a_pinned_pose_is_held_at_its_frame_as_the_example_showed_it(character: Character) -> None:
    pins = pin(character, 7, 30, everything(place=True))
    result, notes = held(character, pins)
    assert result is not None and notes == ()
    assert result.frames.tolist() == [29] and result.joints[29].all() and result.place[29]
    example = read(character).motions[0]
    np.testing.assert_allclose(result.motion.rotations[29], example.rotations[6], atol=1e-6)
    np.testing.assert_allclose(result.motion.translations[29], example.translations[6], atol=1e-6)


def test_a_pose_alone_knows_its_height_and_not_its_place(character: Character) -> None:
    result, _ = held(character, pin(character, 7, 30, everything(place=False)))
    assert result is not None and result.joints[29].all() and not result.place.any()
    np.testing.assert_allclose(result.motion.translations[29], read(character).motions[0].translations[6], atol=1e-6)


def test_pinning_some_bones_leaves_the_others_free(character: Character) -> None:
    result, _ = held(character, pin(character, 7, 30, SPINE_ALONE))
    assert result is not None
    assert result.joints[29].tolist() == [name == "spine" for name in BONES]


def test_pinning_the_place_of_a_few_bones_holds_the_root_with_them(character: Character) -> None:
    result, _ = held(character, pin(character, 7, 30, Pinned(frozenset({"hand"}), "hips", place=True)))
    assert result is not None and result.place[29]
    assert result.joints[29].tolist() == [name != "spine" for name in BONES]


def test_pinning_a_frame_again_replaces_its_pin(character: Character) -> None:
    pins = pin(character, 7, 30, everything(place=False))
    for curve in actions.fcurves_of(pins):
        curve.keyframe_points[0].co.x = 30.4
    pin(character, 12, 30, everything(place=True), pins)
    assert all(len(curve.keyframe_points) == 1 for curve in actions.fcurves_of(pins))
    result, _ = held(character, pins)
    assert result is not None and result.place[29]
    np.testing.assert_allclose(result.motion.rotations[29], read(character).motions[0].rotations[11], atol=1e-6)


def test_a_run_of_frames_is_held_frame_by_frame(character: Character) -> None:
    pins = new_pins(character.armature)
    source = (character.walk, "")
    pin_from_action(
        character.armature, pins, source, np.arange(10.0, 15.0), 20, everything(place=True), animated(character)
    )
    result, _ = held(character, pins)
    assert result is not None and result.frames.tolist() == [19, 20, 21, 22, 23]
    example = read(character).motions[0]
    np.testing.assert_allclose(result.motion.rotations[19:24], example.rotations[9:14], atol=1e-6)


def test_an_action_without_location_keys_cannot_say_the_place(character: Character) -> None:
    turning = pin(character, 7, 7, SPINE_ALONE)
    with pytest.raises(InputError, match="pin the pose alone"):
        pin_from_action(
            character.armature,
            new_pins(character.armature),
            (turning, ""),
            np.array([7.0]),
            1,
            everything(place=True),
            animated(character),
        )


def test_where_no_example_moves_the_root_it_is_held_where_it_stands(character: Character) -> None:
    for curve in list(actions.fcurves_of(character.walk)):
        if curve.data_path.endswith("location"):
            actions.curve_factory(character.walk).fcurves.remove(curve)
    pins = new_pins(character.armature)
    source, place = (character.walk, ""), everything(place=True)
    pin_from_action(character.armature, pins, source, np.array([7.0]), 30, place, animated(character))
    result, notes = held(character, pins)
    assert result is not None and result.place[29] and notes == ()


@pytest.mark.parametrize("mode", ["XYZ", "AXIS_ANGLE", "ZXY"])
def test_rotations_are_keyed_in_the_rotation_mode_of_the_bone(character: Character, mode: RotationMode) -> None:
    bone = character.armature.pose.bones["spine"]
    bone.rotation_mode = mode
    name = "rotation_axis_angle" if mode == "AXIS_ANGLE" else "rotation_euler"
    key(character.walk, "", f'pose.bones["spine"].{name}', 0, [(1, 0.1), (40, 0.9)])
    bpy.context.scene.frame_set(20)
    expected = bone.matrix_basis.to_quaternion()
    pins = new_pins(character.armature)
    pin_current_pose(character.armature, pins, 5, SPINE_ALONE, animated(character))
    names = {curve.data_path.rpartition(".")[2] for curve in actions.fcurves_of(pins)}
    assert names == {name}
    result, _ = held(character, pins)
    assert result is not None
    assert abs(np.dot(result.motion.rotations[4, BONES.index("spine")], np.array(expected))) == pytest.approx(
        1.0, abs=1e-5
    )


def test_moving_keys_moves_the_pin(character: Character) -> None:
    pins = pin(character, 7, 30, everything(place=True))
    for curve in actions.fcurves_of(pins):
        curve.keyframe_points[0].co.x += 12
        curve.update()
    result, _ = held(character, pins)
    assert result is not None and result.frames.tolist() == [41]


def test_removing_a_pin_takes_its_keys_and_leaves_the_others(character: Character) -> None:
    pins = pin(character, 7, 30, everything(place=True))
    pin(character, 9, 40, everything(place=True), pins)
    assert remove_pins(character.armature, pins, {30}, {"hand"}) > 0
    assert columns_of(character.armature, pins).keyed["hand"].tolist() == [False, True]
    remove_pins(character.armature, pins, {30})
    assert columns_of(character.armature, pins).frames.tolist() == [40]
    remove_pins(character.armature, pins, {40})
    assert not len(actions.fcurves_of(pins))


def test_a_pin_can_be_set_free_from_its_place_and_be_given_it_back(character: Character) -> None:
    pins = pin(character, 7, 30, everything(place=True))
    for place in (False, True):
        set_place(character.armature, pins, 30, "hips", place)
        assert keyed_columns(character.armature, read(character), pins, "").places.tolist() == [place]
    with pytest.raises(InputError, match="no location keys"):
        set_place(character.armature, pins, 31, "hips", True)


def test_pins_outside_the_result_are_named(character: Character) -> None:
    pins = pin(character, 7, 30, everything(place=False))
    pin(character, 9, 99, everything(place=False), pins)
    result, notes = held(character, pins, first_frame=10.0)
    assert result is not None and result.frames.tolist() == [20]
    assert notes == ("The pin at frame 99 lies outside the result.",)
    nothing, notes = held(character, pins, first_frame=200.0)
    assert nothing is None and "nothing is pinned" in notes[0]


def test_sparse_keys_of_any_action_are_pins_as_they_are(character: Character) -> None:
    blocked, slot = actions.new_action("Blocked", character.armature)
    pin_from_action(
        character.armature,
        blocked,
        (character.walk, ""),
        np.array([3.0, 4.0]),
        10,
        everything(place=True),
        animated(character),
    )
    assert not is_own(blocked) and is_own(new_pins(character.armature))
    result, _ = constraint_from_pins(character.armature, read(character), blocked, slot, 1.0, 60)
    assert result is not None and result.place[[9, 10]].all()


def test_nothing_is_written_into_linked_pins(character: Character, tmp_path: Path) -> None:
    bpy.data.libraries.write(str(tmp_path / "pins.blend"), {pin(character, 7, 30, everything(place=True))})
    with bpy.data.libraries.load(str(tmp_path / "pins.blend"), link=True) as (source, target):
        target.actions = list(source.actions)
    linked = target.actions[0]
    with pytest.raises(InputError, match="linked"):
        remove_pins(character.armature, linked, {30})
    result, _ = held(character, linked)
    assert result is not None
