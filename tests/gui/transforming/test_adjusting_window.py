# SPDX-License-Identifier: GPL-3.0-or-later
"""Adjust Last Operation after work beside the window; the pictures stay in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def adjusted() -> Facts:
    return drive("transforming/drive_adjusting.py")


def test_adjusting_the_strength_replaces_the_restyled_action(adjusted: Facts) -> None:
    start, full, half = (adjusted[name] for name in ("start", "restyled", "restyled_adjusted"))
    assert (full["strength"], half["strength"]) == (1.0, 0.5)
    assert full["head"] < half["head"] < start["head"]
    assert half["actions"] == full["actions"] == sorted([*start["actions"], "GenMM Walk Restyled"])
    assert adjusted["restyled_undone"] == start


def test_adjusting_the_share_replaces_the_blended_action(adjusted: Facts) -> None:
    half, tenth = adjusted["blended"], adjusted["blended_adjusted"]
    assert half["share"] == 0.5 and tenth["share"] == pytest.approx(0.1)
    assert half["head"] < tenth["head"] and half["actions"] == tenth["actions"]


def test_adjusting_the_values_replaces_the_edited_action(adjusted: Facts) -> None:
    edited, other = adjusted["edited"], adjusted["edited_adjusted"]
    assert edited["attributes"].startswith("arm_height=") and other["attributes"] == "crouch=1.3x"
    assert other["head"] < edited["head"] == adjusted["start"]["head"] and other["actions"] == edited["actions"]


def test_no_strength_leaves_the_flaw_that_was_repaired(adjusted: Facts) -> None:
    spiked, repaired, none = (adjusted[name]["spike"] for name in ("spiked", "repaired", "repaired_adjusted"))
    assert repaired < spiked - 0.3
    assert none == pytest.approx(spiked, abs=1e-3)
    assert adjusted["repaired_undone"] == adjusted["spiked"]
