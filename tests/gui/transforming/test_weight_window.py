# SPDX-License-Identifier: GPL-3.0-or-later
"""The center of mass of a jump in a real Blender window, read again after Repair and undo; see build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def jumping() -> Facts:
    return drive("transforming/drive_weight.py")


def test_a_floating_jump_is_listed_and_its_path_is_not_the_arc_of_gravity(jumping: Facts) -> None:
    assert ["FLIGHT", "0.52 g"] in jumping["found"]["flaws"]
    (away,) = jumping["found"]["away"]
    assert away > 0.1


def test_after_repair_the_path_is_the_arc_and_undo_brings_the_other_back(jumping: Facts) -> None:
    (away,) = jumping["repaired"]["away"]
    assert away < 0.03
    assert jumping["undone"]["away"] == jumping["found"]["away"]
