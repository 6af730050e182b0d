# SPDX-License-Identifier: GPL-3.0-or-later
"""Composed texts of panels and reports: rounded numbers, right counts and plurals, and units."""

import re
from pathlib import Path

import bpy
import pytest
from interface import select

from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.interface.common.drawing import length_text
from genmm_addon.interface.examples.panels import _range_text

SOURCE = Path(__file__).resolve().parents[3] / "genmm_addon"

pytestmark = pytest.mark.usefixtures("extension")


def test_a_range_is_shown_in_whole_frames() -> None:
    assert _range_text(0.800000072, 23.1999989) == "1\N{EN DASH}23"
    assert _range_text(1.0, 1_234_567.0) == "1\N{EN DASH}1,234,567"


@pytest.mark.parametrize(("system", "scale", "expected"), [("METRIC", 1.0, "1.2 m"), ("METRIC", 0.01, "1.2 cm")])
def test_a_length_has_the_scene_s_unit(system: str, scale: float, expected: str) -> None:
    scene = bpy.context.scene
    scene.unit_settings.system, scene.unit_settings.scale_length = system, scale  # type: ignore[assignment]
    assert length_text(1.2, scene) == expected
    scene.unit_settings.system = "NONE"
    assert length_text(1.2, scene) == "1.20"


def test_report_counts_the_added_actions(capfd: pytest.CaptureFixture[str]) -> None:
    rig = add_sample_character(bpy.context).armature
    select(rig)
    before = len(rig.genmm.examples)
    assert bpy.ops.genmm.add_fitting_examples() == {"FINISHED"}
    assert f"{len(rig.genmm.examples) - before} actions added." in capfd.readouterr().out


def test_no_text_shows_more_digits_than_a_person_reads() -> None:
    """Values kept as text for a repetition may have nine digits, and nothing that is drawn or reported."""
    shown = [path for path in (SOURCE / "interface").rglob("*.py") if re.search(r":,?\.[7-9]g", path.read_text())]
    assert shown == []
