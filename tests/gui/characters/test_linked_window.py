# SPDX-License-Identifier: GPL-3.0-or-later
"""A linked character in a real window: its linked action restyled on an override, and its library moved."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def linked() -> Facts:
    return drive("characters/drive_linked.py")


def test_restyling_a_linked_character_suggests_a_library_override(linked: Facts) -> None:
    assert linked["linked"]["pressed"].endswith("make an editable library override")


def test_an_override_is_restyled_out_of_its_linked_action_and_back(linked: Facts) -> None:
    assert linked["start"]["linked"] and linked["start"]["action"] == "GenMM Walk"
    assert not linked["restyled"]["linked"] and linked["restyled"]["action"] == "GenMM Walk Restyled"
    assert linked["restyled"]["keys"] != linked["start"]["keys"]
    assert linked["undone"] == linked["start"]
    assert linked["redone"] == linked["restyled"] == linked["opened"]


def test_a_library_that_was_moved_is_named(linked: Facts) -> None:
    assert "has no bones: the library" in linked["moved"]["reason"]
    assert linked["moved"]["pressed"].endswith("relocate the library in the Outliner")
