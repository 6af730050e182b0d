# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins from the panel: the buttons, and Edit Pins, after which the character always has its own action again."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from characters import BONES, Character, make_character
from interface import results_of, select
from rigs import key

from genmm_addon.animation import actions
from genmm_addon.generation.generate import read
from genmm_addon.generation.request import Request
from genmm_addon.interface.pins import sign
from genmm_addon.interface.pins.shown import ShownPin, pins_outside, shown_pins, warnings_on
from genmm_addon.requests import choices
from genmm_addon.state import pins_editing
from genmm_addon.state.properties import readable_settings
from genmm_addon.state.registration import register_module, unregister_module

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def character() -> Character:
    made = make_character()
    select(made.armature)
    bpy.context.scene.frame_set(7)
    return made


def pins_of(rig: Object) -> tuple[ShownPin, ...]:
    return shown_pins(rig, rig.genmm, bpy.context.scene)


def plays(rig: Object) -> tuple[str, str] | None:
    assigned = actions.assigned(rig)
    return None if assigned is None else (assigned[0].name, assigned[1])


def choose_bones(rig: Object, *names: str) -> None:
    for bone in rig.pose.bones:
        owner = bone if hasattr(bone, "select") else bone.bone
        owner.select = bone.name in names


def test_pin_pose_pins_all_that_the_examples_animate(character: Character) -> None:
    assert bpy.ops.genmm.pin_pose(place=True) == {"FINISHED"}
    rig = character.armature
    assert pins_of(rig) == (ShownPin(7, 3, True),)
    assert rig.genmm.use_pins and rig.genmm.pins_action.use_fake_user
    assert plays(rig)[0] == "Walk"


def test_a_selected_bone_is_pinned_alone(character: Character) -> None:
    choose_bones(character.armature, "hand")
    bpy.ops.genmm.pin_pose(bones="SELECTED")
    assert pins_of(character.armature) == (ShownPin(7, 1, False),)


def test_pinning_without_a_selected_bone_is_rejected_and_makes_nothing(character: Character) -> None:
    choose_bones(character.armature)
    with pytest.raises(RuntimeError, match="No bone is selected"):
        bpy.ops.genmm.pin_pose(bones="SELECTED")
    assert character.armature.genmm.pins_action is None
    assert not any(action.name.startswith("GenMM Pins") for action in bpy.data.actions)


def test_poses_of_other_frames_and_runs_of_them_are_pinned(character: Character) -> None:
    bpy.ops.genmm.pin_from_action(frame=20, place=True)
    bpy.ops.genmm.pin_range(action="Walk", start=30, end=32, shift=-10)
    rig = character.armature
    assert pins_of(rig) == (ShownPin(7, 3, True), *(ShownPin(frame, 3, False) for frame in (20, 21, 22)))
    (x,) = (
        curve.evaluate(7)
        for curve in actions.fcurves_of(rig.genmm.pins_action)
        if curve.data_path.endswith("location") and curve.array_index == 0
    )
    assert x == pytest.approx(0.05 * 20)


def test_a_pin_is_gone_to_freed_and_removed(character: Character) -> None:
    bpy.ops.genmm.pin_pose(place=True)
    bpy.context.scene.frame_set(1)
    bpy.ops.genmm.go_to_frame(rows="pins", frame=7)
    assert bpy.context.scene.frame_current == 7
    bpy.ops.genmm.free_pin()
    assert pins_of(character.armature) == (ShownPin(7, 3, False),)
    bpy.ops.genmm.remove_row(rows="pins")
    assert pins_of(character.armature) == ()
    with pytest.raises(RuntimeError, match="Nothing is pinned"):
        bpy.ops.genmm.remove_row(rows="pins")


def test_a_blocked_out_action_is_taken_as_it_is(character: Character) -> None:
    rig = character.armature
    blocked, slot = actions.new_action("Blocked", rig)
    for index in range(3):
        key(blocked, slot, 'pose.bones["hips"].location', index, [(5, 1.0), (25, 2.0)])
    bpy.ops.genmm.add_example(action="Walk")
    actions.assign(rig, blocked, slot)
    bpy.ops.genmm.pin_blocking()
    assert rig.genmm.pins_action == blocked
    assert [(pin.frame, pin.place) for pin in pins_of(rig)] == [(5, True), (25, True)]


