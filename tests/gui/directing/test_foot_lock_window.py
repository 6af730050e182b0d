# SPDX-License-Identifier: GPL-3.0-or-later
"""Foot locks in a real Blender window; the pictures stay in build/screenshots."""

from driving import drive


def test_locks_of_the_panel_are_in_the_motion_and_undo_takes_it_away() -> None:
    facts = drive("directing/drive_foot_lock.py")
    assert facts["listed"] == "Toes.L always 31-48, Toes.R never 60-90"
    assert facts["recipe"] == facts["listed"]
    assert facts["undone"] == "GenMM Walk"
