# SPDX-License-Identifier: GPL-3.0-or-later
"""Use of a variation on the original character, and comparison of variations in its place."""

from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from characters import world_position
from interface import keys_of, new_character, registered, results_of, select
from recorded_layout import drawn

from genmm_addon.animation.actions import assigned
from genmm_addon.character.placement import PLACE_PROPERTY
from genmm_addon.generation.recipe import recipe_of
from genmm_addon.generation.results import variations_of
from genmm_addon.interface.results.panels import GENMM_PT_results
from genmm_addon.interface.results.shown import current_of, shown_variations
from genmm_addon.interface.timeline.menus import NEW_MOTION

FRAMES = 40


@pytest.fixture(autouse=True)
def enabled(empty_blender: None) -> Iterator[None]:
    with registered():
        yield


def three(**values: object) -> bpy.types.Object:
    hero = new_character()
    assert bpy.ops.genmm.generate_motion(frames=FRAMES, variations=3, seed=1, **values) == {"FINISHED"}
    return hero


def places(rigs: list[bpy.types.Object]) -> list[tuple[float, ...]]:
    bpy.context.view_layer.update()
    return [tuple(np.round(world_position(rig), 4).tolist()) for rig in rigs]


def test_a_variation_is_applied_to_the_original_and_the_copies_go(capfd: pytest.CaptureFixture[str]) -> None:
    hero = three()
    keys = keys_of(results_of(hero)[1])
    bpy.ops.genmm.apply_variation(number=2)
    assert results_of(hero) == []
    np.testing.assert_array_equal(keys_of(hero), keys)
    assert assigned(hero)[1] or not hasattr(hero.animation_data.action, "slots"), "a slot is chosen"
    assert bpy.data.actions["Hero Sway"].use_fake_user
    assert {action.name for action in bpy.data.actions} == {"Hero Sway", "Hero Sway Gen 002"}
    assert bpy.context.view_layer.objects.active == hero
    said = capfd.readouterr().out
    assert '"Hero" plays variation 2; 3 characters removed. Action "Hero Sway" is kept' in said
    assert "GenMM" not in bpy.data.collections


def apply_from_menu() -> set[str]:
    """Run the entry of the GenMM menu."""
    entry = next(entry for entry in NEW_MOTION if entry and entry.operator == "genmm.apply_variation")
    return set(bpy.ops.genmm.apply_variation(**entry.values))


def test_the_menus_entry_applies_the_selected_variation_or_the_only_one(capfd: pytest.CaptureFixture[str]) -> None:
    hero = three()
    select(results_of(hero)[1])
    assert apply_from_menu() == {"FINISHED"}
    assert hero.animation_data.action.name == "Hero Sway Gen 002"
    assert '"Hero" plays variation 2; 3 characters removed.' in capfd.readouterr().out
    bpy.ops.genmm.generate_motion(frames=FRAMES, seed=9, variations=1)
    assert apply_from_menu() == {"FINISHED"}
    assert recipe_of(hero).seed == 9


def test_the_menus_entry_asks_for_a_choice_among_several_variations() -> None:
    hero = three()
    with pytest.raises(RuntimeError, match="None of the 3 variations is selected; select one in Results first"):
        apply_from_menu()
    assert len(results_of(hero)) == 3


def test_each_row_of_results_applies_its_variation() -> None:
    three()
    buttons = drawn(GENMM_PT_results, bpy.context).buttons
    assert buttons.count("genmm.apply_variation") == buttons.count("genmm.show_variation") == 3


def test_results_on_the_character_itself_have_no_button_to_apply_them() -> None:
    three(output="NEW_ACTION")
    buttons = drawn(GENMM_PT_results, bpy.context).buttons
    assert "genmm.apply_variation" not in buttons and buttons.count("genmm.show_variation") == 3


def test_results_lists_the_last_press_although_an_earlier_result_is_applied() -> None:
    hero = three()
    bpy.ops.genmm.apply_variation(number=1)
    assert [one.object for one in shown_variations(hero, bpy.context.scene)] == [hero]
    bpy.ops.genmm.generate_motion(frames=FRAMES, variations=2, seed=9)
    shown = shown_variations(hero, bpy.context.scene)
    assert [one.object for one in shown] == results_of(hero) and current_of(shown, hero) is None
    bpy.ops.genmm.step_variation(direction="NEXT")
    assert bpy.context.view_layer.objects.active == results_of(hero)[0]


def test_an_applied_variation_moves_the_original_as_it_moved_the_copy() -> None:
    hero = three()
    copy = results_of(hero)[0]
    bpy.context.scene.frame_set(17)
    before = [np.array(bone.matrix) for bone in copy.pose.bones]
    bpy.ops.genmm.apply_variation(number=1)
    bpy.context.scene.frame_set(17)
    np.testing.assert_allclose([np.array(bone.matrix) for bone in hero.pose.bones], before, atol=1e-6)


