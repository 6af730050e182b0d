# SPDX-License-Identifier: GPL-3.0-or-later
"""Results are not learned from: their character is, or the examples of the result that the character plays."""

from collections.abc import Iterator

import bpy
import numpy as np
import pytest
from interface import keys_of, new_action, new_character, registered, results_of, select

from genmm_addon.animation.actions import fcurves_of
from genmm_addon.generation.recipe import recipe_of
from genmm_addon.interface.examples.remarks import why_nothing_learned
from genmm_addon.requests.played_examples import played_rows

FRAMES = 40


@pytest.fixture(autouse=True)
def enabled(empty_blender: None) -> Iterator[None]:
    with registered():
        yield


def generate(**values: object) -> None:
    assert bpy.ops.genmm.generate_motion("INVOKE_DEFAULT", **{"frames": FRAMES, "seed": 4, **values}) == {"FINISHED"}


def examples_of(action: bpy.types.Action) -> list[str | None]:
    recipe = recipe_of(action)
    assert recipe is not None
    return [None if example.action is None else example.action.name for example in recipe.examples]


def keys_in(action: bpy.types.Action) -> np.ndarray:
    return np.array([point.co for curve in fcurves_of(action) for point in curve.keyframe_points])


@pytest.mark.parametrize("output", ["NEW_ACTION", "NLA_STRIP"])
def test_generating_again_on_the_character_learns_from_the_same_examples(output: str) -> None:
    hero = new_character()
    for _ in range(2):
        generate(output=output)
    made = [action for action in bpy.data.actions if action.get("genmm_recipe")]
    assert [examples_of(action) for action in made] == [["Hero Sway"]] * 2
    np.testing.assert_allclose(keys_in(made[0]), keys_in(made[1]), atol=1e-6)
    assert [item.action.name for item in hero.genmm.examples] == ["Hero Sway"]


def test_strips_of_the_user_are_learned_from_without_the_results_above_them() -> None:
    hero = new_character()
    action = hero.animation_data.action
    hero.animation_data.nla_tracks.new().strips.new("Own", 1, action)
    hero.animation_data.action = None
    bpy.context.scene.frame_end = 60
    for _ in range(2):
        generate(output="NLA_STRIP")
    made = [action for action in bpy.data.actions if action.get("genmm_recipe")]
    assert [examples_of(action) for action in made] == [[None]] * 2
    np.testing.assert_allclose(keys_in(made[0]), keys_in(made[1]), atol=1e-6)
    assert [track.mute for track in hero.animation_data.nla_tracks] == [False, False, False]


def test_generating_on_a_result_is_generating_on_its_character() -> None:
    hero = new_character()
    generate()
    (first,) = results_of(hero)
    select(first)
    generate()
    second = next(rig for rig in results_of(hero) if rig != first)
    assert second.name == "Hero Gen 002"
    assert examples_of(second.animation_data.action) == ["Hero Sway"]
    np.testing.assert_allclose(keys_of(second), keys_of(first), atol=1e-6)


def test_a_character_that_plays_a_result_learns_from_its_examples_and_says_so(
    capfd: pytest.CaptureFixture[str],
) -> None:
    hero = new_character()
    generate(output="NEW_ACTION")
    hero.genmm.examples.clear()
    assert [row[0] for row in played_rows(hero)] == ["Hero Sway", "Generated motion is not used"]
    capfd.readouterr()
    generate(output="NEW_ACTION")
    assert 'Learned from "Hero Sway", from which "Hero Sway Gen 001" was made.' in capfd.readouterr().out
    assert examples_of(bpy.data.actions["Hero Sway Gen 002"]) == ["Hero Sway"]


def test_generating_on_a_result_of_a_played_nla_reads_the_nla_of_its_character_again() -> None:
    hero = new_character()
    hero.animation_data.nla_tracks.new().strips.new("Own", 1, hero.animation_data.action)
    hero.animation_data.action = None
    bpy.context.scene.frame_end = 60
    generate()
    (first,) = results_of(hero)
    select(first)
    generate()
    second = next(rig for rig in results_of(hero) if rig != first)
    recipe = recipe_of(second)
    assert recipe is not None and recipe.character.name == "Hero"
    assert examples_of(second.animation_data.action) == [None]
    np.testing.assert_allclose(keys_of(second), keys_of(first), atol=1e-6)


def test_generating_on_a_result_is_refused_where_its_character_plays_nothing() -> None:
    hero = new_character()
    generate()
    (result,) = results_of(hero)
    bpy.data.actions.remove(bpy.data.actions["Hero Sway"])
    select(result)
    assert not bpy.ops.genmm.generate_motion.poll()
    with pytest.raises(RuntimeError, match="Hero plays no action; add one to its examples"):
        generate()


def test_playing_a_result_with_a_missing_example_names_that_example() -> None:
    hero = new_character()
    generate(output="NEW_ACTION")
    hero.genmm.examples.clear()
    bpy.data.actions.remove(bpy.data.actions["Hero Sway"])
    with pytest.raises(RuntimeError, match='Action "Hero Sway" is no longer in this file'):
        generate()
    assert "Hero Sway" in why_nothing_learned(hero, hero.genmm, bpy.context.scene)


def test_a_result_that_is_added_to_the_list_by_hand_is_learned_from() -> None:
    hero = new_character()
    generate(output="NEW_ACTION")
    hero.genmm.examples.clear()
    bpy.ops.genmm.add_example(action="Hero Sway Gen 001")
    generate()
    assert examples_of(bpy.data.actions["Hero Sway Gen 002"]) == ["Hero Sway Gen 001"]


def test_adding_an_action_while_a_result_plays_keeps_the_examples_of_that_result() -> None:
    hero = new_character()
    generate(output="NEW_ACTION")
    hero.genmm.examples.clear()
    new_action(hero, "Other", speed=2.0)
    bpy.ops.genmm.add_example(action="Other")
    assert [item.action.name for item in hero.genmm.examples] == ["Hero Sway", "Other"]
