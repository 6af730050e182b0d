# SPDX-License-Identifier: GPL-3.0-or-later
"""A character steered in a real Blender window; the pictures stay in build/screenshots."""

import math

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def steered() -> Facts:
    return drive("live/drive_steer.py")


def test_keys_and_clicks_move_the_proxy_and_space_pauses_it(steered: Facts) -> None:
    begun, ahead, paused = (steered[name]["proxy"] for name in ("begun", "ahead", "paused"))
    assert math.dist(begun, ahead) > 0.1
    assert math.dist(ahead, paused) > 0.1
    assert steered["paused_later"]["proxy"] == paused


def test_the_end_leaves_an_action_and_one_step_of_undo_takes_it_back(steered: Facts) -> None:
    assert steered["ended"]["action"].startswith("GenMM Sample Live")
    assert steered["ended"]["frames"][1] > 30
    assert steered["ended"]["objects"] == steered["objects_before"]
    assert steered["undone"]["action"] == steered["begun"]["action"]


def test_nothing_is_offered_to_adjust_which_could_not_be_steered_again(steered: Facts) -> None:
    assert not steered["adjusts"]


def test_polish_is_one_step_of_undo(steered: Facts) -> None:
    assert steered["polished"]["action"] == f"{steered['ended']['action']} Polished"
    assert steered["polished"]["frames"] == steered["ended"]["frames"]
    assert steered["polish_undone"]["action"] == steered["ended"]["action"]


def test_escape_leaves_nothing(steered: Facts) -> None:
    assert steered["discarded"]["action"] == steered["begun"]["action"]
    assert steered["discarded"]["objects"] == steered["objects_before"]


def test_keys_are_let_go_when_another_window_has_the_keyboard(steered: Facts) -> None:
    assert steered["wish_by_key"] > 0.1
    assert steered["wish_elsewhere"] == 0.0


def test_number_keys_choose_style_and_pace(steered: Facts) -> None:
    assert (steered["ahead"]["style"], steered["ahead"]["pace"]) == (0, 1)
    assert (steered["chosen"]["style"], steered["chosen"]["pace"]) == (2, 2)


def test_an_object_is_followed_after_the_count_in(steered: Facts) -> None:
    assert steered["counting"]["played"] == 0
    (x, y), (goal_x, goal_y) = steered["following"]["proxy"][:2], steered["following"]["goal"][:2]
    assert goal_y < -2.0
    assert math.dist((x, y), (goal_x, goal_y)) < 0.6


def test_file_saved_while_steering_keeps_the_performance_without_the_proxy(steered: Facts) -> None:
    for moment in ("saved", "reloaded"):
        assert steered[moment]["action"].startswith("GenMM Sample Live")
        assert steered[moment]["proxy"] is None
        assert steered[moment]["frames"][0] == 21
    assert steered["reloaded"]["frames"] == steered["saved"]["frames"]


def test_the_proxy_is_seen_in_local_view_and_goes_with_a_character_that_is_deleted(steered: Facts) -> None:
    assert steered["in_local_view"]
    _, runs, names = steered["deleted"]
    assert not runs
    assert not [name for name in names if name.endswith("Live")]
