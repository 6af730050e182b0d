# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion Warp in a real window: the dialog's objects are used, and one undo takes the warp back."""

import numpy as np
from driving import SCREENSHOTS, colors_of, drive


def test_the_dialog_warps_the_preview_range_and_one_undo_takes_it_back() -> None:
    facts = drive("timeline/drive_warp.py")
    assert facts["errors"] == []
    moved = np.array(facts["warped"]) - np.array(facts["start"])
    assert np.abs(moved[1] - np.array([0.2, 0.15, 0.05])).max() < 0.01
    assert np.abs(moved[[0, 2]]).max() < 1e-5
    assert np.abs(np.array(facts["undone"]) - np.array(facts["start"])).max() < 1e-6
    assert colors_of(SCREENSHOTS / "warp_dialog.png") > 0
