# SPDX-License-Identifier: GPL-3.0-or-later
"""A stretch chosen on the ribbon in a real Blender window; the pictures stay in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def stretch() -> Facts:
    return drive("timeline/drive_stretches.py")


def test_dragging_over_the_ribbon_chooses_frames(stretch: Facts) -> None:
    first, last = stretch["dragged"]["chosen"]
    assert abs(first - 60) <= 1 and abs(last - 110) <= 1


def test_menu_regenerates_the_stretch_and_undo_restores_it(stretch: Facts) -> None:
    first, last = stretch["dragged"]["chosen"]
    assert stretch["regenerated"]["redone"] == f"{first}-{last}"
    assert stretch["undone"]["redone"] == ""


def test_escape_leaves_the_choice_unchanged(stretch: Facts) -> None:
    assert stretch["escaped"]["chosen"] == stretch["regenerated"]["chosen"]
