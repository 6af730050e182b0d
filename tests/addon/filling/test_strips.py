# SPDX-License-Identifier: GPL-3.0-or-later
"""Blend Strip and Connect Strips: an NLA strip continues from the one before it, and from where that one ends."""

import bpy
import numpy as np
import pytest
from bpy.types import Object

from genmm_addon.animation.actions import clear_assignment
from genmm_addon.character.sample.sample_character import add_sample_character

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def character() -> Object:
    """Return the sample with its walk and then its proud walk on one track; each begins at the origin."""
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


def test_impossible_blends_of_strips_are_rejected_with_one_sentence(character: Object) -> None:
    for values, said in (
        ({"strip": "Walk"}, "No strip begins before"),
        ({"strip": "Nothing"}, "has no strip"),
        ({"strip": "Proud", "blend_in": 5000}, "no longer than"),
    ):
        with pytest.raises(RuntimeError, match=said):
            bpy.ops.genmm.blend_strip(**values)
    assert len(character.animation_data.nla_tracks) == 1 and len(bpy.data.actions) == 5


def test_a_transition_leads_from_one_strip_to_the_other(character: Object) -> None:
    before = hips(character, 1, 220)
    fastest = np.linalg.norm(np.diff(before, axis=0), axis=1).max()
    bpy.data.objects[character.name].genmm.examples.clear()
    assert bpy.ops.genmm.connect_strips(strip="Proud") == {"FINISHED"}
    strips = {strip.name: strip for track in character.animation_data.nla_tracks for strip in track.strips}
    walk, between, proud = strips["Walk"], strips["Walk to Proud"], strips["Proud"]
    assert walk.frame_end == between.frame_start and between.frame_end == proud.frame_start
    assert bpy.data.actions["GenMM Walk"] == walk.action and proud.action != bpy.data.actions["GenMM Walk Proud"]
    there = hips(character, 1, int(proud.frame_end))
    kept = int(walk.frame_end)
    np.testing.assert_allclose(there[: min(kept, 220)], before[:kept], atol=1e-5)
    assert np.linalg.norm(np.diff(there, axis=0), axis=1).max() <= 1.5 * fastest
    assert largest_acceleration(there) <= 1.5 * largest_acceleration(before)
    assert np.linalg.norm(there[-1] - there[0]) > 1.5 * np.linalg.norm(before[-1] - before[0])


def test_strips_that_do_not_connect_are_left_unchanged(character: Object) -> None:
    strips = character.animation_data.nla_tracks[0].strips
    strips["Proud"].scale = 2.0
    actions = len(bpy.data.actions)
    for name, said in (("Walk", "No strip begins before"), ("Proud", "scaled")):
        with pytest.raises(RuntimeError, match=said):
            bpy.ops.genmm.connect_strips(strip=name)
    assert len(character.animation_data.nla_tracks) == 1 and len(bpy.data.actions) == actions


def largest_acceleration(places: np.ndarray) -> float:
    return float(np.linalg.norm(np.diff(places, 2, axis=0), axis=1).max())
