# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces in restyled, blended and edited actions: they follow the body's moments, and nothing else changes."""

from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import ID, Object
from characters import action_of, make_body, walking_sample
from rigs import key

from genmm_addon.animation import actions
from genmm_addon.animation.actions import assign, fcurves_of
from genmm_addon.animation.mesh_channels.playing import play, played

pytestmark = [pytest.mark.usefixtures("extension"), pytest.mark.slow]

WALK, TIRED = "GenMM Walk", "GenMM Walk Tired"
SMILE = 'key_blocks["Smile"].value'
SLOTS = "layers" in bpy.types.Action.bl_rna.properties


@pytest.fixture
def character() -> Object:
    return walking_sample()


@pytest.fixture
def face(character: Object) -> ID:
    """Add shape keys to the sample: a smile that grows evenly over the walk, so that its value gives the moment."""
    body = make_body(character, "Head")
    for name in ("Basis", "Smile"):
        body.shape_key_add(name=name)
    keys: ID = body.data.shape_keys
    action, slot = actions.new_action_for("Smiling", "KEY", keys.name)
    key(action, slot, SMILE, 0, [(1, 0.0), (301, 1.0)])
    for curve in fcurves_of(action, slot):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    play(keys, action, slot)
    return keys


def smile(keys: Any, frames: range) -> np.ndarray:
    """Return the values that play at the frames."""
    own = played(keys)
    assert own is not None
    (curve,) = (curve for curve in fcurves_of(*own) if curve.data_path == SMILE)
    return np.array([curve.evaluate(frame) for frame in frames])


def lowest_feet(character: Object, frames: range) -> np.ndarray:
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append([character.pose.bones[name].head.z for name in ("Foot.L", "Foot.R")])
    return np.array(found)


def test_a_face_lasts_as_long_as_the_body_at_the_tempo_of_a_style(character: Object, face: ID) -> None:
    assert bpy.ops.genmm.restyle(other_action=TIRED, keep_timing=False) == {"FINISHED"}
    last = round(action_of(character).frame_range[1])
    assert last > 306
    shown = smile(face, range(1, last + 1))
    assert shown[0] == pytest.approx(0.0, abs=1e-4) and shown[-1] == pytest.approx(1.0, abs=1e-4)
    assert (np.diff(shown) > 0).all()
    # The old action keeps its face and stays in the file.
    assert bpy.data.actions["Smiling"].use_fake_user


def test_a_face_in_a_blend_shows_the_moments_of_the_feet(character: Object, face: ID) -> None:
    assert bpy.ops.genmm.blend_action(other_action=TIRED, share=1.0) == {"FINISHED"}
    last = round(action_of(character).frame_range[1])
    moments = 1 + 300 * smile(face, range(1, last + 1))
    after = lowest_feet(character, range(1, last + 1))
    assign(character, bpy.data.actions[WALK])
    before = lowest_feet(character, range(1, 302))
    lifted = [before[:, foot] - before.min() for foot in range(2)]
    for foot in range(2):
        there = np.interp(moments, np.arange(1, 302), lifted[foot])
        here = after[:, foot] - after.min()
        kept = np.corrcoef(there, here)[0, 1]
        untimed = np.corrcoef(lifted[foot][:last], here[: len(lifted[foot])][:last])[0, 1]
        assert kept > 0.8 and kept > untimed + 0.1


def test_a_face_that_keeps_its_time_is_not_touched(character: Object, face: ID) -> None:
    before = played(face)
    assert bpy.ops.genmm.restyle(other_action=TIRED) == {"FINISHED"}
    assert played(face) == before


def test_an_edit_of_an_edit_takes_the_face_along(character: Object, face: ID) -> None:
    for _ in range(2):
        assert bpy.ops.genmm.edit_attributes(other_action=TIRED, attributes="speed=0.95x") == {"FINISHED"}
    last = round(action_of(character).frame_range[1])
    shown = smile(face, range(1, last + 1))
    assert last > 301 and shown[-1] == pytest.approx(1.0, abs=1e-2) and (np.diff(shown) > 0).all()


@pytest.mark.skipif(not SLOTS, reason="actions have no slots before Blender 4.4")
def test_face_in_a_slot_of_the_body_action_is_transformed_too(character: Object, face: ID) -> None:
    action: Any = action_of(character)
    slot = action.slots.new(id_type="KEY", name=face.name).identifier
    key(action, slot, SMILE, 0, [(1, 0.0), (301, 1.0)])
    play(face, action, slot)
    assert bpy.ops.genmm.restyle(other_action=TIRED, keep_timing=False) == {"FINISHED"}
    made: Any = action_of(character)
    own = played(face)
    assert own is not None and own[0] == made
    assert [one.target_id_type for one in made.slots].count("KEY") == 1
    last = round(max(curve.keyframe_points[-1].co.x for curve in fcurves_of(*own)))
    assert last == round(max(curve.keyframe_points[-1].co.x for curve in fcurves_of(made, made.slots[0].identifier)))
