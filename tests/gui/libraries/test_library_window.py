# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries in a real Blender window: built, stopped and learned from; the pictures stay in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def library() -> Facts:
    return drive("libraries/drive_library.py")


def test_a_click_builds_a_library_beside_the_window(library: Facts) -> None:
    assert library["clips"] == 6, "three walks, and each mirrored"
    assert len(library["problems"]) == 1 and "broken.bvh" in library["problems"][0]


def test_tags_are_offered_while_one_types(library: Facts) -> None:
    assert library["tags"] == "style=tired"


def test_generate_learns_from_the_clips_that_were_chosen(library: Facts) -> None:
    assert library["learned_from"] == "LIBRARY"
    assert set(library["examples"]) <= {"walk_tired", "walk_tired mirrored"}


def test_a_click_opens_a_clip_that_the_result_came_from(library: Facts) -> None:
    assert library["opened"].startswith("walk_tired")


def test_stopped_build_leaves_the_library_unchanged(library: Facts) -> None:
    assert library["stopped"] and library["kept"]


def test_the_actions_of_this_file_are_read_while_blender_answers(library: Facts) -> None:
    assert library["reads_on_the_main_thread"] and library["own_problems"] == []
    assert library["own_clips"] >= 5, "the sample's actions, and none of the results"


def test_poses_are_pinned_and_feet_found_where_a_library_is_learned_from(library: Facts) -> None:
    assert library["pinned"] and library["feet"] and library["generated"]
