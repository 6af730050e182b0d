# SPDX-License-Identifier: GPL-3.0-or-later
"""Followed signals in the timeline of a real Blender window; the pictures stay in build/screenshots."""

from driving import SCREENSHOTS, different_pixels, drive


def test_signals_are_drawn_before_anything_is_generated_and_read_again_after_a_change() -> None:
    facts = drive("timeline/drive_follow.py")
    (curve, beats) = facts["both"]["read"]
    assert curve == [200, 0] and beats[0] == 200 and beats[1] > 10 and facts["both"]["problems"] == []
    assert [signal[0] for signal in facts["shorter"]["read"]] == [120, 120]
    assert facts["constant"]["read"] == [True] and "does not change" in facts["constant"]["problems"][0]
    assert facts["followed"] == ["energy", "beats"]
    nothing, both, shorter, constant = (
        SCREENSHOTS / f"follow_{name}.png" for name in ("nothing", "both", "shorter", "constant")
    )
    assert different_pixels(nothing, both) > 500 and different_pixels(both, shorter) > 500
    assert different_pixels(nothing, constant) < different_pixels(nothing, both) / 10
