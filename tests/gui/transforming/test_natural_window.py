# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse keys and their full motion in a real Blender window; the pictures stay in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def refined() -> Facts:
    return drive("transforming/drive_natural.py")


def test_the_menu_makes_coarse_keys_and_undo_brings_them_back_after_the_full_motion(refined: Facts) -> None:
    assert refined["coarse"] == "GenMM Walk Coarse"
    assert refined["full"] == "GenMM Walk Edited"
    assert refined["undone"] == "GenMM Walk Coarse"
