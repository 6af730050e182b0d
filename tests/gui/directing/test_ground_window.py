# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground in a real window: the button, undo, and a result on stairs."""

from driving import SCREENSHOTS, colors_of, drive


def test_the_walk_climbs_stairs_by_the_button_and_by_generating() -> None:
    facts = drive("directing/drive_ground.py")
    assert facts["errors"] == []
    assert max(facts["action_deepest"], facts["made_deepest"]) < 0.01 * 1.75
    assert min(facts["action_climbs"], facts["made_climbs"]) > 1.0
    assert abs(facts["undone_climbs"]) < 0.2
    assert colors_of(SCREENSHOTS / "ground.png") > 0