def test_applied_variation_becomes_the_action_of_the_character(tmp_path: Path) -> None:
    three()
    bpy.ops.genmm.apply_variation(number=3)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    hero = bpy.data.objects["Hero"]
    assert [variation.output.value for variation in variations_of(hero)] == ["NEW_ACTION"]
    assert recipe_of(hero).output.value == "NEW_ACTION"
    with pytest.raises(RuntimeError, match='"Hero" already has the variation'):
        bpy.ops.genmm.apply_variation(number=3)


def test_variation_without_its_original_is_not_applied() -> None:
    hero = three()
    select(results_of(hero)[0])
    bpy.data.objects.remove(hero)
    with pytest.raises(RuntimeError, match='Character "Hero" is no longer in this file'):
        bpy.ops.genmm.apply_variation(number=1)
    assert len(bpy.data.objects) == 3


def test_a_linked_original_takes_no_variation_and_nothing_changes(tmp_path: Path) -> None:
    new_character()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hero.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "hero.blend"), link=True) as (_, wanted):
        wanted.objects = ["Hero"]
    hero = wanted.objects[0]
    bpy.context.scene.collection.objects.link(hero)
    bpy.context.view_layer.update()
    select(hero)
    bpy.ops.genmm.generate_motion(frames=FRAMES, seed=1)
    with pytest.raises(RuntimeError, match="is linked and cannot be changed"):
        bpy.ops.genmm.apply_variation(number=1)
    assert len(results_of(hero)) == 1 and hero.animation_data.action.name == "Hero Sway"


def test_applying_is_one_step_of_undo() -> None:
    hero = three()
    bpy.ops.ed.undo_push(message="Generate")
    bpy.ops.genmm.apply_variation(number=1)
    bpy.ops.ed.undo_push(message="Apply")
    bpy.ops.ed.undo()
    hero = bpy.data.objects["Hero"]
    assert len(results_of(hero)) == 3 and hero.animation_data.action.name == "Hero Sway"


def test_variations_are_compared_in_the_originals_place_and_go_back(tmp_path: Path) -> None:
    hero = three()
    before = places(results_of(hero))
    assert len({*before, *places([hero])}) == 4
    bpy.ops.genmm.compare_variations(action="IN_PLACE")
    assert set(places(results_of(hero))) == set(places([hero]))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    hero = bpy.data.objects["Hero"]
    bpy.ops.genmm.compare_variations(action="IN_PLACE")
    np.testing.assert_allclose(places(results_of(hero)), before, atol=1e-3)


def test_variations_compared_in_place_still_get_separate_ground() -> None:
    hero = three()
    before = places(results_of(hero))
    bpy.ops.genmm.compare_variations(action="IN_PLACE")
    bpy.ops.genmm.generate_motion(frames=FRAMES, seed=9)
    assert places(results_of(hero)[3:])[0] not in before


def test_next_and_previous_go_round() -> None:
    hero = three()
    first, second, third = results_of(hero)
    seen = []
    for direction in ("NEXT", "NEXT", "NEXT", "NEXT", "PREVIOUS", "PREVIOUS"):
        bpy.ops.genmm.step_variation(direction=direction)
        seen.append(bpy.context.view_layer.objects.active)
    assert seen == [first, second, third, first, third, second]


def test_stepping_shows_one_variation_until_all_are_shown_again() -> None:
    hero = three()
    bpy.ops.genmm.compare_variations(action="ALONE")
    for _ in range(3):
        bpy.ops.genmm.step_variation(direction="NEXT")
        shown = [rig for rig in results_of(hero) if not rig.hide_get()]
        assert shown == [bpy.context.view_layer.objects.active]
    bpy.ops.genmm.compare_variations(action="ALONE")
    assert not any(rig.hide_get() for rig in results_of(hero))


def test_variations_hidden_by_the_user_stay_hidden() -> None:
    hero = three()
    results_of(hero)[2].hide_set(True)
    bpy.ops.genmm.compare_variations(action="ALONE")
    bpy.ops.genmm.compare_variations(action="ALONE")
    assert [rig.hide_get() for rig in results_of(hero)] == [False, False, True]


def test_stepping_through_actions_and_strips_plays_them() -> None:
    hero = three(output="NEW_ACTION")
    bpy.ops.genmm.step_variation(direction="NEXT")
    assert hero.animation_data.action.name == "Hero Sway Gen 002"
    with pytest.raises(RuntimeError, match="on the character itself"):
        bpy.ops.genmm.compare_variations(action="IN_PLACE")


@pytest.mark.parametrize("record", ["text", 5, {}, {"channel": "scale", "offset": [1.0, 2.0, 3.0]}, {"ground": "x"}])
def test_a_place_that_was_tampered_with_moves_nothing(record: object) -> None:
    hero = three()
    for rig in results_of(hero):
        rig[PLACE_PROPERTY] = record
    before = places(results_of(hero))
    bpy.ops.genmm.compare_variations(action="IN_PLACE")
    assert places(results_of(hero)) == before
    bpy.ops.genmm.generate_motion(frames=FRAMES, seed=9)
    assert len(results_of(hero)) == 4
