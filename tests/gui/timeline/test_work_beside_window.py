# SPDX-License-Identifier: GPL-3.0-or-later
"""Restyle and Read Values with a large library in a real Blender window; the pictures stay in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def pressed() -> Facts:
    return drive("timeline/drive_work_beside.py")


def test_window_stays_responsive_during_the_work(pressed: Facts) -> None:
    assert pressed["pressed"] == [["RUNNING_MODAL"]] * 3


def test_escape_stops_library_and_work_with_nothing_changed(pressed: Facts) -> None:
    assert (pressed["stopped"], pressed["stopped_at_work"]) == (None, None)


def test_then_the_action_is_restyled_in_one_step_of_undo(pressed: Facts) -> None:
    assert (pressed["restyled"], pressed["undone"]) == ("style", None)


def test_values_are_read_beside_the_window_and_escape_stops_it(pressed: Facts) -> None:
    assert pressed["pressed_read"] == [["RUNNING_MODAL"]] * 2
    assert pressed["read_stopped"] == 0 and pressed["read"] >= 5
