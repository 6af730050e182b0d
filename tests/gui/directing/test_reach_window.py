# SPDX-License-Identifier: GPL-3.0-or-later
"""A hand on a handle in a real Blender window; the pictures stay in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def reached() -> Facts:
    return drive("directing/drive_reach.py")


def test_the_hand_is_on_the_handle_in_the_action_and_undo_takes_it_away(reached: Facts) -> None:
    assert reached["listed"] == "Hand.R at Handle 100-130"
    assert reached["action"] == "GenMM Wave" and reached["edited"] < 1e-3
    assert reached["undone"] > 0.05


def test_new_motion_has_the_hand_on_the_handle(reached: Facts) -> None:
    assert reached["new_action"] != "GenMM Wave" and reached["generated"] < 1e-3
