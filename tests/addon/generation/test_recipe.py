# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes: they contain all values of a request, can be stored as text, and refuse invalid text."""

import json
import math
from collections.abc import Sequence
from dataclasses import fields

import bpy
import pytest
from characters import make_character, make_request, make_walk
from hypothesis import given
from hypothesis import strategies as st

from genmm_addon.animation.reading.examples import ExampleSpec
from genmm_addon.core import Facing, InputError, Settings
from genmm_addon.generation import recipe as recipe_module
from genmm_addon.generation.recipe import (
    PROPERTY,
    DataBlock,
    Recipe,
    from_json,
    recipe_from_request,
    recipe_of,
    request_from_recipe,
    store,
    to_json,
)
from genmm_addon.generation.records.by_name import by_name
from genmm_addon.generation.request import Output, PartMode, Request

ExampleRecipe = by_name(ExampleSpec)
RICH = Recipe(
    DataBlock('Hero "the second"', "//lib/hero.blend"),
    (
        ExampleRecipe(DataBlock("Walk"), "OBRig", 1.5, 30.25, 120 / 1.001, True),
        ExampleRecipe(DataBlock("Gähn\\", "//lib.blend")),
        ExampleRecipe(None),
    ),
    frames=250,
    seed=7,
    settings=Settings(
        patch_frames=7,
        completeness=None,
        facing=Facing.FREE,
        root="hips",
        feet=("toe.L", "toe.R"),
        foot_locking=False,
        contact_features=True,
        joint_weights=(("hand", 0.25), ("head", 3.0)),
    ),
    part_mode=PartMode.LIMBS,
    visual=True,
    output=Output.NLA_STRIP,
    tolerance=0.01,
    extend_playback=True,
    frame_start=12.5,
)
PLAIN = Recipe(DataBlock("Hero"), (ExampleRecipe(DataBlock("Walk")),), frames=1, seed=0)


def with_value(path: Sequence[str | int], value: object, recipe: Recipe = PLAIN) -> str:
    """Return the recipe's text with one value replaced."""
    values = json.loads(to_json(recipe))
    place = values
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    return json.dumps(values)


@pytest.mark.parametrize("recipe", [RICH, PLAIN])
def test_a_recipe_survives_as_text(recipe: Recipe) -> None:
    assert from_json(to_json(recipe)) == recipe


@given(
    frames=st.integers(1, 10_000),
    seed=st.integers(0, 2**31 - 1),
    name=st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=60),
    start=st.none() | st.floats(-1e5, 1e5),
    noise=st.floats(0, 100),
)
def test_any_values_survive_as_text(frames: int, seed: int, name: str, start: float | None, noise: float) -> None:
    recipe = Recipe(
        DataBlock(name),
        (ExampleRecipe(DataBlock(name), name, start),),
        frames=frames,
        seed=seed,
        settings=Settings(noise=noise),
        frame_start=start,
    )
    assert from_json(to_json(recipe)) == recipe


def test_a_recipe_gives_back_the_request_it_came_from() -> None:
    character = make_character()
    second = make_walk(character.armature, "Run")
    request = Request(
        character.armature,
        (ExampleSpec(character.walk, "", 2.0, 20.5, 24.0, True), ExampleSpec(second)),
        frames=77,
        seeds=(3, 4),
        settings=RICH.settings,
        part_mode=PartMode.LIMBS,
        visual=False,
        output=Output.NEW_ACTION,
        tolerance=0.5,
        extend_playback=True,
        frame_start=9.0,
    )
    again = request_from_recipe(from_json(to_json(recipe_from_request(request, 4))))
    for field in fields(Request):
        if field.name != "seeds":
            assert getattr(again, field.name) == getattr(request, field.name), field.name
    assert again.seeds == (4,)


def test_a_recipe_runs_on_another_character() -> None:
    character = make_character()
    recipe = recipe_from_request(make_request(character), 0)
    other = bpy.data.objects.new("Other", character.armature.data)
    assert request_from_recipe(recipe, armature=other).armature == other


def test_missing_action_or_character_of_a_recipe_is_named() -> None:
    character = make_character()
    recipe = recipe_from_request(make_request(character), 0)
    character.walk.name = "Stroll"
    with pytest.raises(InputError, match='Action "Walk" is no longer in this file'):
        request_from_recipe(recipe)
    character.walk.name = "Walk"
    character.armature.name = "Somebody"
    with pytest.raises(InputError, match='Character "Rig" is no longer in this file'):
        request_from_recipe(recipe)


