# SPDX-License-Identifier: GPL-3.0-or-later
"""Live in a real Blender window; the pictures stay in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def dragged() -> Facts:
    return drive("live/drive_live.py")


def test_dragging_shows_a_motion_and_leaves_nothing_in_the_file(dragged: Facts) -> None:
    assert dragged["on"]["is_on"]
    assert dragged["on"]["frames"] is None
    for moment in ("dragged", "dragged_on"):
        assert dragged[moment]["frames"] == 120
    assert dragged["dragged"]["blocks"] == dragged["on"]["blocks"]
    assert dragged["dragged"]["seed"] > 0


def test_letting_go_keeps_one_result_and_one_step_of_undo_takes_it_back(dragged: Facts) -> None:
    assert dragged["kept"]["frames"] is None
    assert dragged["kept"]["action"] != dragged["on"]["action"]
    assert dragged["undone"]["action"] == dragged["on"]["action"]
    assert dragged["undone"]["blocks"] == dragged["on"]["blocks"]
    assert dragged["undone"]["is_on"]


def test_a_point_of_the_path_is_followed_while_it_is_dragged(dragged: Facts) -> None:
    assert dragged["path_dragged"]["mode"] == "EDIT_CURVE"
    assert dragged["path_dragged"]["frames"] == 120
    assert "Leave this mode" in dragged["path_still_edited"]["said"]
    assert dragged["path_kept"]["action"] != dragged["on"]["action"]
