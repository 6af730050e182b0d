# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters of a library in a real Blender window; the pictures stay in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def clusters() -> Facts:
    return drive("libraries/drive_clusters.py")


def test_a_click_lists_all_clips_in_a_tree(clusters: Facts) -> None:
    assert clusters["clips"] == 120 and clusters["levels"] >= 2


def test_a_row_plays_its_typical_clip_over_the_character_by_a_click_and_by_an_arrow_key(clusters: Facts) -> None:
    # The script waited until each clip had begun, and until the first had ended.
    assert clusters["clicked"] == 2
    assert clusters["above"] == 1


def test_a_cluster_is_renamed_by_typing_and_its_clips_have_the_tag(clusters: Facts) -> None:
    assert clusters["renamed"] == [clusters["chosen"], "My Walks"]
    assert clusters["tags"] == ["My Walks"] and clusters["tagged"]


def test_a_click_has_the_cluster_learned_from(clusters: Facts) -> None:
    assert clusters["learned_from"] == ["LIBRARY", "cluster=My Walks, cluster=My Walks/*"]
