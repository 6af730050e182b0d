# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings files: exported from one panel, imported into another, and refused if they are not valid."""

import json
from functools import partial
from pathlib import Path

import bpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from interface import new_character, select

from genmm_addon.animation.pins.action import new_pins
from genmm_addon.core import InputError
from genmm_addon.generation.recipe import VERSION, read_settings, settings_text
from genmm_addon.requests.part_values import add_part, bones_of
from genmm_addon.requests.request_values import panel_request

HEAD = {"genmm": "settings", "version": VERSION}


pytestmark = pytest.mark.usefixtures("extension")


def written(folder: Path, **values: object) -> Path:
    path = folder / "settings.json"
    path.write_text(json.dumps(HEAD | values))
    return path


def test_settings_exported_from_one_panel_are_imported_into_another(tmp_path: Path) -> None:
    hero = new_character("Hero")
    panel = hero.genmm
    panel.frames, panel.variations, panel.seed, panel.loop = 77, 3, 9, "IN_PLACE"
    panel.patch_frames, panel.completeness, panel.noise, panel.parts = 8, 0.02, 0.5, "PAINTED"
    panel.thin_keys, panel.tolerance, panel.feet_choice = True, 0.02, "CHOSEN"
    panel.feet.add().name = "hand"
    add_part(panel, "Low", ["root", "spine"])
    add_part(panel, "High", ["arm", "hand", "head"])
    panel.completion_part, panel.pins_action = "High", new_pins(hero)
    assert bpy.ops.genmm.export_settings(filepath=str(tmp_path / "hero")) == {"FINISHED"}
    expected, _ = panel_request(hero, bpy.context.scene)

    other = new_character("Other")
    select(other)
    assert bpy.ops.genmm.import_settings(filepath=str(tmp_path / "hero.json")) == {"FINISHED"}
    found, _ = panel_request(other, bpy.context.scene)
    for name in ("frames", "seeds", "loop", "settings", "part_mode", "parts", "visual", "tolerance", "output"):
        assert getattr(found, name) == getattr(expected, name), name
    assert found.pins.action == expected.pins.action
    assert found.completion.bones == expected.completion.bones
    assert found.examples[0].action.name == "Other Sway", "the examples stay its own"
    assert [bones_of(part) for part in other.genmm.part_list] == [bones_of(part) for part in panel.part_list]


@pytest.mark.parametrize("name", ["", ".json"])
def test_settings_are_not_exported_to_a_file_without_a_name(tmp_path: Path, name: str) -> None:
    new_character().genmm.bone_names.add().name = "hand"
    for export in (bpy.ops.genmm.export_settings, partial(bpy.ops.genmm.edit_bone_names, what="SAVE")):
        with pytest.raises(RuntimeError, match="The file has no name; enter one"):
            export(filepath=f"{tmp_path}/{name}")
    assert not list(tmp_path.iterdir())


def test_settings_file_is_readable_and_states_its_version() -> None:
    hero = new_character()
    text = settings_text(panel_request(hero, bpy.context.scene)[0])
    values = json.loads(text)
    assert list(values)[:2] == ["genmm", "version"] and values["version"] == VERSION
    assert text.count("\n") > 30


def test_omitted_settings_have_their_defaults(tmp_path: Path) -> None:
    file = read_settings(written(tmp_path))
    assert file.character is None and file.variations == 1 and file.recipe.frames == 0
    assert file.recipe.settings.patch_frames == 11


def test_older_file_is_read_with_its_former_meaning(tmp_path: Path) -> None:
    file = read_settings(written(tmp_path, version=1, frames=50))
    assert not file.recipe.settings.foot_locking


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"genmm": "recipe"}, 'does not begin with "genmm": "settings"'),
        ({"version": VERSION + 1}, "was made by a newer GenMM; update the extension"),
        ({"version": None}, "does not say its version"),
        ({"frame": 3}, 'has an unknown entry "frame"'),
        ({"frames": "long"}, "frames is not a whole number"),
        ({"loop": "ROUND"}, "loop is not one of OFF, TRAVEL, IN_PLACE"),
        ({"settings": {"patch_frames": 0}}, "Snippet Length must be 1 frame or more."),
        ({"variations": 0}, "variations are not a whole number from 1"),
        ({"path": {"curve": {"name": "Nowhere"}}}, 'Curve "Nowhere" is no longer in this file'),
        ({"frames": 2_000_000}, "Length must lie between 1 and 1,048,574 frames."),
    ],
)
def test_invalid_settings_are_rejected_and_change_nothing(
    tmp_path: Path, values: dict[str, object], sentence: str
) -> None:
    hero = new_character()
    before = panel_request(hero, bpy.context.scene)[0]
    with pytest.raises(RuntimeError) as refusal:
        bpy.ops.genmm.import_settings(filepath=str(written(tmp_path, **values)))
    assert sentence in str(refusal.value)
    assert panel_request(hero, bpy.context.scene)[0].__dict__ == before.__dict__


def test_unwritable_folder_is_reported(tmp_path: Path) -> None:
    new_character()
    (tmp_path / "file").write_text("")
    with pytest.raises(RuntimeError, match="could not be written"):
        bpy.ops.genmm.export_settings(filepath=str(tmp_path / "file" / "x.json"))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_any_bytes_are_settings_or_a_sentence(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "any.json"
    path.write_bytes(data)
    with pytest.raises(InputError):
        read_settings(path)
