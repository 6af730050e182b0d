# SPDX-License-Identifier: GPL-3.0-or-later
"""The first press with a large library in a real Blender window; the pictures stay in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def pressed() -> Facts:
    return drive("generate/drive_first_press.py")


def test_window_stays_responsive_while_the_library_is_prepared(pressed: Facts) -> None:
    assert pressed["pressed"] == [["RUNNING_MODAL"], ["RUNNING_MODAL"], ["FINISHED"]]


def test_escape_stops_it_with_nothing_changed(pressed: Facts) -> None:
    assert pressed["stopped"] is None


def test_then_the_range_is_filled_in_one_step_of_undo(pressed: Facts) -> None:
    assert pressed["filled"] == [41, 71, 1]
    assert pressed["undone"] is None
    assert pressed["again"] == [41, 71, 1]
