# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes in a real Blender window; the pictures stay in build/screenshots."""

from driving import drive


def test_sliders_make_a_new_action_within_the_examples_and_undo_brings_the_old_one_back() -> None:
    facts = drive("transforming/drive_attributes.py")
    read, edited = facts["read"], facts["edited"]
    assert read["read"] == "GenMM Walk" and {"speed", "arm_swing", "crouch"} <= set(read["rows"])
    assert edited["action"] == edited["read"] == "GenMM Walk Edited"
    value, lowest, highest, change = edited["rows"]["arm_swing"]
    before = read["rows"]["arm_swing"]
    asked = before[2] if before[2] > before[0] else before[1]
    assert abs(value - asked) < 0.1 * (highest - lowest) and change == 0.0
    assert facts["undone"]["action"] == "GenMM Walk"
