# SPDX-License-Identifier: GPL-3.0-or-later
"""Waypoints added in the panel of a real window, and the walk that passes them."""

from driving import SCREENSHOTS, colors_of, drive


def test_a_walk_passes_the_waypoints_that_were_added_with_the_mouse() -> None:
    facts = drive("directing/drive_waypoints.py")
    assert facts["errors"] == []
    assert facts["frames"] == [1, 80, 150]
    assert max(facts["away"]) < 0.01
    assert facts["rows_after_undo"] == 3
    assert colors_of(SCREENSHOTS / "waypoints.png") > 0