def test_a_recipe_is_kept_on_the_object_or_its_action() -> None:
    character = make_character()
    assert recipe_of(character.armature) is None
    store(character.walk, PLAIN)
    assert recipe_of(character.walk) == recipe_of(character.armature) == PLAIN
    store(character.armature, RICH)
    assert recipe_of(character.armature) == RICH


@pytest.mark.parametrize("value", [5, {"a": 1}, [1.0, 2.0]])
def test_recipe_property_that_is_not_text_is_rejected(value: object) -> None:
    block = bpy.data.objects.new("Odd", None)
    block[PROPERTY] = value
    with pytest.raises(InputError, match='"Odd"'):
        recipe_of(block)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "walk",
        "null",
        "[]",
        "{}",
        "[" * 100_000,
        '{"a":' * 20_000,
        '{"version": 1, "frames": ' + "9" * 5000 + "}",
        '{"version": true}',
        '{"version": 0}',
        '{"version": 99}',
        " " * 300_000,
    ],
)
def test_malformed_recipe_is_rejected_with_one_sentence(text: str) -> None:
    with pytest.raises(InputError) as caught:
        from_json(text)
    assert str(caught.value).count(". ") == 0 and str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (("frames",), "250", "frames"),
        (("frames",), True, "frames"),
        (("frames",), 1.5, "frames"),
        (("frames",), 10**12, "frames"),
        (("frames",), None, "frames"),
        (("seed",), [0], "seed"),
        (("tolerance",), "0", "tolerance"),
        (("tolerance",), 10**400, "number that is too large"),
        (("tolerance",), math.nan, "JSON"),
        (("tolerance",), math.inf, "JSON"),
        (("output",), "NOWHERE", "output"),
        (("output",), 1, "output"),
        (("part_mode",), {}, "part_mode"),
        (("extend_playback",), 1, "extend_playback"),
        (("character",), "Hero", "character"),
        (("character", "name"), "x" * 5000, "name"),
        (("character", "name"), "\ud800", "name"),
        (("character", "name"), "a\0b", "name"),
        (("examples",), {}, "examples"),
        (("examples",), [1], "examples"),
        (("examples",), [{}] * 2000, "examples"),
        (("examples", 0, "frame_end"), "late", "frame_end"),
        (("settings",), [], "settings"),
        (("settings", "iterations"), 0, "Iterations"),
        (("settings", "pyramid_factor"), 5, "Pyramid"),
        (("settings", "facing"), "SIDEWAYS", "facing"),
        (("settings", "surprise"), 1, "surprise"),
        (("settings", "feet"), "toe", "feet"),
        (("settings", "feet"), [1], "feet"),
        (("settings", "foot_locking"), 1, "foot_locking"),
        (("settings", "contact_features"), "ON", "contact_features"),
        (("settings", "joint_weights"), {"hand": 1}, "joint_weights"),
        (("settings", "joint_weights"), [["hand"]], "joint_weights"),
        (("settings", "joint_weights"), [["hand", "much"]], "joint_weights"),
        (("settings", "joint_weights"), [["hand", 1.0, 2.0]], "joint_weights"),
        (("settings", "joint_weights"), [["hand", -1.0]], "hand"),
        (("surprise",), 1, "surprise"),
    ],
)
def test_invalid_value_is_reported_by_name(path: Sequence[str | int], value: object, named: str) -> None:
    with pytest.raises(InputError, match=named):
        from_json(with_value(path, value))


def test_a_number_out_of_range_is_refused_before_anything_runs() -> None:
    character = make_character()
    values = json.loads(to_json(recipe_from_request(make_request(character), 0)))
    for name, value in (("frames", 0), ("seed", -1), ("tolerance", -0.5), ("frame_start", 1e11)):
        with pytest.raises(InputError):
            request_from_recipe(from_json(json.dumps({**values, name: value})))


def test_missing_settings_take_their_defaults_but_a_missing_length_is_named() -> None:
    values = json.loads(to_json(PLAIN))
    del values["settings"]["noise"], values["tolerance"]
    assert from_json(json.dumps(values)) == PLAIN
    del values["frames"]
    with pytest.raises(InputError, match="frames"):
        from_json(json.dumps(values))


def test_an_older_recipe_is_brought_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    def rename(values: dict[str, object]) -> dict[str, object]:
        values["frames"] = values.pop("length")
        return values

    version = recipe_module.VERSION
    monkeypatch.setattr(recipe_module, "VERSION", version + 1)
    monkeypatch.setitem(recipe_module.MIGRATIONS, version, rename)
    values = json.loads(to_json(PLAIN))
    values["version"], values["length"] = version, values.pop("frames")
    assert from_json(json.dumps(values)) == PLAIN
