# SPDX-License-Identifier: GPL-3.0-or-later
"""Trails dragged in a real viewport: Esc leaves everything as it was, release keeps the drag, undo takes it back.

An action exchanged, or a character deleted, in another window ends a drag without a change.
"""

import numpy as np
from driving import SCREENSHOTS, colors_of, drive


def test_a_point_of_a_trail_is_dragged_with_the_reach_of_the_wheel() -> None:
    facts = drive("timeline/drive_trails.py")
    assert facts["errors"] == []
    assert facts["left"]["values"] == facts["start"]["values"]
    before, at, after = facts["start"]["values"]
    assert facts["dragged"]["values"][0] == before and facts["dragged"]["values"][2] == after
    assert facts["dragged"]["values"][1] != at
    assert facts["dragged"]["mode"] == "POSE"
    moved = np.array(facts["to"]) - np.array(facts["from"])
    assert np.abs(moved - np.array(facts["dragged"]["offset"])).max() < 2e-3
    assert np.linalg.norm(moved) > 0.05
    assert facts["undone"]["values"] == facts["start"]["values"]
    assert facts["exchanged"]["values"] == facts["dance"]["values"]
    assert not [line for line in facts["log"] if "Traceback" in line]
    assert colors_of(SCREENSHOTS / "trails.png") > 0