def test_keys_used_as_pins_are_never_added_to_the_examples(character: Character) -> None:
    rig = character.armature
    blocked, slot = actions.new_action("Blocked", rig)
    for index in range(3):
        key(blocked, slot, 'pose.bones["hips"].location', index, [(5, 1.0), (25, 2.0)])
    actions.assign(rig, blocked, slot)
    bpy.ops.genmm.pin_blocking()
    bpy.ops.genmm.add_example(action="Walk")
    assert [item.action.name for item in rig.genmm.examples] == ["Walk"]
    rig.genmm.examples.clear()
    bpy.ops.genmm.add_fitting_examples()
    assert "Blocked" not in [item.action.name for item in rig.genmm.examples]


def test_finishing_restores_the_action_of_every_character(character: Character) -> None:
    rig = character.armature
    with pytest.raises(RuntimeError, match="No pins are being edited"):
        bpy.ops.genmm.finish_pins()
    bpy.ops.genmm.edit_pins()
    assert sign.sign_text([rig]) == f"Editing the pins of {rig.name}: press Finish Pins in the header when done"
    bpy.context.view_layer.objects.active = None
    bpy.ops.genmm.finish_pins()
    assert rig.animation_data.action.name == "Walk"
    assert sign.sign_text([]) == ""


def test_moving_a_key_while_editing_moves_the_pin(character: Character) -> None:
    rig = character.armature
    bpy.ops.genmm.pin_pose()
    bpy.ops.genmm.edit_pins()
    assert plays(rig)[0] == "GenMM Pins"
    for curve in actions.fcurves_of(rig.genmm.pins_action):
        curve.keyframe_points[0].co.x = 15
    assert [pin.frame for pin in pins_of(rig)] == [15]
    bpy.ops.genmm.edit_pins()
    assert plays(rig)[0] == "Walk"


@pytest.mark.parametrize("owns", [True, False])
def test_leaving_the_edit_mode_of_pins_restores_the_action_of_the_character(character: Character, owns: bool) -> None:
    rig = character.armature
    if not owns:
        bpy.ops.genmm.add_example(action="Walk")
        rig.animation_data.action = None
    before = plays(rig)
    bpy.ops.genmm.edit_pins()
    assert plays(rig)[0] == "GenMM Pins"
    bpy.ops.genmm.edit_pins()
    assert plays(rig) == before and rig.genmm.own_action is None


