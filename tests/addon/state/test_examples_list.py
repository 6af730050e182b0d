# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples list: its meaning, and its changes."""

import math
from collections.abc import Iterator

import bpy
import pytest
from interface import new_action, new_character, registered, select
from recorded_layout import drawn
from rigs import key

from genmm_addon.animation import actions
from genmm_addon.animation.fitting import fits
from genmm_addon.core import InputError
from genmm_addon.generation.recipe import PROPERTY as RECIPE
from genmm_addon.interface.generate.panels import GENMM_PT_generate
from genmm_addon.requests.choices import chosen_examples
from genmm_addon.state.selection import character_of


@pytest.fixture(autouse=True)
def enabled(empty_blender: None) -> Iterator[None]:
    with registered():
        yield


def listed(character: bpy.types.Object) -> list[str]:
    return [item.action.name for item in character.genmm.examples]


def test_an_empty_list_stands_for_the_played_action() -> None:
    hero = new_character()
    (choice,) = chosen_examples(hero, hero.genmm.examples)
    assert choice.spec.action == hero.animation_data.action
    assert choice.notice_rest_start


def test_an_empty_list_follows_the_action_the_character_plays() -> None:
    hero = new_character()
    other = new_action(hero, "Other")
    actions.assign(hero, other)
    assert chosen_examples(hero, hero.genmm.examples)[0].spec.action == other


def test_a_character_that_plays_nothing_says_so() -> None:
    hero = new_character()
    actions.clear_assignment(hero)
    with pytest.raises(InputError, match="has no active action"):
        chosen_examples(hero, hero.genmm.examples)


def test_the_played_action_stays_an_example_when_another_is_added() -> None:
    hero = new_character()
    new_action(hero, "Other")
    bpy.ops.genmm.add_example(action="Other")
    assert listed(hero) == ["Hero Sway", "Other"]


def test_adding_without_a_name_lists_the_played_action_with_its_frames() -> None:
    hero = new_character(frames=60)
    bpy.ops.genmm.add_example()
    (item,) = hero.genmm.examples
    assert (item.action.name, item.frame_start, item.frame_end) == ("Hero Sway", 1.0, 60.0)


def test_missing_action_is_reported_by_name() -> None:
    new_character()
    with pytest.raises(RuntimeError, match='"Missing" was not found'):
        bpy.ops.genmm.add_example(action="Missing")


def test_fitting_actions_are_those_of_the_character_that_were_not_generated() -> None:
    stranger = new_character("Stranger", bones=("a", "b", "c"))
    hero = new_character()
    new_action(hero, "Other")
    new_action(hero, "Generated")[RECIPE] = "{}"
    bpy.ops.genmm.add_fitting_examples()
    assert listed(hero) == ["Hero Sway", "Other"]
    assert not fits(hero, stranger.animation_data.action)
    assert bpy.ops.genmm.add_fitting_examples() == {"CANCELLED"}
    assert listed(hero) == ["Hero Sway", "Other"]


def test_poses_and_unusable_actions_that_fit_are_left_out_and_named(capfd: pytest.CaptureFixture[str]) -> None:
    hero = new_character()
    new_action(hero, "Pose", frames=1)
    bad = new_action(hero, "Bad")
    actions.fcurves_of(bad)[0].keyframe_points[3].co.x = math.nan
    assert bpy.ops.genmm.add_fitting_examples() == {"FINISHED"}
    assert listed(hero) == ["Hero Sway"]
    said = capfd.readouterr().out
    assert "1 action added." in said and '"Pose" has 1 frame' in said and '"Bad" has keys at frames' in said
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}


