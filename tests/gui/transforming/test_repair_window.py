# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Flaws and Repair in a real Blender window; the picture stays in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def repaired() -> Facts:
    return drive("transforming/drive_repair.py")


def test_flaws_are_listed_and_nothing_is_changed(repaired: Facts) -> None:
    assert ["SPIKE", 40, 41, "Shin.L"] in repaired["found"]["flaws"]
    assert repaired["found"]["spike"] == repaired["start"]["spike"]


def test_a_button_repairs_them_and_undo_brings_them_back(repaired: Facts) -> None:
    assert abs(repaired["repaired"]["spike"] - repaired["start"]["spike"]) > 0.2
    assert repaired["repaired"]["outside"] == repaired["start"]["outside"]
    assert repaired["undone"]["spike"] == repaired["start"]["spike"]
