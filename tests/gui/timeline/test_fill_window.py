# SPDX-License-Identifier: GPL-3.0-or-later
"""Fill Range in a real Blender window; the pictures stay in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def filled() -> Facts:
    return drive("timeline/drive_fill.py")


def test_a_button_fills_the_preview_range_and_leaves_the_rest(filled: Facts) -> None:
    assert filled["start"]["record"] is None
    assert filled["filled"]["record"] == [41, 71, 1]
    assert filled["filled"]["outside"] == filled["start"]["outside"]
    assert filled["filled"]["inside"] != filled["start"]["inside"]


def test_keys_show_the_next_alternative(filled: Facts) -> None:
    assert filled["next"]["record"] == [41, 71, 2]
    assert filled["next"]["outside"] == filled["start"]["outside"]
    assert filled["next"]["inside"] != filled["filled"]["inside"]


def test_undo_brings_back_one_after_the_other(filled: Facts) -> None:
    assert filled["undone_once"] == filled["filled"]
    assert filled["undone"] == filled["start"]


def test_one_press_fills_between_all_poses(filled: Facts) -> None:
    assert filled["blocking"] >= 4
