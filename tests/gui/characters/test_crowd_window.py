# SPDX-License-Identifier: GPL-3.0-or-later
"""A crowd made from the panel in a real window, and undone in one step."""

import pytest
from driving import SCREENSHOTS, Facts, colors_of, drive


@pytest.fixture(scope="module")
def crowd() -> Facts:
    return drive("characters/drive_crowd.py")


def test_the_button_makes_the_crowd_that_the_panel_says(crowd: Facts) -> None:
    assert (crowd["before"], crowd["made"]) == (0, 100)
    assert crowd["made_actions"] == crowd["before_actions"] + 32
    assert colors_of(SCREENSHOTS / "crowd.png") > 0


def test_one_undo_takes_it_back(crowd: Facts) -> None:
    assert crowd["undone"] == 0
    assert crowd["undone_actions"] == crowd["before_actions"]


def test_it_is_made_beside_the_window(crowd: Facts) -> None:
    """Its progress is visible, and no other run of the extension starts meanwhile."""
    assert 0.1 < crowd["progress"] <= 1.0
    assert crowd["others"] == [False, False]


@pytest.mark.parametrize("when", ["stopped", "stopped_half_way", "stopped_by_button", "all_undone"])
def test_stopping_a_crowd_leaves_the_file_unchanged(crowd: Facts, when: str) -> None:
    assert crowd[when] == crowd["at_first"]


def test_while_it_is_written_the_user_changes_nothing(crowd: Facts) -> None:
    """The delete key was pressed, and the character still exists."""
    assert crowd["half"]["running"] and len(crowd["half"]["blocks"]) > len(crowd["at_first"]["blocks"])
    assert set(crowd["at_first"]["blocks"]) <= set(crowd["half"]["blocks"])


def test_loading_another_file_while_it_is_written_is_fine(crowd: Facts) -> None:
    assert crowd["before_loading"]["running"]
    assert len(crowd["before_loading"]["blocks"]) > len(crowd["at_first"]["blocks"])
    assert crowd["loaded"] == 0 and not crowd["loaded_state"]["running"]
