# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet and weights of bones in the panel: chosen, found, remembered, and refused if they are not valid."""

import json
from collections.abc import Iterator

import bpy
import pytest
from interface import keys_of, new_character, registered, results_of, select

from genmm_addon.core import Settings
from genmm_addon.generation.recipe import PROPERTY as RECIPE
from genmm_addon.generation.recipe import Recipe, from_json, recipe_of, to_json
from genmm_addon.requests.request_values import settings_of
from genmm_addon.state.bone_lists import feet_of, weights_of
from genmm_addon.state.properties import ensure_settings

FRAMES = 40
SAMPLE_FEET = ("Toes.L", "Toes.R")


@pytest.fixture(autouse=True)
def enabled(empty_blender: None) -> Iterator[None]:
    with registered():
        yield


def sample() -> bpy.types.Object:
    bpy.ops.genmm.add_sample_character()
    rig = bpy.context.object
    rig.genmm.frames, rig.genmm.new_seed = FRAMES, False
    return rig


def generate(**values: object) -> None:
    assert bpy.ops.genmm.generate_motion("INVOKE_DEFAULT", **values) == {"FINISHED"}


def recipe_of_newest(rig: bpy.types.Object) -> Recipe:
    recipe = recipe_of(results_of(rig)[-1])
    assert recipe is not None
    return recipe


def choose(rig: bpy.types.Object, *names: str) -> None:
    rig.genmm.feet_choice = "CHOSEN"
    for name in names:
        rig.genmm.feet.add().name = name


def test_the_feet_are_found_and_shown() -> None:
    rig = sample()
    assert not rig.genmm.feet_were_sought
    assert bpy.ops.genmm.find_feet() == {"FINISHED"}
    assert rig.genmm.feet_were_sought
    assert feet_of(rig.genmm.found_feet) == SAMPLE_FEET
    assert not rig.genmm.feet


def test_looking_for_feet_fills_the_list_of_chosen_ones() -> None:
    rig = sample()
    choose(rig, "Head")
    bpy.ops.genmm.find_feet()
    assert feet_of(rig.genmm.feet) == SAMPLE_FEET


def test_generating_shows_the_detected_feet() -> None:
    rig = sample()
    generate()
    assert feet_of(rig.genmm.found_feet) == SAMPLE_FEET


def test_a_character_without_feet_is_known_to_have_none() -> None:
    hero = new_character()
    generate(frames=FRAMES)
    assert hero.genmm.feet_were_sought and not hero.genmm.found_feet


def test_found_feet_are_matched_unless_others_are_chosen() -> None:
    rig = sample()
    assert settings_of(rig.genmm).feet is None
    choose(rig, "Toes.R", "", "Toes.R")
    assert settings_of(rig.genmm).feet == ("Toes.R",)
    rig.genmm.feet.clear()
    assert settings_of(rig.genmm).feet == ()


@pytest.mark.parametrize(("choice", "setting"), [("AUTO", None), ("ON", True), ("OFF", False)])
def test_contacts_are_automatic_on_or_off(choice: str, setting: bool | None) -> None:
    rig = sample()
    rig.genmm.contact_features = choice
    assert settings_of(rig.genmm).contact_features is setting


def test_feet_and_weights_reach_the_recipe_and_the_motion() -> None:
    rig = sample()
    generate(seed=2)
    choose(rig, "Toes.L")
    row = rig.genmm.joint_weights.add()
    row.name, row.factor = "Hand.L", 0.1
    rig.genmm.foot_locking = False
    select(rig)
    generate(seed=2)
    settings = recipe_of_newest(rig).settings
    assert (settings.feet, settings.foot_locking) == (("Toes.L",), False)
    assert settings.joint_weights == (("Hand.L", 0.1),)
    first, second = results_of(rig)
    assert (keys_of(first) != keys_of(second)).any()


