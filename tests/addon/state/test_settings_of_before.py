# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels, recipes, settings files and presets from before settings were described in one place keep their meaning."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
import pytest
from interface import new_character

from genmm_addon.animation.row_lists import row_lists_in
from genmm_addon.command_line.outputs.fingerprint import digest
from genmm_addon.core import Facing, Loop, Settings
from genmm_addon.generation.direction import PathSpeed
from genmm_addon.generation.recipe import VERSION, from_json, read_settings, to_json
from genmm_addon.generation.request import Output, PartMode, Request
from genmm_addon.requests.presets import apply_preset
from genmm_addon.requests.request_values import panel_request, settings_of
from genmm_addon.state.properties import GENMM_PG_character
from genmm_addon.state.setting_properties import generation_names

pytestmark = pytest.mark.usefixtures("extension")

DATA = Path(__file__).parents[1] / "data"
"""Data made by Blender 4.2 and 5.0 with the code of 21 November 2026."""
# Name and type; for numbers default, range, slider range, digits and step; for choices default and all values.
TABLE: tuple[tuple[Any, ...], ...] = (
    ("frames", "INT", 250, 1, 1000000, 1, 10000),
    ("variations", "INT", 1, 1, 200, 1, 20),
    ("seed", "INT", 0, 0, 2147483647, 0, 2147483647),
    ("output", "ENUM", "NEW_CHARACTER", "NEW_CHARACTER", "NEW_ACTION", "NLA_STRIP"),
    ("channels", "ENUM", "AUTO", "AUTO", "CHANNELS", "VISUAL"),
    ("thin_keys", "BOOLEAN", False),
    ("tolerance", "FLOAT", 0.005, 1e-05, 10.0, 1e-05, 0.1, 4, 0.1),
    ("extend_playback", "BOOLEAN", False),
    ("patch_frames", "INT", 11, 1, 1000, 1, 60),
    ("coarsest_patches", "FLOAT", 4.0, 1.0, 1000.0, 1.0, 20.0, 2, 3.0),
    ("pyramid_factor", "FLOAT", 0.75, 0.1, 0.95, 0.1, 0.95, 2, 3.0),
    ("use_completeness", "BOOLEAN", True),
    ("completeness", "FLOAT", 0.01, 0.0001, 100.0, 0.0001, 1.0, 4, 0.1),
    ("iterations", "INT", 5, 1, 100, 1, 20),
    ("noise", "FLOAT", 1.0, 0.0, 100.0, 0.0, 5.0, 2, 3.0),
    ("facing", "ENUM", "AUTO", "AUTO", "KEEP", "FREE"),
    ("root_bone", "STRING", ""),
    ("parts", "ENUM", "WHOLE_BODY", "WHOLE_BODY", "LIMBS", "PAINTED"),
    ("loop", "ENUM", "OFF", "OFF", "TRAVEL", "IN_PLACE"),
    ("key_spacing", "ENUM", "EVERY_FRAME", "EVERY_FRAME", "SHARED", "PER_BONE", "AS_EXAMPLES"),
    ("key_error_degrees", "FLOAT", 0.5, 0.001, 180.0, 0.01, 5.0, 2, 10.0),
    ("key_error_percent", "FLOAT", 0.5, 0.001, 100.0, 0.01, 5.0, 2, 10.0),
    ("labels", "STRING", ""),
    ("reaches", "STRING", ""),
    ("foot_locks", "STRING", ""),
    ("redone", "STRING", ""),
    ("root_motion", "BOOLEAN", False),
    ("root_motion_bone", "STRING", "root"),
    ("label_markers", "BOOLEAN", True),
    ("keep_contacts", "BOOLEAN", True),
    ("use_pins", "BOOLEAN", True),
    ("use_completion", "BOOLEAN", True),
    ("use_path", "BOOLEAN", True),
    ("path_speed", "ENUM", "EXAMPLES", "EXAMPLES", "CURVE", "ARRIVE"),
    ("path_along", "BOOLEAN", True),
    ("path_climbs", "BOOLEAN", False),
    ("use_waypoints", "BOOLEAN", True),
    ("use_ground", "BOOLEAN", True),
    ("foot_locking", "BOOLEAN", True),
    ("contact_features", "ENUM", "AUTO", "AUTO", "ON", "OFF"),
    ("parts_in_step", "BOOLEAN", True),
    ("feet_choice", "ENUM", "AUTO", "AUTO", "CHOSEN"),
    ("feet", "COLLECTION"),
    ("joint_weights", "COLLECTION"),
    ("start_at", "ENUM", "SCENE_START", "SCENE_START", "PLAYHEAD", "FRAME"),
    ("start_frame", "INT", 1, -1048574, 1048574, -1048574, 1048574),
)
WIDER = {
    "frames",
    "variations",
    "tolerance",
    "patch_frames",
    "coarsest_patches",
    "completeness",
    "iterations",
}
"""Properties whose range was extended later to that of the request; the slider's range is unchanged."""
SETTINGS = Settings(
    patch_frames=8,
    coarsest_patches=6.5,
    pyramid_factor=0.6,
    completeness=0.02,
    iterations=3,
    noise=0.5,
    facing=Facing.KEEP,
    root="root",
    feet=("hand",),
    foot_locking=False,
    contact_features=True,
    joint_weights=(("head", 0.1),),
    parts_in_step=False,
)
"""Before version 3, parts did not keep step."""


