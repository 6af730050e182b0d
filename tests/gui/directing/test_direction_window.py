# SPDX-License-Identifier: GPL-3.0-or-later
"""A looping walk along a curve, requested in a real window."""

import pytest
from driving import SCREENSHOTS, Facts, colors_of, drive


@pytest.fixture(scope="module")
def directed() -> Facts:
    return drive("directing/drive_direction.py")


def test_the_path_panel_opens_and_asks_for_a_curve(directed: Facts) -> None:
    assert directed["errors"] == []
    assert colors_of(SCREENSHOTS / "path_empty.png") > 0


def test_the_character_goes_round_its_curve_without_end(directed: Facts) -> None:
    assert max(directed["away"]) < 0.15
    assert max(directed["apart"]) < 0.02
    assert directed["way"] > 6.0
    assert directed["cyclic"]