@pytest.mark.parametrize("start", ["nothing", "one", "strips", "mirrored", "generated", "result"])
def test_all_that_fit_are_counted_as_the_actions_that_became_examples(
    start: str, capfd: pytest.CaptureFixture[str]
) -> None:
    hero = new_character()
    played = hero.animation_data.action
    for name in ("A", "B", "C"):
        new_action(hero, name)
    if start == "generated":
        actions.assign(hero, new_action(hero, "Result"))
        hero.animation_data.action[RECIPE] = "{}"
    elif start == "strips":
        track = hero.animation_data.nla_tracks.new()
        for first in (1, 200):
            track.strips.new("Strip", first, played)
        actions.clear_assignment(hero)
    elif start == "result":
        for first in (1, 20):
            bpy.ops.genmm.add_example(action="A")
            row = hero.genmm.examples[-1]
            row.use_range, row.frame_start, row.frame_end = True, first, first + 15
        hero.genmm.output = "NEW_ACTION"
        assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
        hero.genmm.examples.clear()
    elif start in ("one", "mirrored"):
        bpy.ops.genmm.add_example(action="A")
        hero.genmm.examples[0].mirrored = "MIRRORED" if start == "mirrored" else "AS_RECORDED"
    before = {item.action for item in hero.genmm.examples}
    capfd.readouterr()
    assert bpy.ops.genmm.add_fitting_examples() == {"FINISHED"}
    added = {item.action for item in hero.genmm.examples} - before
    said = capfd.readouterr().out
    assert f"{len(added)} action{'s' * (len(added) != 1)} added." in said


@pytest.mark.skipif(bpy.app.version < (4, 4, 0), reason="Actions have slots from Blender 4.4 on.")
@pytest.mark.parametrize("kind", ["", "KEY"])
def test_a_played_action_without_a_slot_for_the_character_does_not_keep_others_out(kind: str) -> None:
    hero = new_character()
    other = bpy.data.actions.new("Other")
    if kind:
        other.slots.new(id_type=kind, name="Key")  # type: ignore[arg-type]
    hero.animation_data.action = other
    assert bpy.ops.genmm.add_fitting_examples() == {"FINISHED"}
    assert listed(hero) == ["Hero Sway"]
    with pytest.raises(RuntimeError, match="no keys that move an object"):
        bpy.ops.genmm.add_example(action="Other")


def test_an_action_fits_when_most_of_its_bones_are_there() -> None:
    hero = new_character()
    mixed, slot = actions.new_action("Mixed", hero)
    for bone in ("root", "spine", "tail"):
        key(mixed, slot, f'pose.bones["{bone}"].location', 0, [(1, 0), (2, 1)])
    assert fits(hero, mixed)
    for bone in ("wing", "claw"):
        key(mixed, slot, f'pose.bones["{bone}"].location', 0, [(1, 0), (2, 1)])
    assert not fits(hero, mixed)


def test_removing_and_moving_keep_the_selection_in_the_list() -> None:
    hero = new_character()
    for name in ("A", "B"):
        new_action(hero, name)
        bpy.ops.genmm.add_example(action=name)
    assert listed(hero) == ["Hero Sway", "A", "B"]
    bpy.ops.genmm.move_row(rows="examples", direction="UP")
    assert (listed(hero), hero.genmm.active_example) == (["Hero Sway", "B", "A"], 1)
    hero.genmm.active_example = 2
    bpy.ops.genmm.remove_row(rows="examples")
    assert (listed(hero), hero.genmm.active_example) == (["Hero Sway", "B"], 1)
    bpy.ops.genmm.remove_row(rows="examples")
    bpy.ops.genmm.remove_row(rows="examples")
    assert listed(hero) == []
    with pytest.raises(RuntimeError, match="The list is empty"):
        bpy.ops.genmm.remove_row(rows="examples")


