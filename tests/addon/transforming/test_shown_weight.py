# SPDX-License-Identifier: GPL-3.0-or-later
"""The center of mass in the viewport: it agrees with the pose, and is read once per change of the keys."""

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object

from genmm_addon.animation.actions import armature_slots, assign, assigned, fcurves_of
from genmm_addon.animation.rig import roots_to_world
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.editing.repairing.weight import WeightOverTime, read_weight
from genmm_addon.interface.repair import weight_drawing
from genmm_addon.interface.repair.weight_drawing import BALANCED, CROSS, TOPPLING, weight_lines

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def character() -> Object:
    bpy.context.scene.render.fps = 30
    sample = add_sample_character(bpy.context)
    assign(sample.armature, next(action for action in sample.actions if action.name.endswith("Walk")))
    bpy.context.view_layer.objects.active = sample.armature
    return sample.armature


def playing(character: Object) -> tuple[Action, str]:
    found = assigned(character)
    assert found is not None
    return found


def weight_of(character: Object) -> WeightOverTime:
    weight = read_weight(character, bpy.context.scene, *playing(character))
    assert weight is not None
    return weight


def test_the_center_is_inside_the_body_at_each_frame(character: Object) -> None:
    character.location = (1.0, 2.0, 0.5)
    weight = weight_of(character)
    bpy.context.view_layer.update()
    to_world = np.array(roots_to_world(character, with_object=False), np.float64)
    for frame in (1, 30, 77):
        bpy.context.scene.frame_set(frame)
        bpy.context.view_layer.update()
        center = to_world[:3, :3] @ weight.center[frame - 1] + to_world[:3, 3]
        heads = np.array([character.matrix_world @ bone.head for bone in character.pose.bones])
        assert (center > heads.min(axis=0) - 0.2).all() and (center < heads.max(axis=0) + 0.2).all()
        assert np.linalg.norm(center - heads.mean(axis=0)) < 0.3 * weight.skeleton.size


def test_the_lines_are_those_of_the_frame_and_red_outside_of_the_support(character: Object) -> None:
    weight = weight_of(character)
    identity = np.eye(4)
    frames = {TOPPLING: int(np.nanargmax(weight.outside)), BALANCED: int(np.nanargmin(weight.outside))}
    assert weight.outside[frames[TOPPLING]] > 0 > weight.outside[frames[BALANCED]]
    for color, frame in frames.items():
        lines = weight_lines(weight, weight.first + frame, identity)
        shown = lines.points[np.isclose(lines.colors, color).all(axis=1)]
        other = TOPPLING if color is BALANCED else BALANCED
        assert len(shown) > 8 and not np.isclose(lines.colors, other).all(axis=1).any()
        assert np.allclose(shown[:, 2], weight.support.level, atol=1e-5)
        middle = np.append(weight.ahead[frame, :2], weight.support.level)
        away = np.linalg.norm(shown - middle, axis=1)
        assert np.isclose(away, CROSS * weight.skeleton.size, atol=1e-5).sum() >= 4
    before, after = (weight_lines(weight, frame, identity).points for frame in (-1000.0, weight.first))
    assert np.array_equal(before, after)


def test_weight_is_read_again_only_after_the_keys_have_changed(character: Object) -> None:
    scene, (action, slot) = bpy.context.scene, playing(character)
    first = weight_drawing.known_weight(character, scene, action, slot)
    assert first is not None and weight_drawing.known_weight(character, scene, action, slot) is first
    for curve in fcurves_of(action, armature_slots(action)[0]):
        if "location" in curve.data_path and curve.array_index == 1:
            for key in curve.keyframe_points:
                key.co.y += 0.1
            curve.update()
    second = weight_drawing.known_weight(character, scene, action, slot)
    assert second is not None and not np.allclose(second.center, first.center)


def test_an_action_that_cannot_be_read_and_a_creature_without_feet_draw_what_there_is(character: Object) -> None:
    empty = bpy.data.actions.new("Empty")
    assert read_weight(character, bpy.context.scene, empty, "") is None
    bpy.ops.object.armature_add()
    floating = bpy.context.object
    for frame in range(1, 41):
        floating.pose.bones[0].location = (0.0, 0.0, 0.1 * np.sin(frame))
        floating.pose.bones[0].keyframe_insert("location", frame=frame)
    weight = weight_of(floating)
    assert np.isnan(weight.outside).all() and weight.arcs == ()
    assert np.isfinite(weight_lines(weight, 5.0, np.eye(4)).points).all()
