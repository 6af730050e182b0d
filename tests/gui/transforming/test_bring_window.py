# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring Action Here in a real window: its dialog, its file browser, Esc and undo."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def found() -> Facts:
    return drive("transforming/drive_bring.py")


def test_the_dialog_brings_the_other_armatures_action_and_undo_takes_it_away(found: Facts) -> None:
    played, named = found["brought"]
    assert played and set(named) - set(found["start"][1]) == {played}
    assert found["undone"] == found["start"]


def test_the_file_browser_is_left_by_esc_with_nothing_changed(found: Facts) -> None:
    assert found["browser"] > 0
    assert found["left"] == found["start"]


def test_each_file_is_an_action_and_no_object_stays(found: Facts) -> None:
    played, named = found["files"]
    assert played == "Take 1" and {"Take 1", "Take 2"} <= set(named)
    assert found["files objects"] == found["start objects"]
    assert found["rigify"].startswith("Take 2")
