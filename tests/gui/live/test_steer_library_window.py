# SPDX-License-Identifier: GPL-3.0-or-later
"""A character steered through a library in a real Blender window, by styles and paces."""

import json

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def steered() -> Facts:
    return drive("live/drive_steer_library.py")


def test_number_keys_choose_the_styles_of_a_library(steered: Facts) -> None:
    styles = steered["styles"]
    assert styles[0] == "All"
    assert len(styles) == 4
    for moment, number in (("all", 0), ("second", 2), ("third", 3)):
        assert steered[moment]["style"] == styles[number]
        assert steered[moment]["is_shown"]
    assert steered["no_such_style"]["style"] == styles[3]
    assert steered["all_again"]["style"] == styles[0]


def test_shift_and_number_keys_choose_the_pace(steered: Facts) -> None:
    assert (steered["all"]["pace"], steered["slow"]["pace"], steered["fast"]["pace"]) == (1, 0, 2)
    assert steered["fast"]["speed"] > steered["slow"]["speed"]


def test_each_step_is_timed_and_the_recipe_lists_the_performed_styles(steered: Facts) -> None:
    assert steered["step_costs"][2] >= steered["no_such_style"]["played"]
    recipe = json.loads(steered["ended"]["recipe"])
    assert {style for _, style, _ in recipe["wishes"]} >= {"All", *(steered["styles"][number] for number in (2, 3))}
