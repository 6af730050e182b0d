# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions as targets of a result: sampled in the examples' channels, with the frames of their keys."""

import math
from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from bpy.types import Action, FCurve
from characters import BONES, Character, make_character
from rigs import key

from genmm_addon.animation import actions
from genmm_addon.animation.curves import FREE_PLACE
from genmm_addon.animation.reading.example_spec import Reading
from genmm_addon.animation.reading.examples import ExampleSpec, read_examples
from genmm_addon.animation.reading.target_motion import keyed_columns, left_out_notes, read_target_motion
from genmm_addon.core import InputError

RATE = 24.0


@pytest.fixture
def character() -> Character:
    return make_character()


def read(character: Character, *, visual: bool = False) -> Reading:
    return read_examples(character.armature, [ExampleSpec(character.walk)], scene=bpy.context.scene, visual=visual)


def pins(
    character: Character, bone: str = "spine", frames: Sequence[float] = (3.0, 9.0), name: str = "rotation_quaternion"
) -> tuple[Action, str]:
    """Return an action that turns one bone about X at the given frames."""
    action, slot = actions.new_action("Pins", character.armature)
    path = f'pose.bones["{bone}"].{name}'
    for index, function in ((0, math.cos), (1, math.sin)):
        key(action, slot, path, index, [(frame, function(0.1 * frame)) for frame in frames])
    return action, slot


def place(action: Action, slot: str, frames: Sequence[float], bone: str = "hips") -> list[FCurve]:
    return [
        key(action, slot, f'pose.bones["{bone}"].location', index, [(frame, 2.0) for frame in frames])
        for index in range(3)
    ]


def test_a_walk_read_as_held_is_the_walk_as_an_example(character: Character) -> None:
    reading = read(character)
    example = reading.motions[0]
    held = read_target_motion(character.armature, reading, character.walk, "", np.arange(1.0, 41.0), RATE)
    for name, values in example.channels().items():
        np.testing.assert_allclose(held.channels()[name], values, atol=1e-6, err_msg=name)
    assert held.skeleton is example.skeleton
    assert held.translated.tolist() == example.translated.tolist()


def test_channels_without_keys_take_the_first_pose_of_the_examples_at_any_playhead_position(
    character: Character,
) -> None:
    reading = read(character)
    action, slot = pins(character)
    motions = []
    for frame in (5, 30):
        bpy.context.scene.frame_set(frame)
        motions.append(read_target_motion(character.armature, reading, action, slot, np.array([3.0, 9.0]), RATE))
    spine = BONES.index("spine")
    others = [joint for joint in range(3) if joint != spine]
    for motion in motions:
        np.testing.assert_allclose(motion.rotations[1, spine, :2], [math.cos(0.9), math.sin(0.9)], atol=1e-6)
        np.testing.assert_allclose(motion.rotations[1][others], reading.motions[0].rotations[0][others], atol=1e-6)
        np.testing.assert_allclose(motion.translations[1], reading.motions[0].translations[0], atol=1e-6)


def test_a_bone_without_keys_stays_free(character: Character) -> None:
    action, slot = pins(character)
    columns = keyed_columns(character.armature, read(character), action, slot)
    assert columns.frames.tolist() == [3, 9]
    assert columns.joints.tolist() == [[name == "spine" for name in BONES]] * 2
    assert not columns.places.any()


def test_a_key_between_frames_counts_for_the_nearer_and_is_read_where_it_is(character: Character) -> None:
    action, slot = pins(character, frames=(2.6, 9.4))
    columns = keyed_columns(character.armature, read(character), action, slot)
    assert columns.frames.tolist() == [3, 9]
    np.testing.assert_allclose(columns.times, [2.6, 9.4], atol=1e-5)


def test_of_several_keys_around_a_frame_the_nearest_is_read(character: Character) -> None:
    action, slot = pins(character, frames=(2.6, 2.9, 3.3))
    columns = keyed_columns(character.armature, read(character), action, slot)
    assert columns.frames.tolist() == [3]
    np.testing.assert_allclose(columns.times, [2.9], atol=1e-5)


def test_location_keys_of_the_root_hold_the_place_and_those_of_other_bones_do_not(character: Character) -> None:
    action, slot = pins(character)
    place(action, slot, (9.0,))
    place(action, slot, (3.0,), bone="hand")
    columns = keyed_columns(character.armature, read(character), action, slot)
    assert columns.places.tolist() == [False, True]
    assert columns.joints[:, BONES.index("hips")].tolist() == [False, True]
    assert columns.joints[:, BONES.index("hand")].tolist() == [True, False]
    assert keyed_columns(character.armature, read(character), action, slot, "hand").places.tolist() == [True, False]


def test_location_keys_marked_free_hold_the_height_alone(character: Character) -> None:
    action, slot = pins(character)
    for curve in place(action, slot, (3.0, 9.0)):
        curve.keyframe_points[0].type = FREE_PLACE
    columns = keyed_columns(character.armature, read(character), action, slot)
    assert columns.places.tolist() == [False, True]
    assert columns.joints[:, BONES.index("hips")].all()


def test_channels_that_no_example_animates_are_left_out_with_a_note(character: Character) -> None:
    reading = read(character)
    action, slot = pins(character)
    assert left_out_notes(character.armature, reading, action, slot) == ()
    place(action, slot, (3.0,), bone="hand")
    motion = read_target_motion(character.armature, reading, action, slot, np.array([3.0]), RATE)
    assert motion.translated.tolist() == reading.motions[0].translated.tolist()
    (note,) = left_out_notes(character.armature, reading, action, slot)
    assert '"hand"' in note and "ignored" in note


def test_a_joint_that_no_example_animates_is_not_held(character: Character) -> None:
    for curve in list(actions.fcurves_of(character.walk)):
        if "hand" in curve.data_path:
            actions.curve_factory(character.walk).fcurves.remove(curve)
    reading = read(character)
    action, slot = pins(character, bone="hand")
    assert not len(keyed_columns(character.armature, reading, action, slot).frames)
    assert '"hand"' in left_out_notes(character.armature, reading, action, slot)[0]


def test_keys_that_move_nothing_need_no_note(character: Character) -> None:
    reading = read(character)
    action, slot = pins(character)
    key(action, slot, 'pose.bones["hand"].scale', 0, [(3.0, 1.0)])
    assert left_out_notes(character.armature, reading, action, slot) == ()


def test_object_motion_is_read_where_the_examples_have_it(character: Character) -> None:
    key(character.walk, actions.assigned(character.armature)[1], "location", 1, [(1, 0.0), (40, 8.0)])
    reading = read(character)
    motion = read_target_motion(character.armature, reading, character.walk, "", np.array([20.0]), RATE)
    np.testing.assert_allclose(motion.translations[0, 0], reading.motions[0].translations[19, 0], atol=1e-6)


def test_holding_evaluated_poses_is_rejected(character: Character) -> None:
    reading = read(character, visual=True)
    action, slot = pins(character)
    with pytest.raises(InputError, match="set Channels to Keyed"):
        keyed_columns(character.armature, reading, action, slot)
    with pytest.raises(InputError, match="set Channels to Keyed"):
        read_target_motion(character.armature, reading, action, slot, np.array([1.0]), RATE)


def test_an_action_of_another_character_is_refused_by_name(character: Character) -> None:
    action, slot = actions.new_action("Empty", character.armature)
    with pytest.raises(InputError, match="Empty"):
        read_target_motion(character.armature, read(character), action, slot, np.array([1.0]), RATE)
