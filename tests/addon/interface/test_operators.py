# SPDX-License-Identifier: GPL-3.0-or-later
"""The Generate button, and the buttons for its results."""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from interface import keys_of, new_action, new_character, registered, results_of, select

from genmm_addon.generation import generation
from genmm_addon.generation.recipe import PROPERTY as RECIPE
from genmm_addon.generation.recipe import from_json, recipe_of
from genmm_addon.generation.request import LARGEST_SEED
from genmm_addon.requests.request_values import seeds_of
from genmm_addon.state.properties import stored_settings

FRAMES = 40


@pytest.fixture(autouse=True)
def enabled(empty_blender: None) -> Iterator[None]:
    with registered():
        yield


def generate(**values: object) -> None:
    assert bpy.ops.genmm.generate_motion("INVOKE_DEFAULT", **values) == {"FINISHED"}


def test_one_press_makes_the_asked_number_of_characters_of_the_asked_length() -> None:
    hero = new_character()
    hero.genmm.frames, hero.genmm.variations = FRAMES, 3
    generate()
    made = results_of(hero)
    assert len(made) == 3
    assert [thing.animation_data.action.frame_range[1] for thing in made] == [FRAMES] * 3


def test_the_selected_character_keeps_its_action_and_stays_selected() -> None:
    hero = new_character()
    select(hero)
    generate(frames=FRAMES)
    assert hero.animation_data.action.name == "Hero Sway"
    assert bpy.context.view_layer.objects.active == hero
    assert list(bpy.context.view_layer.objects.selected) == [hero]


def test_a_script_gets_the_panels_values_where_it_gives_none() -> None:
    hero = new_character()
    hero.genmm.patch_frames, hero.genmm.noise = 7, 0.5
    bpy.ops.genmm.generate_motion(frames=FRAMES, seed=3)
    recipe = recipe_of(results_of(hero)[0])
    assert recipe is not None
    assert (recipe.frames, recipe.seed, recipe.settings.patch_frames, recipe.settings.noise) == (FRAMES, 3, 7, 0.5)


def test_the_same_seed_gives_the_same_motion_and_another_seed_another() -> None:
    hero = new_character()
    for seed in (5, 5, 6):
        generate(frames=FRAMES, seed=seed)
    first, again, other = (keys_of(thing) for thing in results_of(hero))
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other, atol=1e-3)


def test_a_fixed_seed_stays_and_a_new_one_is_shown() -> None:
    hero = new_character()
    hero.genmm.frames, hero.genmm.new_seed, hero.genmm.seed = FRAMES, False, 11
    generate()
    generate(seed=99)
    assert hero.genmm.seed == 11
    hero.genmm.new_seed = True
    seeds = set()
    for _ in range(4):
        generate()
        seeds.add(hero.genmm.seed)
    assert len(seeds) > 1
    newest = max(results_of(hero), key=lambda thing: thing.name)
    recipe = recipe_of(newest)
    assert recipe is not None and recipe.seed == hero.genmm.seed


def test_variations_take_the_seeds_that_follow_and_differ() -> None:
    hero = new_character()
    generate(frames=FRAMES, variations=3, seed=7)
    recipes = [recipe_of(thing) for thing in results_of(hero)]
    assert [recipe.seed for recipe in recipes if recipe] == [7, 8, 9]
    first, second, third = (keys_of(thing) for thing in results_of(hero))
    assert not np.allclose(first, second, atol=1e-3) and not np.allclose(second, third, atol=1e-3)
    assert seeds_of(LARGEST_SEED, 2) == (LARGEST_SEED, 0)


def test_rerunning_a_recipe_gives_the_same_result_regardless_of_the_panel() -> None:
    hero = new_character()
    new_action(hero, "Other", speed=2.0)
    bpy.ops.genmm.add_example(action="Other")
    generate(frames=FRAMES, seed=9, patch_frames=5)
    first = results_of(hero)[0]
    hero.genmm.examples.clear()
    hero.genmm.frames, hero.genmm.patch_frames = 99, 20
    select(first)
    generate(recipe=first[RECIPE])
    again = max(results_of(hero), key=lambda thing: thing.name)
    assert again != first
    np.testing.assert_array_equal(keys_of(first), keys_of(again))


