# SPDX-License-Identifier: GPL-3.0-or-later
"""The ends of the range to edit, dragged in the dope sheet with a real mouse."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def dragged() -> Facts:
    return drive("timeline/drive_range.py")


def test_an_end_follows_the_mouse_up_to_the_other_end(dragged: Facts) -> None:
    assert dragged["last dragged"] == [41, 85]
    assert dragged["first at last"] == [84, 85]


def test_esc_and_undo_restore_the_range(dragged: Facts) -> None:
    assert dragged["canceled"] == [41, 71]
    assert dragged["undone"] == [41, 85]


def test_an_end_beyond_the_view_is_brought_back_from_its_edge(dragged: Facts) -> None:
    assert dragged["brought back"] == [41, 65]


def test_keys_below_the_grip_and_ranges_chosen_otherwise_are_left_alone(dragged: Facts) -> None:
    assert dragged["below the grip"] == [41, 85]
    assert dragged["other choice"] == [1, 31], "the frames of the panel as they are at first"


def test_the_range_is_filled_as_it_was_dragged(dragged: Facts) -> None:
    assert dragged["filled"] == [41, 65]
    assert dragged["errors"] == []
