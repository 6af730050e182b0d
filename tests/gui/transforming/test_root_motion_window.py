# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion in a real window: chosen from the menu in Pose Mode, undone and redone."""

import numpy as np
from driving import SCREENSHOTS, colors_of, drive


def test_root_motion_comes_by_the_menu_and_goes_by_undo() -> None:
    facts = drive("transforming/drive_root_motion.py")
    assert facts["errors"] == []
    before = np.array(facts["before"]["places"])
    for when, root in (("rooted", True), ("undone", False), ("redone", True)):
        assert facts[when]["root"] == root, when
        assert facts[when]["mode"] == "POSE"
        assert facts[when]["data"] == facts["before"]["data"]
        assert np.abs(np.array(facts[when]["places"]) - before).max() < 2e-5, when
    assert colors_of(SCREENSHOTS / "root_motion.png") > 0
