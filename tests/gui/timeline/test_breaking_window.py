# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals of Transform and Repair in a real window, and a restyled action with a face, undone, redone and reopened."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def broken() -> Facts:
    return drive("timeline/drive_breaking.py")


def test_a_stray_key_is_named_in_one_sentence(broken: Facts) -> None:
    for name in ("stray_restyle", "stray_repair", "stray_edit"):
        assert broken[name].endswith("keys at 1-241 and one at 100,000; delete the keys that lie far from all others.")


def test_another_action_and_a_missing_library_are_reported_and_nothing_is_changed(broken: Facts) -> None:
    assert "another action" in broken["wave"] and 'no library "/none/none.npz"' in broken["library"]
    assert broken["refused"] == broken["start"]


def test_the_face_goes_along_and_comes_back_with_undo(broken: Facts) -> None:
    assert broken["restyled"]["last"] == broken["restyled"]["face"] > broken["start"]["last"]
    assert broken["undone"] == broken["start"]
    assert broken["redone"] == broken["restyled"]


def test_saved_file_can_be_reopened_and_continued(broken: Facts) -> None:
    assert broken["opened"] == broken["restyled"]
    assert "style of GenMM Walk Tired" in broken["opened"]["recipe"]
    assert broken["again"] == "['FINISHED']" and broken["after"]["action"] == "GenMM Walk Restyled Restyled"
    assert broken["after"]["face"] == broken["after"]["last"]
