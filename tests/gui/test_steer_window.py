# SPDX-License-Identifier: GPL-3.0-or-later
"""A character steered in a real Blender window; the pictures stay in build/screenshots."""

import math

import pytest
from test_window import Facts, drive


@pytest.fixture(scope="module")
def steered() -> Facts:
    return drive("drive_steer.py")


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


def test_shift_and_escape_leave_nothing(steered: Facts) -> None:
    assert steered["discarded"]["action"] == steered["begun"]["action"]
    assert steered["discarded"]["objects"] == steered["objects_before"]
