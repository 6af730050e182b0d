# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Similar in a real Blender window; the pictures stay in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def similar() -> Facts:
    return drive("libraries/drive_similar.py")


def test_a_click_lists_the_places_like_the_preview_range(similar: Facts) -> None:
    assert similar["range"] == [20, 60, "the preview range"]
    assert similar["found"][0] == ["walk_tired", 19, 0.0]
    assert {"walk_neutral", "walk_proud"} & {name for name, _, _ in similar["found"]}


def test_a_click_makes_an_action_of_the_selected_place_and_undo_takes_it_back(similar: Facts) -> None:
    assert similar["made"] == [similar["chosen"], 20.0, similar["actions_before"] + 1]
    assert similar["undone"] == ["GenMM Walk Tired", similar["actions_before"]]


def test_enter_makes_an_action_in_the_window_that_lists_places_elsewhere(similar: Facts) -> None:
    assert similar["listed"] == 4
    assert similar["entered"] == "walk_tired"
