# SPDX-License-Identifier: GPL-3.0-or-later
"""Blend Strip and Connect Strips in a real Blender window; the pictures stay in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def blended() -> Facts:
    return drive("timeline/drive_blend_strip.py")


def test_the_menu_blends_the_active_strip_into_the_one_before_it(blended: Facts) -> None:
    assert blended["before"]["Proud"] == [260.0, 0.0, True]
    start, blend, _ = blended["after"]["Proud"]
    assert blend == 12 and start < 260


def test_undo_brings_the_strips_back_and_the_menu_connects_them_by_another(blended: Facts) -> None:
    assert blended["undone"] == blended["before"]
    strips = blended["connected"]
    assert set(strips) == {"Walk", "Walk to Proud", "Proud"}
    assert strips["Walk"][0] < strips["Walk to Proud"][0] < strips["Proud"][0]
