# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirrored examples, and visible cuts, in a real Blender window; the pictures stay in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def mirrored() -> Facts:
    return drive("transforming/drive_mirrored.py")


def test_an_example_is_learned_from_as_recorded_unless_said_otherwise(mirrored: Facts) -> None:
    assert mirrored["as_stored_at_first"] == "AS_RECORDED"


def test_the_result_is_made_of_the_walk_and_of_its_mirror_image(mirrored: Facts) -> None:
    assert mirrored["examples"] == ["GenMM Walk", "GenMM Walk (mirrored)"]
    assert mirrored["shown"] == [0, 1]


def test_a_click_on_a_cut_goes_to_its_frame(mirrored: Facts) -> None:
    assert mirrored["measured"] == []
    assert mirrored["frame"] == 112


def test_a_click_on_a_knee_that_may_show_goes_to_its_frame(mirrored: Facts) -> None:
    assert mirrored["measured_legs"] == []
    assert mirrored["flaw"] == 140
