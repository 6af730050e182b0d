# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplify Keys found by its name in a real Blender window, and undone; the picture stays in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def simplified() -> Facts:
    return drive("timeline/drive_simplify.py")


def test_few_poses_key_all_contacts_and_keep_the_feet(simplified: Facts) -> None:
    few, dense = simplified["simplified"], simplified["start"]
    assert few["keyed"] < 0.4 * dense["keyed"]
    assert few["contacts"] > 4 and few["unkeyed contacts"] == 0
    assert few["miss"] <= 0.005


def test_undo_restores_a_key_on_every_frame(simplified: Facts) -> None:
    assert simplified["undone"] == simplified["start"]
