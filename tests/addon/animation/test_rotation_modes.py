# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotation modes mean what Blender means by them, and never flip from frame to frame."""

import itertools
import math

import numpy as np
import pytest
from mathutils import Euler, Quaternion

from genmm_addon.animation.rotation_modes import AXIS_ANGLE, EULER_ORDERS, QUATERNION, from_quaternions, to_quaternions
from genmm_addon.core import rotations

MODES = (QUATERNION, AXIS_ANGLE, *EULER_ORDERS)


def tumbling(frames: int = 400, bones: int = 8) -> np.ndarray:
    """Return smooth rotations `(T, B, 4)` that turn through every orientation, with random signs."""
    random = np.random.default_rng(5)
    axes = random.normal(size=(2, bones, 3))
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    steps, wobble = rotations.from_axis_angle(axes, np.full((2, bones), [[0.1], [0.07]]))
    poses = [np.tile([1.0, 0, 0, 0], (bones, 1))]
    for _ in range(frames - 1):
        poses.append(rotations.multiply(steps, rotations.multiply(poses[-1], wobble)))
    return np.asarray(np.array(poses) * random.choice([-1.0, 1.0], size=(frames, bones, 1)))


def difference(left: np.ndarray, right: np.ndarray) -> float:
    return float(rotations.angle_between(left, right).max())


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_euler_angles_turn_as_blender_turns(order: str) -> None:
    angles = np.random.default_rng(1).uniform(-9, 9, (50, 3))
    expected = np.array([Euler(row, order).to_quaternion() for row in angles.tolist()])
    assert difference(to_quaternions(order, angles), expected) < 1e-5


def test_an_axis_of_any_length_turns_as_blender_turns() -> None:
    values = np.random.default_rng(2).uniform(-5, 5, (50, 4))
    expected = np.array([Quaternion(row[1:], row[0]) for row in values.tolist()])
    assert difference(to_quaternions(AXIS_ANGLE, values), expected) < 1e-5


def test_axis_angle_without_an_axis_means_no_rotation() -> None:
    assert to_quaternions(AXIS_ANGLE, np.array([2.0, 0, 0, 0])).tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("mode", MODES)
def test_nan_values_stay_nan(mode: str) -> None:
    values = np.ones((2, 4 if mode in (QUATERNION, AXIS_ANGLE) else 3))
    values[1, 0] = np.nan
    result = to_quaternions(mode, values)
    assert np.isfinite(result[0]).all()
    assert np.isnan(result[1]).any()


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_gives_the_rotation_back(mode: str) -> None:
    quaternions = tumbling()
    assert difference(to_quaternions(mode, from_quaternions(mode, quaternions)), quaternions) < 1e-6


@pytest.mark.parametrize("mode", [QUATERNION, AXIS_ANGLE])
def test_rotations_with_an_axis_never_flip(mode: str) -> None:
    values = from_quaternions(mode, tumbling())
    turns = np.abs(np.diff(values, axis=0))
    assert turns.max() < 0.6  # a step turns 0.17; the axis moves faster where the angle is small
    assert np.abs(np.diff(values[..., 0], axis=0)).max() < 0.2


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_no_equivalent_euler_angles_are_nearer_to_the_frame_before(order: str) -> None:
    angles = from_quaternions(order, tumbling())
    middle = "XYZ".index(order[1])
    other = angles + math.pi
    other[..., middle] = math.pi - angles[..., middle]
    before = angles[:-1]
    chosen = np.linalg.norm(angles[1:] - before, axis=-1)
    for candidate in (angles[1:], other[1:]):
        wrapped = candidate - before
        wrapped -= 2 * np.pi * np.round(wrapped / (2 * np.pi))
        assert np.all(chosen <= np.linalg.norm(wrapped, axis=-1) + 1e-9)


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_euler_angles_of_a_motion_that_stays_clear_of_gimbal_lock_come_back_unchanged(order: str) -> None:
    frames = np.linspace(0, 6, 200)[:, None]
    middle = "XYZ".index(order[1])
    angles = np.stack((3 * np.sin(frames), 2 * frames, -1.5 * frames), axis=-1)
    angles[..., [middle, 0]] = angles[..., [0, middle]]
    angles[..., middle] = np.sin(frames)
    again = from_quaternions(order, to_quaternions(order, angles))
    assert np.abs(again - angles).max() < 1e-9


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_a_wheel_turns_about_one_axis_wherever_its_motion_begins(order: str) -> None:
    for axis, start in itertools.product(range(3), np.linspace(-3, 3, 9)):
        angles = np.zeros((50, 1, 3))
        angles[:, 0, axis] = start + 0.3 * np.arange(50)
        assert np.abs(from_quaternions(order, to_quaternions(order, angles)) - angles).max() < 1e-6


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("order", EULER_ORDERS)
def test_passing_through_gimbal_lock_keeps_the_outer_angles(order: str, sign: int) -> None:
    angles = np.zeros((21, 1, 3))
    first, middle, last = ("XYZ".index(axis) for axis in order)
    angles[..., first], angles[..., last] = 0.7, -0.4
    angles[:, 0, middle] = sign * (math.pi / 2 + np.linspace(-0.5, 0.5, 21))
    again = from_quaternions(order, to_quaternions(order, angles))
    assert np.abs(again - angles).max() < 1e-6


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_resting_in_gimbal_lock_is_exact(order: str) -> None:
    angles = np.tile(np.array([0.3, 0.3, 0.3]), (5, 1, 1))
    angles[..., "XYZ".index(order[1])] = -math.pi / 2
    quaternions = to_quaternions(order, angles)
    result = from_quaternions(order, quaternions)
    assert difference(to_quaternions(order, result), quaternions) < 1e-6
    assert np.abs(np.diff(result, axis=0)).max() < 1e-9


def test_a_rotation_by_nothing_keeps_the_axis_of_its_neighbors() -> None:
    angles = np.linspace(-1, 1, 21)
    quaternions = rotations.from_axis_angle(np.array([0.0, 0.6, 0.8]), angles)[:, None]
    result = from_quaternions(AXIS_ANGLE, quaternions)
    assert np.abs(np.diff(result[..., 1:], axis=0)).max() < 1e-9
    assert np.allclose(np.abs(np.diff(result[:, 0, 0])), 0.1)


@pytest.mark.parametrize("mode", MODES)
def test_one_frame_is_enough(mode: str) -> None:
    quaternions = tumbling(frames=1)
    assert difference(to_quaternions(mode, from_quaternions(mode, quaternions)), quaternions) < 1e-6
