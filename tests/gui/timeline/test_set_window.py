# SPDX-License-Identifier: GPL-3.0-or-later
"""Locomotion Set found by its name in a real Blender window, and undone; the picture stays in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def made() -> Facts:
    return drive("timeline/drive_set.py")


def test_the_set_is_made_of_assets_and_the_walk_plays_on(made: Facts) -> None:
    assert made["made"]["assets"] and made["made"]["plays"] == "GenMM Walk"


def test_undo_removes_the_set(made: Facts) -> None:
    assert made["undone"] == made["start"]