def test_a_recipe_with_feet_and_weights_run_again_gives_the_same() -> None:
    rig = sample()
    choose(rig, "Toes.L", "Toes.R")
    rig.genmm.joint_weights.add().name = "Chest"
    generate(seed=2)
    recipe = results_of(rig)[0][RECIPE]
    rig.genmm.feet.clear()
    rig.genmm.joint_weights.clear()
    generate(recipe=recipe)
    first, again = results_of(rig)
    assert again[RECIPE] == recipe
    assert (keys_of(first) == keys_of(again)).all()


def test_a_script_may_give_feet_and_weights() -> None:
    rig = sample()
    rig.genmm.joint_weights.add().name = "Head"
    generate(feet_choice="CHOSEN", feet=[{"name": "Toes.R"}], joint_weights=[{"name": "Spine", "factor": 3.0}], seed=1)
    settings = recipe_of_newest(rig).settings
    assert (settings.feet, settings.joint_weights) == (("Toes.R",), (("Spine", 3.0),))


@pytest.mark.parametrize("what", ["feet", "joint_weights"])
def test_missing_bone_is_reported_by_name(what: str) -> None:
    rig = sample()
    rig.genmm.feet_choice = "CHOSEN"
    getattr(rig.genmm, what).add().name = "Tail"
    with pytest.raises(RuntimeError, match="'Tail'"):
        bpy.ops.genmm.generate_motion()
    assert not results_of(rig)


@pytest.mark.parametrize("rows", ["feet", "joint_weights"])
def test_rows_are_added_and_removed(rows: str) -> None:
    rig = sample()
    for _ in range(2):
        bpy.ops.genmm.add_row(rows=rows)
    getattr(rig.genmm, rows)[0].name = "Spine"
    bpy.ops.genmm.remove_row(rows=rows)
    assert [row.name for row in getattr(rig.genmm, rows)] == ["Spine"]
    bpy.ops.genmm.remove_row(rows=rows)
    with pytest.raises(RuntimeError, match="The list is empty"):
        bpy.ops.genmm.remove_row(rows=rows)


def test_in_pose_mode_a_row_is_for_the_active_bone() -> None:
    rig = sample()
    bpy.ops.object.mode_set(mode="POSE")
    rig.data.bones.active = rig.data.bones["Toes.L"]
    for _ in range(2):
        bpy.ops.genmm.add_row(rows="feet")
    assert [row.name for row in rig.genmm.feet] == ["Toes.L", ""]


def test_the_last_weight_of_a_bone_counts() -> None:
    rig = sample()
    for factor in (2.0, 0.5):
        row = rig.genmm.joint_weights.add()
        row.name, row.factor = "Head", factor
    assert weights_of(rig.genmm.joint_weights) == (("Head", 0.5),)


def test_the_lists_are_saved_with_the_character(tmp_path: object) -> None:
    rig = sample()
    choose(rig, "Toes.L")
    rig.genmm.joint_weights.add().name = "Head"
    path = f"{tmp_path}/kept.blend"
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    kept = bpy.data.objects["GenMM Sample"].genmm
    assert settings_of(kept) == Settings(feet=("Toes.L",), joint_weights=(("Head", 2.0),))


def test_settings_of_a_linked_character_bring_its_lists_along(tmp_path: object) -> None:
    rig = sample()
    choose(rig, "Toes.L")
    path = f"{tmp_path}/library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["GenMM Sample"]
    linked = bpy.data.objects["GenMM Sample"]
    assert settings_of(ensure_settings(linked, bpy.context.scene)).feet == ("Toes.L",)


def test_a_recipe_from_before_there_were_feet_does_without() -> None:
    rig = sample()
    generate(seed=1)
    values = json.loads(to_json(recipe_of_newest(rig)))
    values["version"] = 1
    for name in ("feet", "foot_locking", "contact_features", "joint_weights"):
        del values["settings"][name]
    settings = from_json(json.dumps(values)).settings
    assert (settings.foot_locking, settings.contact_features) == (False, False)
    assert (settings.feet, settings.joint_weights) == (None, ())
