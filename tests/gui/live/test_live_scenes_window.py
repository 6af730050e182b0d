# SPDX-License-Identifier: GPL-3.0-or-later
"""Live in a real Blender window with two scenes, and with pins that are added while it is on."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def dragged() -> Facts:
    return drive("live/drive_live_scenes.py")


def test_each_change_is_made_and_drawn_and_leaves_nothing_in_the_file(dragged: Facts) -> None:
    assert dragged["compute_costs"][2] >= 12
    assert dragged["clock_costs"][2] >= 1
    assert dragged["changed"]["shown"]
    assert dragged["changed"]["actions"] == dragged["on"]["actions"]


def test_nothing_is_kept_while_the_window_shows_another_scene(dragged: Facts) -> None:
    assert dragged["elsewhere"]["is_on"]
    assert dragged["elsewhere"]["shown"]
    assert dragged["elsewhere"]["said"] == "Go back to the scene Scene to keep the motion"
    assert dragged["elsewhere"]["action"] == dragged["on"]["action"]
    assert not dragged["kept"]["shown"]
    assert dragged["kept"]["action"] != dragged["on"]["action"]


def test_pins_that_are_set_meanwhile_are_followed_and_kept(dragged: Facts) -> None:
    assert dragged["made_with_pins"]
    assert not dragged["pinned_kept"]["shown"]
    assert dragged["pinned_kept"]["said"] == ""
    assert dragged["pinned_kept"]["is_on"]
