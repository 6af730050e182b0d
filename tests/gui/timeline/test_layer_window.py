# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits on a layer in a real Blender window; the pictures stay in build/screenshots."""

import pytest
from driving import Facts, drive


@pytest.fixture(scope="module")
def layered() -> Facts:
    return drive("timeline/drive_layer.py")


def test_buttons_edit_the_layer_and_the_panel_goes_through_its_alternatives(layered: Facts) -> None:
    assert layered["start"]["action"] == "Shot" and layered["start"]["strips"] == []
    assert layered["filled"]["action"] == "" and layered["filled"]["strips"] == ["Shot", "Shot Layer"]
    assert [layered["filled"]["number"], layered["next"]["number"]] == [1, 2]
    assert layered["start"]["hand"] != layered["filled"]["hand"] != layered["next"]["hand"]


def test_undo_mute_and_removal_lead_back_to_the_action(layered: Facts) -> None:
    assert layered["undone"] == layered["start"]
    assert layered["muted"]["hand"] == layered["start"]["hand"]
    assert layered["removed"] == layered["start"]
