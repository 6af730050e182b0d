# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories through a range as lines in a real viewport: canceled by Esc, chosen by click and by keys, undone."""

from driving import SCREENSHOTS, colors_of, drive


def test_a_click_on_a_line_takes_the_way_and_esc_takes_none() -> None:
    facts = drive("timeline/drive_trajectories.py")
    assert facts["errors"] == []
    assert len(facts["ways"]) >= 2
    assert facts["left"]["ranges"] == facts["start"]["ranges"] == []
    assert facts["left"]["handlers"] == facts["clicked"]["handlers"] == 0
    assert facts["later"]["drawn"] == facts["left"]["drawn"] > 0, "after Esc nothing is drawn"
    drawn, hovered = facts["ghosts"]
    assert set(hovered) <= set(drawn)
    assert facts["chosen"]
    assert facts["clicked"]["ranges"] == [[41, 131]]
    assert facts["undone"]["inside"] == facts["start"]["inside"] != facts["clicked"]["inside"]
    assert facts["typed"]["ranges"] == [[41, 131]]
    assert facts["typed"]["inside"] != facts["clicked"]["inside"]
    assert colors_of(SCREENSHOTS / "trajectories.png") > 0
