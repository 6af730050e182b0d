# SPDX-License-Identifier: GPL-3.0-or-later
"""The dialog of Follow Signal: it asks only for what the chosen signal and quantity use."""

from types import SimpleNamespace
from typing import cast

import bpy
import pytest
from interface import new_character
from recorded_layout import RecordedLayout

from genmm_addon.interface.lists.operators import ADDED, GENMM_OT_add_row

pytestmark = pytest.mark.usefixtures("extension")


@pytest.mark.parametrize(
    ("signal", "driven", "asked"),
    [
        ("SOUND", "ENERGY", set()),
        ("SOUND", "BEATS", set()),
        ("SOUND", "HEIGHT", {"bone"}),
        ("PROPERTY", "ENERGY", {"detail"}),
        ("CHARACTER", "REACH", {"detail", "bone"}),
        ("STROKE", "TRAVEL", set()),
    ],
)
def test_only_values_that_are_used_are_asked_for(signal: str, driven: str, asked: set[str]) -> None:
    operator = SimpleNamespace(choices=ADDED, rows="follows", signal=signal, driven=driven, layout=RecordedLayout())
    GENMM_OT_add_row.draw(cast(GENMM_OT_add_row, operator), bpy.context)
    assert set(operator.layout.values) == {"signal", "named", "driven", "part", "strength"} | asked


def test_a_value_that_another_signal_left_behind_is_not_written() -> None:
    hero = new_character()
    bpy.ops.genmm.add_row(rows="follows", signal="SOUND", named="Song", detail="location[2]", driven="ENERGY")
    assert hero.genmm.follows == "sound Song drives energy by 0.5"
