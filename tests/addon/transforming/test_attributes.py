# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes of an action: read, and edited by sliders or text into a new action, with an undo step and a recipe."""

from pathlib import Path

import bpy
import pytest
from bpy.types import Object
from characters import action_of, walking_sample
from commands import run, save
from recorded_layout import drawn

from genmm_addon.animation.rig import read_skeleton
from genmm_addon.core.manner import parse_targets
from genmm_addon.editing.transforming.record import recipe_of, recipe_text
from genmm_addon.interface.transform.panels import GENMM_PT_attributes
from genmm_addon.requests.attribute_examples import asked_value, asked_values, value_text
from genmm_addon.state.edit_properties import GENMM_PG_attributes
from genmm_addon.state.properties import scene_properties

pytestmark = pytest.mark.usefixtures("extension")

Capture = pytest.CaptureFixture[str]
WALK, TIRED = "GenMM Walk", "GenMM Walk Tired"


@pytest.fixture
def character() -> Object:
    return walking_sample()


def shown() -> GENMM_PG_attributes:
    found: GENMM_PG_attributes = scene_properties(bpy.context.scene).transform.attributes
    return found


def test_attribute_edit_reaches_the_requested_value_in_a_new_action(character: Object) -> None:
    assert bpy.ops.genmm.read_attributes(other_action=TIRED, bone="Head") == {"FINISHED"}
    rows = {row.name: row for row in shown().values}
    assert shown().action == WALK and {"speed", "step_length", "arm_swing", "crouch", "swing:Head"} <= set(rows)
    assert rows["speed"].lowest < rows["speed"].value
    rows["speed"].change = -1.0
    asked = rows["speed"].lowest
    assert bpy.ops.genmm.edit_attributes(other_action=TIRED) == {"FINISHED"}
    made = action_of(character)
    recipe = recipe_of(made)
    assert made.name == f"{WALK} Edited" and bpy.data.actions[WALK].use_fake_user
    assert (
        recipe is not None and (recipe.kind, recipe.content) == ("attributes", WALK) and "speed=" in recipe_text(recipe)
    )
    # The panel shows the new action now.
    values = {row.name: row for row in shown().values}
    assert shown().action == made.name and not any(row.change for row in values.values())
    assert values["speed"].value == pytest.approx(asked, rel=0.03)
    assert made.frame_range[1] > bpy.data.actions[WALK].frame_range[1]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({}, "press Read Values first"),
        ({"attributes": "speed=50x"}, "beyond the examples"),
        ({"attributes": "hurry=1"}, "no attribute"),
        ({"attributes": "speed=1x", "other_action": "Nothing"}, 'no action "Nothing"'),
        ({"attributes": "swing:Nose=1x"}, 'no bone "Nose"'),
    ],
)
def test_impossible_edits_are_rejected_and_change_nothing(
    character: Object, values: dict[str, str], sentence: str
) -> None:
    actions = set(bpy.data.actions.keys())
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.genmm.edit_attributes(**values)
    assert set(bpy.data.actions.keys()) == actions and action_of(character).name == WALK


def test_the_command_says_values_and_writes_a_file(tmp_path: Path, capfd: Capture, character: Object) -> None:
    shot, made = save(tmp_path, "shot"), tmp_path / "edited.blend"
    said = run(capfd, "edit", shot, "--example", TIRED)
    assert said.status == 0 and any(line.startswith("speed: ") for line in said.lines), said.errors
    said = run(capfd, "edit", shot, "--example", TIRED, "--attribute", "speed=0.9x,arm_swing=0.9x", "--output", made)
    assert said.status == 0 and "Arm Swing" in said.lines[-1] and "by a warp" in said.lines[-1], said.errors
    refused = run(capfd, "edit", shot, "--attribute", "speed=50x", "--output", tmp_path / "none.blend")
    assert refused.status == 2 and "beyond the examples" in refused.errors[-1]
    bpy.ops.wm.open_mainfile(filepath=str(made))
    assert recipe_of(bpy.data.actions[f"{WALK} Edited"]) is not None


@pytest.mark.parametrize(
    ("system", "scale", "factor", "unit"),
    [
        ("METRIC", 1.0, 1.0, "m"),
        ("METRIC", 0.01, 0.01, "m"),
        ("IMPERIAL", 1.0, 1 / 0.3048, "ft"),
        ("NONE", 1.0, 1.0, "units"),
    ],
)
def test_panel_shows_speeds_and_steps_as_the_scene_measures_lengths(
    character: Object, system: str, scale: float, factor: float, unit: str
) -> None:
    character.scale = (-3.0, 3.0, 3.0)
    bpy.context.view_layer.update()
    units = bpy.context.scene.unit_settings
    units.system, units.scale_length = system, scale  # type: ignore[assignment]
    bpy.ops.genmm.read_attributes(other_action=TIRED)
    rows = {row.name: row for row in shown().values}
    for name, ending in (("speed", f"{unit}/s"), ("step_length", unit)):
        number, first, *_ = value_text(rows[name], shown().size, bpy.context.scene).split()
        walked = rows[name].value * read_skeleton(character).size * 3 * factor
        assert float(number) == pytest.approx(walked, rel=0.005) and first == ending


def test_values_read_by_an_earlier_version_are_in_body_sizes(character: Object) -> None:
    bpy.ops.genmm.read_attributes(other_action=TIRED)
    shown().property_unset("size")
    row = shown().values["speed"]
    assert value_text(row, shown().size, bpy.context.scene).startswith(f"{row.value:.3g} body sizes/s (")


def test_sliders_request_speeds_and_steps_as_factors(character: Object) -> None:
    bpy.ops.genmm.read_attributes(other_action=TIRED)
    rows = {row.name: row for row in shown().values}
    rows["speed"].change, rows["arm_height"].change = -0.5, 0.5
    speed, height = asked_values(shown(), bpy.data.actions[WALK]).split(", ")
    (factor,) = parse_targets(speed)
    assert factor.is_factor and factor.of(rows["speed"].value) == pytest.approx(asked_value(rows["speed"]))
    assert parse_targets(height)[0].value == pytest.approx(asked_value(rows["arm_height"]))


def test_sliders_without_room_are_disabled_and_the_panel_says_why(character: Object) -> None:
    bpy.ops.genmm.read_attributes()
    panel = drawn(GENMM_PT_attributes, bpy.context)
    narrow = {"speed", "step_length", "crouch", "arm_height"}
    assert set(panel.disabled) == narrow and "arm_swing" in shown().values
    reasons = [text for text, _ in panel.labels if "examples differ too little" in text]
    assert len(reasons) == len(narrow)
    bpy.ops.genmm.read_attributes(other_action=TIRED)
    assert drawn(GENMM_PT_attributes, bpy.context).disabled == []
