# SPDX-License-Identifier: GPL-3.0-or-later
"""Restyle and Blend in a real Blender window; the pictures stay in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def transformed() -> Facts:
    return drive("transforming/drive_transform.py")


def test_a_button_restyles_the_active_action_and_undo_brings_it_back(transformed: Facts) -> None:
    assert transformed["restyled"]["action"] == "GenMM Walk Restyled"
    assert transformed["restyled"]["kind"] == "style"
    assert transformed["restyled"]["head"] < transformed["start"]["head"]
    assert transformed["undone"] == transformed["start"]


def test_where_no_action_is_chosen_a_menu_offers_those_that_fit_and_esc_leaves_it(transformed: Facts) -> None:
    assert "GenMM Walk Tired" in transformed["restyled"]["by"]
    assert transformed["escaped"] == transformed["start"]


def test_a_blend_lies_between_the_two(transformed: Facts) -> None:
    assert transformed["blended"]["kind"] == "blend"
    assert transformed["restyled"]["head"] < transformed["blended"]["head"] < transformed["start"]["head"]
