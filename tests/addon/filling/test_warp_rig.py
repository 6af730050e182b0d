# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion Warp of a Rigify human that steps onto a box, by forward and inverse kinematics of the legs."""

from collections.abc import Iterator

import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import select
from test_ground_rig import FRAMES, SWITCHES, follow, places, put, walking_human

from genmm_addon.animation.actions import assigned
from genmm_addon.control_rigs.warp_in_action import warp_in_action
from genmm_addon.core import InputError

BONES = ("DEF-foot.L", "DEF-foot.R", "DEF-spine", "DEF-hand.R", "DEF-shin.L", "DEF-shin.R")


@pytest.fixture
def rig() -> Iterator[Object]:
    with walking_human() as made:
        yield made


def add_box(name: str, center: np.ndarray, half: float) -> Object:
    corners = [(x, y, z) for x in (-1, 1) for y in (-half, half) for z in (-0.15, 0.15)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], [(0, 1, 3, 2), (1, 5, 7, 3), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6)])
    box = bpy.data.objects.new(name, mesh)
    box.location = center
    bpy.context.scene.collection.objects.link(box)
    return box


@pytest.mark.parametrize("switch", list(SWITCHES))
def test_it(rig: Object, switch: str) -> None:
    if switch != "forward":
        follow(rig, switch)
    select(rig)
    before = places(rig, BONES)
    for b, name in enumerate(BONES):
        print(name, before[::6, b].round(2).tolist())
    assert 0
