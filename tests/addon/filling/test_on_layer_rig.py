# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of a Rigify human on a layer: they play as the same edits in the action, by forward and inverse kinematics."""

from collections.abc import Iterator

import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import select
from walking_human import SWITCHES, follow, places, walking_human

from genmm_addon.animation.actions import assign, assigned
from genmm_addon.animation.layers.edit_layer import layer_of
from genmm_addon.animation.stretches.fingerprints import fingerprint


@pytest.fixture
def rig() -> Iterator[Object]:
    with walking_human() as made:
        yield made


@pytest.mark.parametrize("switch", list(SWITCHES))
def test_feet_are_put_on_the_ground_on_a_layer(rig: Object, switch: str) -> None:
    if switch != "forward":
        follow(rig, switch)
    select(rig)
    playing = assigned(rig)
    assert playing is not None
    keys, before = fingerprint(*playing), places(rig)
    for name, where in (("Ramp", 0.1),):
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata([(-9, 9, where), (9, 9, where), (9, -9, where), (-9, -9, where)], [], [(3, 2, 1, 0)])
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, mesh))
    assign(rig, playing[0].copy(), playing[1])
    assert bpy.ops.genmm.put_feet_on_ground(ground="Ramp") == {"FINISHED"}
    expected = places(rig)
    assign(rig, *playing)
    bpy.context.scene.genmm.filling.edits = "LAYER"
    assert bpy.ops.genmm.put_feet_on_ground(ground="Ramp") == {"FINISHED"}
    assert layer_of(rig) is not None and fingerprint(*playing) == keys
    assert np.abs(expected - before).max() > 0.05
    assert np.abs(places(rig) - expected).max() < 1e-4
    assert bpy.ops.genmm.remove_layer() == {"FINISHED"}
    assert np.abs(places(rig) - before).max() < 1e-6
