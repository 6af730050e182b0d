# SPDX-License-Identifier: GPL-3.0-or-later
"""Places, trajectories and hands on a Mixamo-like and a Rigify character in a real window; pictures for the docs."""

import numpy as np
import pytest
from driving import Facts, drive

HEIGHTS = {"Mixamo": 1.7, "Rigify": 1.9}
"""Heights in meters, including the tips of Rigify's controls."""


@pytest.fixture(scope="module")
def rigs() -> Facts:
    return drive("characters/drive_rigs.py")


@pytest.fixture(scope="module")
def directed() -> Facts:
    return drive("characters/drive_rigs_new.py")


@pytest.mark.parametrize("name", list(HEIGHTS))
def test_a_way_is_left_by_esc_taken_by_a_click_and_undone(rigs: Facts, name: str) -> None:
    found = rigs[name]
    assert found["left"] == found["undone"] == found["start"] != found["clicked"]


@pytest.mark.parametrize("name", list(HEIGHTS))
def test_coarse_keys_lead_back_to_the_full_motion_in_pose_mode(rigs: Facts, name: str) -> None:
    found = rigs[name]
    _, keys, moved = found["start"]
    assert found["coarse"][1] < 0.1 * keys
    assert found["full"][1] == keys and found["full"][2] == pytest.approx(moved, abs=0.01 * abs(moved))
    assert found["uncoarse"] == found["start"] != found["natural"]


@pytest.mark.parametrize("name", list(HEIGHTS))
def test_the_root_bone_goes_below_the_body_and_undo_takes_it_back(rigs: Facts, name: str) -> None:
    *root, x, y, height = rigs[name]["rooted"]
    assert np.allclose(root, [x, y, 0.0], atol=0.1 * HEIGHTS[name]) and abs(y) > 1.0
    assert height > 0.4 * HEIGHTS[name]
    before = rigs[name]["unrooted"]
    assert before == [] or np.allclose(before[:3], 0.0)


@pytest.mark.parametrize("name", list(HEIGHTS))
def test_feet_stand_on_stairs_and_undo_takes_them_back(rigs: Facts, name: str) -> None:
    found = rigs[name]
    lows, through, on_stairs = (np.array(found[what]) for what in ("lows", "through", "in_stairs"))
    assert np.all(through + lows > 0.5), "the walk goes through the stairs"
    assert np.all(on_stairs + lows < 0.01 * HEIGHTS[name])
    assert found["back"] == pytest.approx(found["through"])


@pytest.mark.parametrize("name", list(HEIGHTS))
def test_new_motion_stands_on_stairs_and_undo_takes_it_away(rigs: Facts, name: str) -> None:
    found = rigs[name]
    assert np.all(np.array(found["new"]) + found["lows"] < 0.01 * HEIGHTS[name])
    assert found["unmade"] == len(HEIGHTS)


@pytest.mark.parametrize("name", list(HEIGHTS))
def test_the_hand_is_at_a_handle_that_moves(rigs: Facts, name: str) -> None:
    found = rigs[name]
    assert found["reached"] < 2e-3 < 0.05 < found["before"]
    assert found["let_go"] == pytest.approx(found["before"])


@pytest.mark.parametrize("name", list(HEIGHTS))
def test_a_waypoint_is_dragged_after_a_drag_that_was_left_and_is_met(rigs: Facts, name: str) -> None:
    assert rigs[name]["dragged"] == pytest.approx(0.9)
    assert rigs[name]["missed"] < 0.005 * HEIGHTS[name]


@pytest.mark.parametrize("name", list(HEIGHTS))
def test_the_action_is_an_asset_with_a_preview(rigs: Facts, name: str) -> None:
    assert rigs[name]["asset"]


@pytest.mark.parametrize("name", list(HEIGHTS))
def test_the_hand_of_new_motion_is_at_a_handle_that_moves(directed: Facts, name: str) -> None:
    assert directed[name]["reached"] < 2e-3
    assert directed[name]["unmade"] == len(HEIGHTS)


@pytest.mark.parametrize("name", list(HEIGHTS))
def test_feet_stand_on_a_slope_and_new_motion_follows_a_path_up_it(directed: Facts, name: str) -> None:
    found = directed[name]
    lows, through, put, new = (np.array(found[what]) for what in ("lows", "through", "in_slope", "new_in_slope"))
    assert np.all(through + lows > 0.3), "the walk goes through the slope"
    assert np.all(put + lows < 0.01 * HEIGHTS[name])
    assert np.all(new + lows < 0.01 * HEIGHTS[name])
    assert found["climbed"] == pytest.approx(1.0, abs=0.1)
    assert found["gone"] == len(HEIGHTS)
