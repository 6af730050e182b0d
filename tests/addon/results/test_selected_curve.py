# SPDX-License-Identifier: GPL-3.0-or-later
"""A curve that is selected together with the character: new motion follows it."""

import bpy
import pytest
from bpy.types import Object
from interface import results_of, select
from recorded_layout import drawn

from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.generation.recipe import from_json, recipe_of
from genmm_addon.interface.generate.panels import GENMM_PT_generate
from genmm_addon.state.selection import character_of, selected_curve

pytestmark = pytest.mark.usefixtures("extension")


def new_curve(name: str = "Way", points: int = 4) -> Object:
    """Return a curve of straight pieces in the scene, without a spline if it has no points."""
    data = bpy.data.curves.new(name, "CURVE")
    if points:
        spline = data.splines.new("POLY")
        spline.points.add(points - 1)
        for number, point in enumerate(spline.points):
            point.co = (0.3 * number, 0.7 * number, 0.0, 1.0)
    curve = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(curve)
    return curve


@pytest.fixture
def hero() -> Object:
    rig = add_sample_character(bpy.context).armature
    rig.genmm.frames, rig.genmm.new_seed, rig.genmm.seed = 40, False, 3
    select(rig)
    return rig


def also_select(thing: Object, *, active: bool = True) -> None:
    thing.select_set(True)
    if active:
        bpy.context.view_layer.objects.active = thing


def path_of(rig: Object) -> str | None:
    """Return the name of the curve that a result followed."""
    recipe = recipe_of(rig)
    assert recipe is not None
    return None if recipe.path is None else str(recipe.path.curve.name)


@pytest.mark.parametrize("active", [True, False])
def test_generate_follows_the_curve_that_is_selected_with_the_character(hero: Object, active: bool) -> None:
    curve = new_curve()
    also_select(curve, active=active)
    assert character_of(bpy.context) == hero
    assert ("Follows Way", "CURVE_PATH") in drawn(GENMM_PT_generate, bpy.context).labels
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    assert path_of(results_of(hero)[0]) == "Way"
    # It is the path of the panel from now on, where it can be switched off.
    assert hero.genmm.path_curve == curve and hero.genmm.use_path


def test_a_selected_curve_is_followed_although_the_panels_path_is_switched_off(hero: Object) -> None:
    hero.genmm.path_curve, hero.genmm.use_path = new_curve("Former"), False
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    assert path_of(results_of(hero)[0]) is None and hero.genmm.path_curve.name == "Former"
    also_select(new_curve())
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    assert path_of(results_of(hero)[1]) == "Way"


def test_a_script_that_switches_the_path_off_is_obeyed(hero: Object) -> None:
    also_select(new_curve())
    assert bpy.ops.genmm.generate_motion(use_path=False) == {"FINISHED"}
    assert path_of(results_of(hero)[0]) is None and hero.genmm.path_curve is None


def test_regenerating_follows_the_recipe_rather_than_the_selection(hero: Object) -> None:
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    result = results_of(hero)[0]
    also_select(new_curve())
    assert bpy.ops.genmm.generate_motion(recipe=result["genmm_recipe"]) == {"FINISHED"}
    assert [path_of(rig) for rig in results_of(hero)] == [None, None]
    assert from_json(result["genmm_recipe"]).path is None and hero.genmm.path_curve is None


def test_several_curves_or_one_of_the_character_are_no_path(hero: Object) -> None:
    also_select(new_curve("One"), active=False)
    also_select(new_curve("Two"), active=False)
    assert selected_curve(bpy.context) is None and character_of(bpy.context) == hero
    select(hero)
    piece = new_curve("Piece")
    piece.parent = hero
    also_select(piece)
    assert selected_curve(bpy.context) is None and character_of(bpy.context) == hero


def test_a_curve_alone_leads_to_no_character(hero: Object) -> None:
    select(new_curve())
    assert character_of(bpy.context) is None and selected_curve(bpy.context) is None


def test_a_curve_that_cannot_be_followed_is_named_before_the_press(hero: Object) -> None:
    also_select(new_curve(points=0))
    errors = [text for text, icon in drawn(GENMM_PT_generate, bpy.context).labels if icon == "ERROR"]
    assert 'The curve "Way" has no spline' in " ".join(errors)
    with pytest.raises(RuntimeError, match='The curve "Way" has no spline'):
        bpy.ops.genmm.generate_motion()
    assert hero.genmm.path_curve is None and results_of(hero) == []
