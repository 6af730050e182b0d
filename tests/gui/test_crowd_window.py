# SPDX-License-Identifier: GPL-3.0-or-later
"""A crowd made from the panel in a real window, and taken back in one step."""

import pytest
from test_window import SCREENSHOTS, Facts, colors_of, drive


@pytest.fixture(scope="module")
def crowd() -> Facts:
    return drive("drive_crowd.py")


def test_the_button_makes_the_crowd_that_the_panel_says(crowd: Facts) -> None:
    assert (crowd["before"], crowd["made"]) == (0, 100)
    assert crowd["made_actions"] == crowd["before_actions"] + 32
    assert colors_of(SCREENSHOTS / "crowd.png") > 0


def test_one_undo_takes_it_back(crowd: Facts) -> None:
    assert crowd["undone"] == 0
    assert crowd["undone_actions"] == crowd["before_actions"]
