# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplified keys of a Rigify human: its feet keep their places, by forward and by inverse kinematics."""

from collections.abc import Iterator

import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import select
from walking_human import SWITCHES, follow, walking_human

from genmm_addon.animation.actions import assigned, fcurves_of
from genmm_addon.animation.keys.footing import largest_miss, motion_shown
from genmm_addon.core.feet import contact_changes, find_feet


@pytest.fixture
def rig() -> Iterator[Object]:
    with walking_human() as made:
        yield made


@pytest.mark.parametrize("switch", list(SWITCHES))
def test_feet_stay_within_the_offset_and_contacts_are_keyed(rig: Object, switch: str) -> None:
    if switch != "forward":
        follow(rig, switch)
    select(rig)
    playing = assigned(rig)
    assert playing is not None
    action, slot = playing
    frames = np.arange(action.frame_range[0], action.frame_range[1] + 1)
    before = motion_shown(rig, action, slot, frames)
    feet = [foot.joint for foot in find_feet([before])]
    assert bpy.ops.genmm.simplify_keys(spacing="SHARED", degrees=2.0, percent=1.0) == {"FINISHED"}
    keyed = {round(point.co.x) for curve in fcurves_of(action, slot) for point in curve.keyframe_points}
    assert set(frames[contact_changes(before)].astype(int).tolist()) <= keyed
    assert feet and largest_miss(before, motion_shown(rig, action, slot, frames), feet) <= 0.01