def test_file_saved_while_editing_pins_plays_the_action_of_the_character_when_opened(
    character: Character, tmp_path: Path
) -> None:
    rig = character.armature
    before = plays(rig)
    bpy.ops.genmm.pin_pose()
    bpy.ops.genmm.edit_pins()
    rig.pose.bones["hand"].location = 1, 2, 3
    rig.pose.bones["spine"].rotation_quaternion = 0, 1, 0, 0
    path = str(tmp_path / "edited.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    assert plays(rig)[0] == "GenMM Pins", "editing ended"
    assert rig.pose.bones["hand"].location[:] == (1, 2, 3)
    assert rig.pose.bones["spine"].rotation_quaternion[:] == (0, 1, 0, 0), "a pose without keys was lost"
    bpy.context.view_layer.update()
    assert rig.pose.bones["spine"].rotation_quaternion[:] == (0, 1, 0, 0), "a pose without keys was lost"
    handlers = bpy.app.handlers.load_post
    ours = [handler for handler in handlers if handler.__module__.startswith("genmm_addon")]
    for handler in ours:
        handlers.remove(handler)  # so that the file's own content is visible
    bpy.ops.wm.open_mainfile(filepath=path)
    handlers.extend(ours)
    rig = bpy.data.objects["Rig"]
    assert plays(rig) == before and not pins_editing.is_editing(rig)
    assert [pin.frame for pin in pins_of(rig)] == [7]


def test_a_file_that_was_saved_behind_our_back_is_put_right_on_loading(character: Character, tmp_path: Path) -> None:
    before = plays(character.armature)
    bpy.ops.genmm.edit_pins()
    handlers = bpy.app.handlers.save_pre
    ours = [handler for handler in handlers if handler.__module__.startswith("genmm_addon")]
    for handler in ours:
        handlers.remove(handler)
    path = str(tmp_path / "automatic.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    handlers.extend(ours)
    bpy.ops.wm.open_mainfile(filepath=path)
    rig = bpy.data.objects["Rig"]
    assert plays(rig) == before and not pins_editing.is_editing(rig)


def test_undo_takes_editing_back_and_redo_takes_it_up_again(character: Character) -> None:
    before = plays(character.armature)
    bpy.ops.ed.undo_push(message="Start")
    bpy.ops.genmm.edit_pins("EXEC_DEFAULT", True)
    assert pins_editing.is_editing(bpy.data.objects["Rig"])
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    assert plays(rig) == before and not pins_editing.is_editing(rig)
    bpy.ops.ed.redo()
    rig = bpy.data.objects["Rig"]
    assert pins_editing.is_editing(rig)
    bpy.ops.genmm.edit_pins()
    assert plays(rig) == before


def test_disabling_the_extension_gives_the_action_back(character: Character) -> None:
    before = plays(character.armature)
    bpy.ops.genmm.edit_pins()
    unregister_module(pins_editing)
    try:
        assert plays(character.armature) == before
    finally:
        register_module(pins_editing)


def test_generating_while_editing_pins_learns_from_the_action_of_the_character(character: Character) -> None:
    rig = character.armature
    bpy.ops.genmm.edit_pins()
    (choice,) = choices.chosen_examples(rig, rig.genmm.examples)
    assert choice.spec.action == character.walk
    request = Request(rig, (choice.spec,), 30)
    reading = read(request, bpy.context.scene)
    assert reading.reading.motions[0].frames == 40
    bpy.ops.genmm.add_example()
    assert [item.action for item in rig.genmm.examples] == [character.walk]


def test_new_action_replaces_the_action_of_the_character_instead_of_the_pins(character: Character) -> None:
    rig = character.armature
    bpy.ops.genmm.edit_pins()
    rig.genmm.output, rig.genmm.frames = "NEW_ACTION", 30
    bpy.ops.genmm.generate_motion()
    assert plays(rig)[0] not in ("Walk", "GenMM Pins") and not pins_editing.is_editing(rig)
    assert character.walk.use_fake_user


def test_deleting_the_pins_while_editing_leaves_the_way_back(character: Character) -> None:
    rig = character.armature
    before = plays(rig)
    bpy.ops.genmm.pin_pose()
    bpy.ops.genmm.edit_pins()
    bpy.data.actions.remove(rig.genmm.pins_action)
    assert plays(rig) is None and pins_editing.own_assignment(rig)[0] == character.walk
    bpy.ops.genmm.edit_pins()
    assert plays(rig) == before and not pins_editing.is_editing(rig)


def test_character_plays_its_action_again_after_its_slot_was_renamed(character: Character) -> None:
    rig = character.armature
    bpy.ops.genmm.edit_pins()
    if actions.has_slots(character.walk):
        character.walk.slots[0].name_display = "Renamed"
    bpy.ops.genmm.edit_pins()
    assert plays(rig)[0] == "Walk" and (plays(rig)[1] or not actions.has_slots(character.walk))


def test_a_new_character_leaves_the_editing_as_it_is(character: Character) -> None:
    rig = character.armature
    bpy.ops.genmm.pin_pose()
    bpy.ops.genmm.edit_pins()
    bpy.ops.genmm.generate_motion(frames=30)
    (result,) = results_of(rig)
    assert pins_editing.is_editing(rig) and not pins_editing.is_editing(result)
    assert plays(result)[0] not in ("Walk", "GenMM Pins")
    bpy.ops.genmm.edit_pins()
    assert plays(rig)[0] == "Walk"


def test_linked_character_can_be_pinned_and_keeps_its_action(character: Character, tmp_path: Path) -> None:
    path = str(tmp_path / "hero.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, target):
        target.objects = ["Rig"]
    rig = target.objects[0]
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.update()
    select(rig)
    bpy.ops.genmm.pin_pose(place=True)
    settings = readable_settings(rig, bpy.context.scene)
    assert shown_pins(rig, settings, bpy.context.scene) == (ShownPin(1, 3, True),)
    assert settings.pins_action.library is None
    with pytest.raises(RuntimeError, match="linked"):
        bpy.ops.genmm.edit_pins()
    bpy.ops.genmm.clear_rows(rows="pins")
    assert settings.pins_action is None


def test_another_action_chosen_while_editing_pins_is_restored_afterwards(character: Character) -> None:
    rig = character.armature
    bpy.ops.genmm.edit_pins()
    other = character.walk.copy()
    actions.assign(rig, other)
    assert pins_editing.own_assignment(rig)[0] == other
    bpy.ops.genmm.edit_pins()
    bpy.ops.genmm.edit_pins()
    assert actions.assigned(rig)[0] == other


def test_choosing_other_pins_while_editing_loses_nothing(character: Character) -> None:
    rig = character.armature
    before = plays(rig)
    bpy.ops.genmm.edit_pins()
    rig.genmm.pins_action = bpy.data.actions.new("Others")
    bpy.ops.genmm.edit_pins()
    assert plays(rig) == before


def test_clearing_leaves_the_editing_and_keeps_an_action_of_the_users(character: Character) -> None:
    rig = character.armature
    bpy.ops.genmm.edit_pins()
    pins = rig.genmm.pins_action
    bpy.ops.genmm.clear_rows(rows="pins")
    assert plays(rig)[0] == "Walk" and rig.genmm.pins_action is None and not pins.use_fake_user
    bpy.ops.genmm.pin_blocking()
    character.walk.use_fake_user = True
    bpy.ops.genmm.clear_rows(rows="pins")
    assert character.walk.use_fake_user


def test_a_character_in_tweak_mode_is_refused_with_a_sentence(character: Character) -> None:
    rig = character.armature
    bpy.ops.genmm.pin_pose()
    rig.animation_data.nla_tracks.new().strips.new("Walk", 1, character.walk)
    rig.animation_data.use_tweak_mode = True
    with pytest.raises(RuntimeError, match="tweak mode"):
        bpy.ops.genmm.edit_pins()


def test_pins_are_not_offered_as_examples(character: Character) -> None:
    bpy.ops.genmm.pin_pose()
    bpy.ops.genmm.add_fitting_examples()
    assert [item.action.name for item in character.armature.genmm.examples] == ["Walk"]


def test_the_panel_warns_of_pins_outside_the_result() -> None:
    pins = tuple(ShownPin(frame, 3, False) for frame in (1, 50, 99))
    assert pins_outside(pins, 1, 99) == ""
    assert pins_outside(pins, 1, 98) == "Outside frames 1 to 98: 99"
    assert pins_outside(pins, 200, 10) == "No pin lies in frames 200 to 209"


@pytest.mark.parametrize(
    ("values", "warning"),
    [
        ({}, ""),
        ({"frames": 20}, "Outside frames 1 to 20: 30"),
        ({"channels": "VISUAL"}, "keyed channels"),
        ({"path_curve": True}, "path"),
        ({"loop": "TRAVEL"}, "one location"),
    ],
)
def test_the_panel_warns_before_anyone_presses(character: Character, values: dict[str, object], warning: str) -> None:
    settings = character.armature.genmm
    bpy.ops.genmm.pin_range(start=30, end=30, place=True)
    bpy.ops.genmm.pin_range(start=10, end=10, place=True)
    settings.frames = 40
    for name, value in values.items():
        setattr(settings, name, character.body if name == "path_curve" else value)
    found = warnings_on(pins_of(character.armature), settings, 1)
    assert all(warning in sentence for sentence in found) and len(found) == bool(warning)
    assert not any("one location" in one for one in warnings_on(pins_of(character.armature)[:1], settings, 1))
    settings.use_pins = False
    assert warnings_on(pins_of(character.armature), settings, 1) == []


@pytest.mark.parametrize("editing", [False, True])
def test_a_generated_motion_passes_through_the_pins(character: Character, editing: bool) -> None:
    rig, scene = character.armature, bpy.context.scene
    wanted = {}
    for frame, source in ((10, 25), (45, 30)):
        scene.frame_set(source)
        wanted[frame] = [bone.matrix.copy() for bone in rig.pose.bones]
        scene.frame_set(frame)
        bpy.ops.genmm.pin_from_action(frame=source, place=True)
    if editing:
        bpy.ops.genmm.edit_pins()
    rig.genmm.frames, rig.genmm.output = 60, "NEW_ACTION"
    bpy.ops.genmm.generate_motion()
    for frame, matrices in wanted.items():
        scene.frame_set(frame)
        posed = np.array([bone.matrix for bone in rig.pose.bones])
        np.testing.assert_allclose(posed, np.array(matrices), atol=2e-3)


def test_the_height_of_a_pose_alone_is_held_and_its_place_is_not(character: Character) -> None:
    rig, scene = character.armature, bpy.context.scene
    for curve in actions.fcurves_of(character.walk):
        if curve.data_path.endswith("location") and curve.array_index == 2:
            for point in curve.keyframe_points:
                point.co.y = 0.5 + 0.01 * point.co.x
            curve.update()
    scene.frame_set(35)
    bpy.ops.genmm.pin_pose(place=False)
    height = rig.pose.bones["hips"].head.z
    rig.genmm.frames, rig.genmm.output = 50, "NEW_ACTION"
    bpy.ops.genmm.generate_motion()
    scene.frame_set(35)
    assert rig.pose.bones["hips"].head.z == pytest.approx(height, abs=1e-3)


def test_all_bones_have_their_keys_at_the_pinned_frame(character: Character) -> None:
    bpy.ops.genmm.pin_pose()
    curves = actions.fcurves_of(character.armature.genmm.pins_action)
    assert {curve.data_path.split('"')[1] for curve in curves} == set(BONES)
    assert np.all([curve.keyframe_points[0].co.x == 7 for curve in curves])