def test_a_row_says_its_range_rate_and_first_frame() -> None:
    hero = new_character()
    bpy.ops.genmm.add_example()
    item = hero.genmm.examples[0]
    item.frame_start, item.frame_end, item.frames_per_second = 10.5, 40.0, 60.0
    assert chosen_examples(hero, hero.genmm.examples)[0].spec.frame_start is None
    item.use_range = item.use_rate = True
    item.first_frame = "LEAVE_OUT"
    (choice,) = chosen_examples(hero, hero.genmm.examples)
    assert (choice.spec.frame_start, choice.spec.frame_end) == (10.5, 40.0)
    assert choice.spec.frames_per_second == 60.0
    assert choice.spec.skip_first_frame and not choice.notice_rest_start


def test_pose_is_pinned_without_a_bone_that_was_removed_since_the_last_pin() -> None:
    hero = new_character()
    assert bpy.ops.genmm.pin_pose() == {"FINISHED"}
    select(hero)
    bpy.ops.object.mode_set(mode="EDIT")
    bones = hero.data.edit_bones
    removed = bones[-1].name
    bones.remove(bones[-1])
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.scene.frame_set(20)
    assert bpy.ops.genmm.pin_pose() == {"FINISHED"}
    pinned = [curve for curve in actions.fcurves_of(hero.genmm.pins_action) if removed not in curve.data_path]
    assert all(len(curve.keyframe_points) == 2 for curve in pinned)


def test_disabled_rows_and_rows_without_an_action_are_not_used() -> None:
    hero = new_character()
    other = new_action(hero, "Other")
    bpy.ops.genmm.add_example(action="Other")
    hero.genmm.examples[0].enabled = False
    assert [choice.spec.action for choice in chosen_examples(hero, hero.genmm.examples)] == [other]
    bpy.data.actions.remove(other)
    with pytest.raises(InputError, match="No example in the list is used"):
        chosen_examples(hero, hero.genmm.examples)


def test_a_mesh_leads_to_the_armature_it_follows() -> None:
    hero = new_character()
    mesh = bpy.data.objects.new("Skin", bpy.data.meshes.new("Skin"))
    bpy.context.scene.collection.objects.link(mesh)
    mesh.modifiers.new("Armature", "ARMATURE").object = hero
    select(mesh)
    assert character_of(bpy.context) == hero


def test_an_empty_that_holds_one_armature_leads_to_it() -> None:
    hero = new_character()
    holder = bpy.data.objects.new("Holder", None)
    bpy.context.scene.collection.objects.link(holder)
    hero.parent = holder
    select(holder)
    assert character_of(bpy.context) == hero
    second = new_character("Second")
    second.parent = holder
    select(holder)
    assert character_of(bpy.context) is None


def said(character: bpy.types.Object) -> str:
    """Return the error that New Motion shows before Generate is pressed."""
    select(character)
    errors = [text for text, icon in drawn(GENMM_PT_generate, bpy.context).labels if icon == "ERROR"]
    return " ".join(errors)


def test_the_panel_says_that_an_action_has_no_keys_for_the_character_before_the_press() -> None:
    hero = new_character()
    assert said(hero) == ""
    actions.assign(hero, actions.new_action("Empty", hero)[0])
    assert 'Action "Empty" has no keys for this character' in said(hero)
    with pytest.raises(RuntimeError, match=r'"Empty" has no keys'):
        bpy.ops.genmm.generate_motion()


def test_the_panel_says_what_to_do_without_an_action_or_an_enabled_example() -> None:
    hero = new_character()
    bpy.ops.genmm.add_example(played=True)
    hero.genmm.examples[0].enabled = False
    assert "No example in the list is used" in said(hero)
    hero.genmm.examples.clear()
    hero.animation_data_clear()
    assert "Hero has no active action; add one to its examples" in said(hero)


def test_a_pose_that_constraints_move_needs_no_keys_where_it_is_read() -> None:
    hero = new_character()
    bpy.ops.genmm.add_example(played=True)
    row = hero.genmm.examples[0]
    row.use_range, row.frame_start, row.frame_end = True, 200, 260
    assert "does not move at 200" in said(hero)
    hero.genmm.channels = "VISUAL"
    assert said(hero) == ""
