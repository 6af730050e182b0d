# SPDX-License-Identifier: GPL-3.0-or-later
"""A setting added as one field in one place appears wherever settings are shown, stored and read."""

from typing import Any

import pytest
from edited_copy import found_in_copy

SHARPNESS = """\
    sharpness: float = setting(
        0.25,
        "Sharpness",
        "Sharpness of the result",
        minimum=0.0,
        maximum=1.0,
        option=Option("--sharpness", "sharpness of the result", "S"),
        preset=True,
        panel="advanced",
    )
"""
MIRRORED = """\
    mirrored: bool = setting(
        False, "Mirrored", "Left is right", option=Option("--mirrored", "left is right"), panel="advanced"
    )
"""
FIELDS = (
    ("core/settings.py", SHARPNESS, "\n    def __post_init__(self)"),
    ("generation/request.py", MIRRORED, "    bone_names: tuple["),
)
"""The fields to add, and the text before which each is inserted."""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the places at which a separate process with two more fields has found them."""
    return found_in_copy(tmp_path_factory.mktemp("one_more"), "one_more_setting.py", FIELDS)


def test_the_panel_lists_it(found: dict[str, Any]) -> None:
    assert {"sharpness", "mirrored"} <= set(found["panel"])


def test_its_property_has_the_texts_the_default_and_the_range(found: dict[str, Any]) -> None:
    assert found["property"] == ["Sharpness", "Sharpness of the result", 0.25, 0.0, 1.0]


def test_the_operator_takes_it_and_the_recipe_says_it(found: dict[str, Any]) -> None:
    assert found["recipe"] == [0.5, True]


def test_presets_hold_it_where_it_says_so(found: dict[str, Any]) -> None:
    assert found["preset"] == [0.75, False]


def test_settings_files_carry_it_from_panel_to_panel(found: dict[str, Any]) -> None:
    assert found["settings file"] == found["imported"] == [0.75, True]


def test_the_command_line_takes_it_and_its_help_names_it(found: dict[str, Any]) -> None:
    assert found["said"] == [{"sharpness": 0.5}, {"mirrored": True}]
    assert (
        "--sharpness S" in found["help"]
        and "sharpness of the result" in found["help"]
        and "--mirrored" in found["help"]
    )


def test_its_range_is_checked_in_one_sentence(found: dict[str, Any]) -> None:
    assert found["range"] == "Sharpness must lie between 0 and 1."
