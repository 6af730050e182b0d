# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of a selected result: that of its character, while its own recipe is shown as such."""

import bpy
import pytest
from bpy.types import Object
from interface import select

from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.generation.recipe import character_behind
from genmm_addon.interface.results.shown import made_with, measured_words, recipe_text, shown_variations
from genmm_addon.state.properties import ensure_settings, readable_settings
from genmm_addon.state.selection import settings_character

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def hero() -> Object:
    """Return the sample character with two results, made from seed 7."""
    rig = add_sample_character(bpy.context).armature
    select(rig)
    bpy.ops.genmm.add_example(action="GenMM Walk")
    rig.genmm.frames, rig.genmm.new_seed, rig.genmm.seed, rig.genmm.variations = 40, False, 7, 2
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    return rig


def click_result(number: int) -> Object:
    assert bpy.ops.genmm.show_variation(number=number) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def test_the_panel_stays_with_the_character_where_a_result_is_clicked(hero: Object) -> None:
    scene = bpy.context.scene
    result = click_result(2)
    assert result != hero and settings_character(bpy.context) == hero
    settings = readable_settings(result, scene)
    assert settings == readable_settings(hero, scene) == ensure_settings(result, scene)
    hero.genmm.seed = 99
    assert readable_settings(result, scene).seed == 99
    for mesh in result.children:
        select(mesh)
        assert settings_character(bpy.context) == hero


def test_generate_beside_a_result_is_generate_of_its_character(hero: Object) -> None:
    click_result(1)
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    made = [thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing != hero]
    assert len(made) == 4 and all(character_behind(one) == hero for one in made)


def test_pins_of_a_result_are_edited_on_its_character(hero: Object) -> None:
    result = click_result(1)
    assert bpy.ops.genmm.pin_pose() == {"FINISHED"}
    assert hero.genmm.pins_action is not None
    with pytest.raises(RuntimeError, match="select GenMM Sample to edit its pins"):
        bpy.ops.genmm.edit_pins()
    select(hero)
    played = hero.animation_data.action
    assert bpy.ops.genmm.edit_pins() == {"FINISHED"}
    select(result)
    assert bpy.ops.genmm.clear_rows(rows="pins") == {"FINISHED"}
    assert hero.animation_data.action == played and hero.genmm.pins_action is None


def test_result_without_its_character_uses_itself(hero: Object) -> None:
    result = click_result(1)
    bpy.data.objects.remove(hero)
    assert settings_character(bpy.context) == result
    result["genmm_recipe"] = "{"
    assert character_behind(result) == result


def test_recipe_and_measures_of_the_selected_result_are_shown(hero: Object) -> None:
    click_result(2)
    hero.genmm.seed = 99
    shown = shown_variations(bpy.context.object, bpy.context.scene)[1]
    lines = dict(made_with(recipe_text(shown)))
    assert lines == {
        "Character": "GenMM Sample",
        "Seed": str(shown.seed),
        "Length": "40 frames",
        "Examples": "GenMM Walk",
    }
    assert made_with("") == made_with("{") == [] and measured_words(None) == []