def described(item: Any) -> tuple[Any, ...]:
    """Return a property in the form of the table."""
    if item.type in ("INT", "FLOAT"):
        numbers = [item.default, item.hard_min, item.hard_max, item.soft_min, item.soft_max]
        if item.type == "FLOAT":
            numbers += [item.precision, item.step]
        return tuple(float(f"{number:.6g}") if isinstance(number, float) else number for number in numbers)
    if item.type == "ENUM":
        return (item.default, *(choice.identifier for choice in item.enum_items))
    return () if item.type == "COLLECTION" else (item.default,)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_the_panel_has_the_properties_that_files_hold(row: tuple[Any, ...]) -> None:
    name, kind, *values = row
    item = GENMM_PG_character.bl_rna.properties[name]
    found = list(described(item))
    assert item.type == kind
    if name in WIDER:
        assert found[1] <= values[1] and values[2] <= found[2]
        found[1:3] = values[1:3]
    assert found == values


def test_the_table_has_every_property_except_lists_that_came_later() -> None:
    names, later = [row[0] for row in TABLE], set(row_lists_in(Request)) - {row[0] for row in TABLE}
    assert sorted(generation_names()) == sorted([*names, *later])
    assert all(described(GENMM_PG_character.bl_rna.properties[name]) == ("",) for name in later)


def check_request(request: Request, settings: Settings = SETTINGS) -> None:
    assert (request.frames, request.part_mode, request.visual) == (60, PartMode.PAINTED, True)
    assert (request.output, request.extend_playback) == (Output.NLA_STRIP, True)
    assert (request.frame_start, request.loop) == (12.0, Loop.IN_PLACE)
    assert request.tolerance == pytest.approx(0.02)
    assert request.settings == settings
    assert [part.bones for part in request.parts] == [("root", "spine"), ("arm", "hand", "head")]
    assert request.pins is not None and request.pins.action.name == "GenMM Pins"
    assert request.completion is not None and request.completion.bones == ("arm", "hand", "head")
    assert request.path is not None and request.path.curve.name == "Way"
    assert (request.path.speed, request.path.along, request.path.climbs) == (PathSpeed.ARRIVE, False, True)


def opened() -> Any:
    bpy.ops.wm.open_mainfile(filepath=str(DATA / "panel_of_before.blend"))
    return bpy.data.objects["Hero"]


def test_older_blend_file_gives_the_same_request() -> None:
    request, _ = panel_request(opened(), bpy.context.scene)
    # A panel stores only values that were set in it; newer properties have their defaults.
    check_request(request, replace(SETTINGS, parts_in_step=True))
    assert request.seeds == (9, 10, 11)


def test_older_recipe_is_read_with_the_former_behavior_and_written_unchanged() -> None:
    text = (DATA / "recipe_of_before.json").read_text(encoding="utf-8")
    before, now = json.loads(text), json.loads(to_json(from_json(text)))
    assert (before.pop("version"), now.pop("version"), now["settings"].pop("parts_in_step")) == (2, VERSION, False)
    assert now.pop("keep_contacts") is False, "hands were left where other proportions brought them before version 4"
    assert now == before


def test_older_files_are_recognized_by_a_fingerprint_without_newer_settings() -> None:
    recipe = from_json((DATA / "recipe_of_before.json").read_text(encoding="utf-8"))
    as_now = replace(recipe, settings=replace(recipe.settings, parts_in_step=True), keep_contacts=True)
    assert digest(as_now) == "d906bf0afa8e2c7fe1c141b6ee47c7763b1fc3f2b92254b80b77e6e795a813f4"


def test_older_settings_file_gives_the_same_request() -> None:
    hero = opened()
    file = read_settings(DATA / "settings_of_before.json")
    check_request(file.request(hero))
    assert file.request(hero).seeds == (9, 10, 11)


def test_older_settings_file_sets_the_panel() -> None:
    hero = opened()
    other = new_character("Other")
    bpy.ops.genmm.import_settings(filepath=str(DATA / "settings_of_before.json"))
    for name in generation_names():
        if name not in ("feet", "joint_weights", "parts_in_step", "keep_contacts"):
            assert getattr(other.genmm, name) == getattr(hero.genmm, name) or name == "frames", name
    assert (hero.genmm.parts_in_step, other.genmm.parts_in_step) == (True, False)
    assert (hero.genmm.keep_contacts, other.genmm.keep_contacts) == (True, False)
    assert [row.name for row in other.genmm.feet] == ["hand"]
    assert [(row.name, row.factor) for row in other.genmm.joint_weights] == [("head", pytest.approx(0.1))]


def test_older_preset_sets_the_method() -> None:
    hero = new_character()
    apply_preset(hero.genmm, DATA / "preset_of_before.txt")
    assert settings_of(hero.genmm) == replace(SETTINGS, root=None, feet=None, joint_weights=(), parts_in_step=True)
    assert hero.genmm.parts == "PAINTED"
