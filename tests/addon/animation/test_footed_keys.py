# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplified keys where feet land and lift off, at holds, and with feet that keep their places."""

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from interface import play, select

from genmm_addon.animation.actions import assigned, fcurves_of
from genmm_addon.animation.curves import key_values
from genmm_addon.animation.keys.footing import largest_miss, motion_shown
from genmm_addon.animation.keys.simplification import KeySpacing
from genmm_addon.animation.reading.example_spec import ExampleSpec
from genmm_addon.character.sample.sample_character import SampleCharacter, add_sample_character
from genmm_addon.core import Motion
from genmm_addon.core.feet import contact_changes, find_feet
from genmm_addon.generation.generate import generate
from genmm_addon.generation.request import Request

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def sample() -> SampleCharacter:
    bpy.context.scene.render.fps = 30
    return add_sample_character(bpy.context)


def walk_of(sample: SampleCharacter) -> Action:
    walk = next(action for action in sample.actions if action.name.endswith("Walk"))
    play(sample.armature, walk)
    select(sample.armature)
    return walk


def shown(rig: Object, action: Action) -> Motion:
    first, last = float(action.frame_range[0]), float(action.frame_range[1])
    return motion_shown(rig, action, "", np.arange(first, last + 1.0))


def keyed_frames(action: Action) -> set[int]:
    return {round(point.co.x) for curve in fcurves_of(action) for point in curve.keyframe_points}


@pytest.mark.parametrize("precision", [1.0, 3.0])
@pytest.mark.parametrize("spacing", ["SHARED", "PER_BONE"])
def test_feet_stay_at_their_places_within_the_offset(sample: SampleCharacter, spacing: str, precision: float) -> None:
    walk = walk_of(sample)
    before = shown(sample.armature, walk)
    assert bpy.ops.genmm.simplify_keys(spacing=spacing, degrees=precision, percent=precision) == {"FINISHED"}
    after = shown(sample.armature, walk)
    feet = [foot.joint for foot in find_feet([before])]
    assert len(feet) == 2 and largest_miss(before, after, feet) <= precision / 100.0


def test_contacts_begin_and_end_at_keys(sample: SampleCharacter) -> None:
    walk = walk_of(sample)
    start = walk.frame_range[0]
    changes = set((np.flatnonzero(contact_changes(shown(sample.armature, walk))) + start).astype(int).tolist())
    assert len(changes) > 4
    bpy.ops.genmm.simplify_keys(spacing="SHARED", degrees=2.0, percent=2.0)
    assert changes <= keyed_frames(walk)


def test_a_held_pose_has_two_stepped_keys(sample: SampleCharacter) -> None:
    walk, rig = walk_of(sample), sample.armature
    first, last = (int(frame) for frame in walk.frame_range)
    middle = (first + last) // 2
    for curve in fcurves_of(walk):
        value = curve.evaluate(middle)
        for point in curve.keyframe_points:
            if middle <= point.co.x:
                point.co.y = value
        for frame in range(last + 1, last + 40):
            curve.keyframe_points.insert(frame, value, options={"FAST"})
        curve.update()
    before = shown(rig, walk)
    assert bpy.ops.genmm.simplify_keys(spacing="SHARED", degrees=1.0, percent=1.0) == {"FINISHED"}
    assert len([frame for frame in keyed_frames(walk) if frame > middle + 2]) == 1
    moving = [curve for curve in fcurves_of(walk) if np.ptp([point.co.y for point in curve.keyframe_points]) > 0]
    assert moving and all(curve.keyframe_points[-2].interpolation == "CONSTANT" for curve in moving)
    assert largest_miss(before, shown(rig, walk), range(len(before.skeleton.names))) < 0.05


@pytest.mark.parametrize("spacing", [KeySpacing.SHARED, KeySpacing.PER_BONE])
def test_a_new_motion_with_few_keys_keeps_its_feet(sample: SampleCharacter, spacing: KeySpacing) -> None:
    walk = walk_of(sample)
    motions = []
    for keys in (KeySpacing.EVERY_FRAME, spacing):
        request = Request(
            sample.armature,
            (ExampleSpec(walk),),
            frames=90,
            key_spacing=keys,
            key_error_degrees=2.0,
            key_error_percent=1.0,
        )
        character = generate(bpy.context, request)[0].object
        playing = assigned(character)
        assert playing is not None
        motions.append(shown(character, playing[0]))
    feet = [foot.joint for foot in find_feet(motions[:1])]
    assert feet and largest_miss(motions[0], motions[1], feet) <= 0.0101


def test_undo_brings_every_key_back(sample: SampleCharacter) -> None:
    walk = walk_of(sample)
    name, before = walk.name, keyed_frames(walk)
    locked = fcurves_of(walk)[0]
    locked.lock = True
    kept = key_values(locked).tolist()
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.genmm.simplify_keys(spacing="SHARED") == {"FINISHED"}
    assert key_values(locked).tolist() == kept
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert keyed_frames(bpy.data.actions[name]) == before


def test_an_action_in_tweak_mode_keeps_its_feet(sample: SampleCharacter) -> None:
    walk, rig = walk_of(sample), sample.armature
    before = shown(rig, walk)
    data = rig.animation_data
    strip = data.nla_tracks.new().strips.new("Walk", 1, walk)
    data.action = None
    data.nla_tracks[0].select = strip.select = True
    data.use_tweak_mode = True
    assert data.use_tweak_mode and data.action == walk
    assert bpy.ops.genmm.simplify_keys(spacing="SHARED", degrees=3.0, percent=1.0) == {"FINISHED"}
    data.use_tweak_mode = False
    feet = [foot.joint for foot in find_feet([before])]
    assert largest_miss(before, shown(rig, walk), feet) <= 0.01
