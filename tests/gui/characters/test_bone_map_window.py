# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of bone names in a real window: each step is undone as a whole, and both skeletons are drawn."""

import pytest
from driving import SCREENSHOTS, Facts, drive


@pytest.fixture(scope="module")
def seen() -> Facts:
    return drive("characters/drive_bone_map.py")


def test_picking_and_loading_are_undone_as_a_whole(seen: Facts) -> None:
    assert {certainty for _, certainty in seen["matched"].values()} <= {"SURE", "DOUBTFUL"}
    assert seen["picked"]["mixamorig:Neck there"] == ["Head", "SET"]
    assert seen["picked"]["mixamorig:Head there"] == ["", "SET"]
    assert seen["undone"] == seen["matched"]
    assert seen["loaded"] == {name: [target, "SET"] for name, (target, _) in seen["matched"].items()}
    assert seen["unloaded"] == seen["picked"]


def test_both_skeletons_are_drawn_while_the_table_is_open(seen: Facts) -> None:
    assert seen["drawn while open"] and seen["drawn open again"]
    assert not seen["drawn beside another tab"] and not seen["drawn while New Motion is closed"]
    hidden, shown, picked = (
        (SCREENSHOTS / f"bone_map_{name}.png").read_bytes() for name in ("hidden", "shown", "picked")
    )
    assert len(shown) > len(hidden)
    assert shown != picked