def test_a_recipe_run_again_with_another_seed_differs() -> None:
    hero = new_character()
    generate(frames=FRAMES, seed=9)
    first = results_of(hero)[0]
    generate(recipe=first[RECIPE], other_seed=True)
    again = max(results_of(hero), key=lambda thing: thing.name)
    assert recipe_of(again).seed != 9
    assert not np.allclose(keys_of(first), keys_of(again), atol=1e-3)


def test_a_broken_recipe_is_one_sentence_and_changes_nothing() -> None:
    hero = new_character()
    for text in ("{", json.dumps({"version": 1})):
        with pytest.raises(RuntimeError, match=r"Error: .*recipe"):
            bpy.ops.genmm.generate_motion(recipe=text)
    assert results_of(hero) == []


def test_all_settings_survive_the_way_into_the_recipe() -> None:
    hero = new_character()
    generate(
        frames=FRAMES,
        use_completeness=False,
        pyramid_factor=0.95,
        facing="FREE",
        root_bone="root",
        parts="LIMBS",
        channels="CHANNELS",
        thin_keys=True,
        tolerance=0.01,
        iterations=2,
    )
    recipe = recipe_of(results_of(hero)[0])
    assert recipe is not None
    settings = recipe.settings
    assert settings.completeness is None and settings.pyramid_factor == 0.95
    assert (settings.facing.value, settings.root, settings.iterations) == ("FREE", "root", 2)
    assert recipe.part_mode.value == "LIMBS" and recipe.visual is False
    assert recipe.tolerance == pytest.approx(0.01)


def test_a_value_out_of_the_methods_reach_is_one_sentence() -> None:
    new_character()
    with pytest.raises(RuntimeError, match="tail"):
        bpy.ops.genmm.generate_motion(frames=FRAMES, root_bone="tail")


def test_a_first_frame_in_rest_pose_is_left_out() -> None:
    hero = new_character()
    for curve in _curves(hero):
        is_w = curve.array_index == 0
        for point in curve.keyframe_points:
            angle = 0.9 + 0.05 * math.sin(point.co.x / 5)
            point.co.y = math.cos(angle) if is_w else math.sin(angle)
        curve.keyframe_points[0].co.y = 1.0 if is_w else 0.0
        curve.update()
    generate(frames=FRAMES)
    recipe = recipe_of(results_of(hero)[0])
    assert recipe is not None and recipe.examples[0].skip_first_frame
    bpy.ops.genmm.add_example()
    assert hero.genmm.examples[0].has_rest_start
    hero.genmm.examples[0].first_frame = "KEEP"
    generate(frames=FRAMES)
    recipe = recipe_of(max(results_of(hero), key=lambda thing: thing.name))
    assert recipe is not None and not recipe.examples[0].skip_first_frame


def _curves(character: bpy.types.Object) -> list[bpy.types.FCurve]:
    from genmm_addon.animation.actions import fcurves_of

    return list(fcurves_of(character.animation_data.action))


def test_edit_mode_is_refused() -> None:
    new_character()
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Go to Object Mode or Pose Mode"):
        bpy.ops.genmm.generate_motion(frames=FRAMES)


def test_pose_mode_is_fine() -> None:
    hero = new_character()
    bpy.ops.object.mode_set(mode="POSE")
    generate(frames=FRAMES)
    assert len(results_of(hero)) == 1
    assert bpy.context.mode == "POSE"


def test_a_second_start_is_refused_while_one_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    new_character()
    monkeypatch.setattr(generation, "_running", [object()])
    with pytest.raises(RuntimeError, match="is being generated"):
        bpy.ops.genmm.generate_motion(frames=FRAMES)


def test_a_new_action_is_played_and_the_old_one_kept() -> None:
    hero = new_character()
    generate(frames=FRAMES, output="NEW_ACTION")
    assert hero.animation_data.action.name != "Hero Sway"
    assert "Hero Sway" in bpy.data.actions
    assert results_of(hero) == []


