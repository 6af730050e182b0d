# SPDX-License-Identifier: GPL-3.0-or-later
"""Blend Strip: an NLA strip overlaps the one before it, blends in, and walks on from where that one is."""

import bpy
import numpy as np
import pytest
from bpy.types import Object

from genmm_addon.animation.actions import clear_assignment
from genmm_addon.sample.sample_character import add_sample_character

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def character() -> Object:
    """Its walk, and its proud walk after it on the same track; each begins at the origin."""
    rig = add_sample_character(bpy.context).armature
    clear_assignment(rig)
    track = rig.animation_data.nla_tracks.new()
    track.strips.new("Walk", 1, bpy.data.actions["GenMM Walk"])
    track.strips.new("Proud", 260, bpy.data.actions["GenMM Walk Proud"])
    bpy.context.view_layer.objects.active = rig
    return rig


def hips(character: Object, first: int, last: int) -> np.ndarray:
    found = []
    for frame in range(first, last + 1):
        bpy.context.scene.frame_set(frame)
        found.append(np.array(character.pose.bones["Hips"].head))
    return np.array(found)


def test_it_overlaps_blends_and_is_carried_on(character: Object) -> None:
    before = hips(character, 1, 220)
    proud = bpy.data.actions["GenMM Walk Proud"]
    assert bpy.ops.genmm.blend_strip(strip="Proud", blend_in=12, blend_out=5) == {"FINISHED"}
    strips = {strip.name: strip for track in character.animation_data.nla_tracks for strip in track.strips}
    strip = strips["Proud"]
    assert strip.frame_start == strips["Walk"].frame_end - 12
    assert (strip.blend_in, strip.blend_out) == (12, 5)
    assert strip.action != proud and strips["Walk"].action == bpy.data.actions["GenMM Walk"]
    there = hips(character, 1, 440)
    np.testing.assert_allclose(there[:220], before, atol=1e-5)
    steps = np.linalg.norm(np.diff(there, axis=0), axis=1)
    assert steps.max() <= 1.5 * np.linalg.norm(np.diff(before, axis=0), axis=1).max()
    assert np.linalg.norm(there[-1] - there[0]) > 1.5 * np.linalg.norm(before[-1] - before[0])


def test_what_cannot_be_blended_is_said_in_one_sentence(character: Object) -> None:
    for values, said in (
        ({"strip": "Walk"}, "No strip begins before"),
        ({"strip": "Nothing"}, "has no strip"),
        ({"strip": "Proud", "blend_in": 5000}, "no longer than"),
    ):
        with pytest.raises(RuntimeError, match=said):
            bpy.ops.genmm.blend_strip(**values)
    assert len(character.animation_data.nla_tracks) == 1 and len(bpy.data.actions) == 5
