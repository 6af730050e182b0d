# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins in a real Blender window: added from the panel, edited, and saved meanwhile.

The pictures stay in build/screenshots. Run with: pytest tests/gui --confcutdir=tests/gui
"""

import pytest
from driving import SCREENSHOTS, Facts, different_pixels, drive


@pytest.fixture(scope="module")
def pins() -> Facts:
    return drive("directing/drive_pins.py")


def test_pinned_poses_are_listed(pins: Facts) -> None:
    assert [row[::2] for row in pins["pinned"]["pins"]] == [[10, True], [60, False], [110, True]]
    assert pins["pinned"]["plays"] == "GenMM Walk"


def test_keys_moved_while_editing_are_pins_moved(pins: Facts) -> None:
    assert pins["editing"]["plays"] == "GenMM Pins"
    assert [row[0] for row in pins["editing"]["pins"]] == [10, 75, 110]


def test_saving_does_not_end_the_editing_and_leaving_does(pins: Facts) -> None:
    assert pins["saved_on"]["plays"] == "GenMM Pins"
    assert pins["left"]["plays"] == "GenMM Walk"


def test_finish_pins_is_in_the_header_while_pins_are_edited(pins: Facts) -> None:
    before, editing, left = (SCREENSHOTS / f"pins_header{name}.png" for name in ("", "_editing", "_left"))
    assert different_pixels(before, editing) > 2000 > different_pixels(before, left)


def test_undo_goes_back_into_the_editing(pins: Facts) -> None:
    assert pins["undone"]["plays"] == "GenMM Pins"


def test_a_row_leads_to_its_pin(pins: Facts) -> None:
    assert pins["gone_to"]["frame"] == 10


def test_the_question_mark_shows_a_page_and_escape_closes_it(pins: Facts) -> None:
    page = SCREENSHOTS / "help_open.png"
    assert different_pixels(page, SCREENSHOTS / "help_closed.png") > 50_000
    assert pins["errors"] == []