def test_after_a_new_action_the_next_press_still_learns_from_the_old_one() -> None:
    hero = new_character()
    generate(frames=FRAMES, output="NEW_ACTION")
    generate(frames=FRAMES)
    recipe = recipe_of(results_of(hero)[0])
    assert recipe is not None
    assert [example.action.name for example in recipe.examples if example.action] == ["Hero Sway"]


def test_showing_a_variation_selects_it_and_keeping_one_removes_the_others() -> None:
    hero = new_character()
    generate(frames=FRAMES, variations=3)
    second = results_of(hero)[1]
    bpy.ops.genmm.show_variation(number=2)
    assert bpy.context.view_layer.objects.active == second
    name = second.name
    bpy.ops.genmm.keep_variation(number=2)
    assert [thing.name for thing in results_of(hero)] == [name]
    assert len(bpy.data.actions) == 2
    with pytest.raises(RuntimeError, match="Variation 3 no longer exists"):
        bpy.ops.genmm.show_variation(number=3)


def test_the_way_back_from_a_result_to_its_source() -> None:
    hero = new_character()
    generate(frames=FRAMES)
    select(results_of(hero)[0])
    bpy.ops.genmm.select_source()
    assert bpy.context.view_layer.objects.active == hero
    with pytest.raises(RuntimeError, match="was not generated"):
        bpy.ops.genmm.select_source()


def test_variations_need_results() -> None:
    new_character()
    with pytest.raises(RuntimeError, match="No variations"):
        bpy.ops.genmm.keep_variation(number=1)


def test_settings_of_a_linked_character_live_in_the_scene_and_survive_reloading(tmp_path: Path) -> None:
    hero = new_character()
    hero.genmm.frames = 77
    library = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(library, link=True) as (_, into):
        into.objects = ["Hero"]
    linked = into.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.update()
    select(linked)
    scene = bpy.context.scene
    assert stored_settings(linked, scene) is None
    bpy.ops.genmm.keep_character_settings()
    stored_settings(linked, scene).patch_frames = 6
    bpy.ops.genmm.add_example()
    user = str(tmp_path / "user.blend")
    bpy.ops.wm.save_as_mainfile(filepath=user)
    bpy.ops.wm.open_mainfile(filepath=user)
    linked = bpy.data.objects["Hero"]
    settings = stored_settings(linked, bpy.context.scene)
    assert settings is not None
    assert (settings.frames, settings.patch_frames) == (77, 6)
    assert [item.action.name for item in settings.examples] == ["Hero Sway"]
    select(linked)
    generate(frames=FRAMES)
    assert len(results_of(linked)) == 1


def test_settings_of_a_character_survive_saving(tmp_path: Path) -> None:
    hero = new_character()
    hero.genmm.frames = 123
    bpy.ops.genmm.add_example()
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    hero = bpy.data.objects["Hero"]
    assert hero.genmm.frames == 123
    assert [item.action.name for item in hero.genmm.examples] == ["Hero Sway"]


def test_recipe_names_the_character_and_its_examples() -> None:
    hero = new_character()
    generate(frames=FRAMES)
    recipe = from_json(results_of(hero)[0][RECIPE])
    assert recipe.character.name == "Hero"
    assert [example.action.name for example in recipe.examples if example.action] == ["Hero Sway"]


def test_kept_action_is_mentioned_once_in_the_summary(capfd: pytest.CaptureFixture[str]) -> None:
    hero = new_character()
    said = []
    for _ in range(2):
        generate(frames=FRAMES, output="NEW_ACTION")
        said.append(capfd.readouterr().out)
    assert hero.animation_data.action.name == "Hero Sway Gen 002"
    assert all("Warning" not in text for text in said)
    assert "generated" in said[0] and '"Hero Sway" is kept in the file with a fake user' in said[0]
    assert "fake user" not in said[1]


def test_results_are_named_after_their_character_and_its_actions() -> None:
    hero = new_character()
    generate(frames=FRAMES, variations=2)
    assert [thing.name for thing in results_of(hero)] == ["Hero Gen 001", "Hero Gen 002"]
    played = [thing.animation_data.action.name for thing in results_of(hero)]
    assert played == ["Hero Sway Gen 001", "Hero Sway Gen 002"]
