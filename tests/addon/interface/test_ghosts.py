# SPDX-License-Identifier: GPL-3.0-or-later
"""Ghosts: they are where the character was when it was pinned, and the current one is highlighted."""

import bpy
import numpy as np
import pytest
from bpy.types import Object
from characters import BONES, make_character
from interface import select

from genmm_addon.animation import actions
from genmm_addon.animation.pins.action import PinnedPoses, pinned_poses
from genmm_addon.interface.common.motion_ghosts import ghost_of
from genmm_addon.interface.pins import drawing as pins_drawing
from genmm_addon.interface.pins import ghosts
from genmm_addon.interface.pins.ghosts import MOST_GHOSTS, PLACED, POSED, nearest_pins, plan_ghosts
from genmm_addon.interface.pins.shown import ShownPin

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def rig() -> Object:
    armature = make_character().armature
    select(armature)
    return armature


def pin_at(rig: Object, *frames: int, **values: object) -> None:
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        bpy.ops.genmm.pin_pose(**values)


def poses_of(rig: Object) -> PinnedPoses:
    return pinned_poses(rig, rig.genmm.pins_action, actions.assigned(rig))


def bone_heads(rig: Object, frame: int) -> np.ndarray:
    bpy.context.scene.frame_set(frame)
    return np.array([rig.pose.bones[name].head for name in BONES])


def chain(
    pins: int, *, pinned: tuple[bool, ...] = (True, True, True), hangs: tuple[bool, ...] = (True,) * 3
) -> PinnedPoses:
    """Return three bones in a chain, with a row of pins at frames 10, 20, and so on."""
    heads = np.zeros((pins, 3, 3))
    heads[:, :, 2] = np.arange(3)
    heads[:, :, 0] = np.arange(pins)[:, None]
    tails = heads + np.array([0, 0, 0.5])
    frames = 10 * np.arange(1, pins + 1)
    return PinnedPoses(
        frames, heads, tails, np.tile(pinned, (pins, 1)), np.array([-1, 0, 1]), np.array(hangs), with_object=False
    )


def test_joints_are_where_blender_posed_them(rig: Object) -> None:
    pin_at(rig, 7, 30, place=True)
    poses = poses_of(rig)
    assert poses.frames.tolist() == [7, 30]
    for number, frame in enumerate((7, 30)):
        np.testing.assert_allclose(poses.heads[number], bone_heads(rig, frame), atol=1e-5)
        tails = np.array([rig.pose.bones[name].tail for name in BONES])
        np.testing.assert_allclose(poses.tails[number], tails, atol=1e-5)


def test_ghosts_take_free_bones_from_the_action_of_the_character(rig: Object) -> None:
    bpy.context.scene.frame_set(7)
    bpy.ops.genmm.pin_range(start=7, end=7, shift=23)
    for curve in list(actions.fcurves_of(rig.genmm.pins_action)):
        if "hand" not in curve.data_path:
            actions.curve_factory(rig.genmm.pins_action).fcurves.remove(curve)
    poses = poses_of(rig)
    np.testing.assert_allclose(poses.heads[0], bone_heads(rig, 30), atol=1e-5)
    assert poses.pinned.tolist() == [[False, False, True]]


def test_a_moved_object_moves_its_ghosts(rig: Object) -> None:
    pin_at(rig, 7, place=True)
    before = ghosts.ghosts_of(bpy.context, rig)
    rig.location = 5, 0, 0
    bpy.context.view_layer.update()
    after = ghosts.ghosts_of(bpy.context, rig)
    np.testing.assert_allclose(after.points - before.points, np.tile([5, 0, 0], (len(before.points), 1)), atol=1e-5)


def test_an_animated_object_does_not_carry_its_ghosts_along(rig: Object) -> None:
    action, slot = actions.assigned(rig)
    curve = actions.curve_factory(action, slot).new("location", 0)
    curve.keyframe_points.insert(1, 0.0)
    curve.keyframe_points.insert(40, 39.0)
    pin_at(rig, 7, place=True)
    before = ghosts.ghosts_of(bpy.context, rig)
    bpy.context.scene.frame_set(33)
    after = ghosts.ghosts_of(bpy.context, rig)
    np.testing.assert_allclose(after.points, before.points, atol=1e-4)


def test_a_moved_key_moves_the_ghosts_frame(rig: Object) -> None:
    pin_at(rig, 7)
    bpy.context.scene.frame_set(15)
    faint = ghosts.ghosts_of(bpy.context, rig).colors[0, 3]
    for curve in actions.fcurves_of(rig.genmm.pins_action):
        curve.keyframe_points[0].co.x = 15
    assert ghosts.ghosts_of(bpy.context, rig).colors[0, 3] > faint


def test_nothing_is_shown_without_pins(rig: Object) -> None:
    assert ghosts.ghosts_of(bpy.context, rig) is None


def test_lines_run_from_joint_to_joint_and_to_the_last_ones_end() -> None:
    lines = ghost_of(chain(1), 0).reshape(-1, 2, 3)
    assert sorted(lines[:, :, 2].tolist()) == [[0, 1], [1, 2], [2, 2.5]]


def test_bones_that_are_free_are_not_drawn() -> None:
    lines = ghost_of(chain(1, pinned=(False, True, False)), 0).reshape(-1, 2, 3)
    assert lines[:, :, 2].tolist() == [[1, 2]]


def test_bones_detached_from_their_parent_get_no_line() -> None:
    lines = ghost_of(chain(1, hangs=(True, True, False)), 0).reshape(-1, 2, 3)
    assert sorted(lines[:, :, 2].tolist()) == [[0, 1], [1, 1.5], [2, 2.5]]


def test_the_current_pose_is_the_brightest_and_the_others_fade_with_time() -> None:
    lines = plan_ghosts(chain(3), np.array([True, False, False]), 10)
    by_pin = {int(point[0]): color for point, color in zip(lines.points, lines.colors, strict=True)}
    assert by_pin[0][3] == ghosts.CURRENT > by_pin[1][3] > by_pin[2][3] > 0
    np.testing.assert_allclose(by_pin[0][:3], PLACED, atol=1e-6)
    np.testing.assert_allclose(by_pin[1][:3], POSED, atol=1e-6)


def test_of_many_pins_the_nearest_are_shown() -> None:
    frames = 10 * np.arange(1, 101)
    chosen = nearest_pins(frames, 500)
    assert len(chosen) == MOST_GHOSTS and chosen[0] == 49
    assert np.abs(frames[chosen] - 500).max() <= 10 * MOST_GHOSTS / 2
    lines = plan_ghosts(chain(100), np.zeros(100, bool), 500)
    assert len(lines.points) == MOST_GHOSTS * 3 * 2


def test_no_pins_make_no_lines() -> None:
    lines = plan_ghosts(chain(0), np.zeros(0, bool), 1)
    assert len(lines.points) == len(lines.colors) == 0


def test_diamonds_lie_at_their_frames() -> None:
    pins = (ShownPin(10, 3, True), ShownPin(20, 3, False))
    corners = pins_drawing.diamonds(pins, 100.0, 4.0, 30.0, 5.0).reshape(2, 6, 2)
    np.testing.assert_allclose(corners.mean(axis=1), [[140, 30], [180, 30]], atol=1e-4)
    assert np.ptp(corners[0], axis=0).tolist() == [10, 10]
    colors = pins_drawing.colors_of(pins, used=False).reshape(2, 6, 4)
    assert np.all(colors[..., 3] < 1) and not np.allclose(colors[0], colors[1])
