# SPDX-License-Identifier: GPL-3.0-or-later
"""Representations of rotations that agree, and smooth rotation the short way."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from genmm_addon.core import rotations

few = settings(max_examples=40, deadline=None)
components = st.floats(-1, 1, width=32)
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


@st.composite
def unit_quaternions(draw: st.DrawFn, count: int = 4) -> np.ndarray:
    values = draw(arrays.arrays(np.float64, (count, 4), elements=components))
    assume(np.all(np.linalg.norm(values, axis=-1) > 0.1))
    return np.asarray(values / np.linalg.norm(values, axis=-1, keepdims=True))


vectors = arrays.arrays(np.float64, (4, 3), elements=st.floats(-10, 10))


@few
@given(rotation=unit_quaternions())
def test_a_matrix_and_back_is_the_same_rotation(rotation: np.ndarray) -> None:
    again = rotations.from_matrix(rotations.to_matrix(rotation))
    assert rotations.angle_between(rotation, again) == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0.8, 0), (0, -0.6, 0.8)])
def test_a_half_turn_survives_its_matrix(axis: tuple[float, float, float]) -> None:
    half_turn = rotations.from_axis_angle(np.array(axis, float), np.array(np.pi))
    again = rotations.from_matrix(rotations.to_matrix(half_turn))
    assert rotations.angle_between(half_turn, again) == pytest.approx(0, abs=1e-7)


@few
@given(rotation=unit_quaternions())
def test_six_dimensions_and_back_are_the_same_rotation(rotation: np.ndarray) -> None:
    again = rotations.from_6d(rotations.to_6d(rotation))
    assert rotations.angle_between(rotation, again) == pytest.approx(0, abs=1e-7)


@few
@given(rotation=unit_quaternions(), scale=st.floats(0.1, 10))
def test_six_dimensions_tell_a_rotation_at_any_scale(rotation: np.ndarray, scale: float) -> None:
    again = rotations.from_6d(scale * rotations.to_6d(rotation))
    assert rotations.angle_between(rotation, again) == pytest.approx(0, abs=1e-7)


@few
@given(rotation=unit_quaternions(), vector=vectors)
def test_a_matrix_turns_column_vectors_as_the_quaternion_does(rotation: np.ndarray, vector: np.ndarray) -> None:
    by_matrix = np.einsum("nab,nb->na", rotations.to_matrix(rotation), vector)
    assert rotations.rotate(rotation, vector) == pytest.approx(by_matrix, abs=1e-9)


@few
@given(left=unit_quaternions(), right=unit_quaternions(), vector=vectors)
def test_a_product_turns_by_the_right_one_first(left: np.ndarray, right: np.ndarray, vector: np.ndarray) -> None:
    in_turn = rotations.rotate(left, rotations.rotate(right, vector))
    assert rotations.rotate(rotations.multiply(left, right), vector) == pytest.approx(in_turn, abs=1e-9)


@few
@given(rotation=unit_quaternions())
def test_the_inverse_undoes_a_rotation(rotation: np.ndarray) -> None:
    undone = rotations.multiply(rotations.inverse(rotation), rotation)
    assert undone == pytest.approx(np.broadcast_to(IDENTITY, undone.shape), abs=1e-12)


@few
@given(left=unit_quaternions(), right=unit_quaternions())
def test_the_angle_between_does_not_see_the_sign(left: np.ndarray, right: np.ndarray) -> None:
    angle = rotations.angle_between(left, right)
    assert np.all((angle >= 0) & (angle <= np.pi + 1e-12))
    assert rotations.angle_between(-left, right) == pytest.approx(angle)
    assert rotations.angle_between(right, left) == pytest.approx(angle)


@pytest.mark.parametrize("angle", [1e-6, 1e-3, 0.5, 3.0])
def test_the_angle_between_is_exact_for_small_angles_too(angle: float) -> None:
    start = rotations.from_axis_angle(np.array([0.0, 0.6, 0.8]), np.array(0.4))
    end = rotations.multiply(start, rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.array(angle)))
    assert rotations.angle_between(start, end) == pytest.approx(angle, rel=1e-6)


@few
@given(start=unit_quaternions(), end=unit_quaternions(), weight=st.floats(0, 1))
def test_part_of_the_way_turns_by_that_share_of_the_angle(start: np.ndarray, end: np.ndarray, weight: float) -> None:
    between = rotations.slerp(start, end, np.full(len(start), weight))
    whole = rotations.angle_between(start, end)
    assert np.linalg.norm(between, axis=-1) == pytest.approx(1)
    assert rotations.angle_between(start, between) == pytest.approx(weight * whole, abs=1e-6)
    assert rotations.angle_between(between, end) == pytest.approx((1 - weight) * whole, abs=1e-6)


@few
@given(start=unit_quaternions(), end=unit_quaternions())
def test_slerp_takes_the_short_way_regardless_of_signs(start: np.ndarray, end: np.ndarray) -> None:
    assume(np.all(np.abs(np.sum(start * end, axis=-1)) > 1e-6))
    half = np.full(len(start), 0.5)
    same = rotations.slerp(start, end, half)
    assert rotations.angle_between(same, rotations.slerp(start, -end, half)) == pytest.approx(0, abs=1e-6)


@few
@given(rotation=unit_quaternions(12), signs=st.lists(st.sampled_from([-1.0, 1.0]), min_size=12, max_size=12))
def test_made_continuous_neighbors_never_oppose_and_rotations_stay(rotation: np.ndarray, signs: list[float]) -> None:
    flipped = rotation * np.array(signs)[:, None]
    smooth = rotations.make_continuous(flipped)
    assert np.all(np.sum(smooth[1:] * smooth[:-1], axis=-1) >= 0)
    assert np.array_equal(np.abs(smooth), np.abs(flipped))
    assert np.array_equal(smooth[0], flipped[0])


def test_each_joint_is_made_continuous_separately() -> None:
    signs = np.array([[1, 1], [1, -1], [-1, -1], [1, 1]], float)
    smooth = rotations.make_continuous(signs[..., None] * IDENTITY)
    assert np.array_equal(smooth, np.broadcast_to(IDENTITY, (4, 2, 4)))


@pytest.mark.parametrize("in_place", [False, True])
def test_long_motions_are_made_continuous_across_blocks(in_place: bool) -> None:
    random = np.random.default_rng(3)
    smooth = rotations.make_continuous(rotations.normalize(np.cumsum(random.normal(size=(1200, 3, 4)), axis=0)))
    flipped = smooth * random.choice([-1.0, 1.0], (1200, 3, 1))
    flipped[0] = smooth[0]
    given = flipped.copy()
    result = rotations.make_continuous(flipped, in_place=in_place)
    assert np.array_equal(result, smooth)
    assert (result is flipped) == in_place
    assert in_place or np.array_equal(flipped, given)


def test_one_frame_is_continuous_already() -> None:
    assert np.array_equal(rotations.make_continuous(-IDENTITY[None]), -IDENTITY[None])


@few
@given(rotation=unit_quaternions())
def test_a_rotation_is_its_twist_and_a_swing_about_no_part_of_the_axis(rotation: np.ndarray) -> None:
    axis = np.array([0.0, 0.6, 0.8])
    assume(np.all(np.hypot(rotation[:, 0], rotation[:, 1:] @ axis) > 1e-3))
    twist = rotations.twist_about(rotation, axis)
    swing = rotations.multiply(rotation, rotations.inverse(twist))
    assert np.cross(twist[:, 1:], axis) == pytest.approx(0, abs=1e-9)
    assert swing[:, 1:] @ axis == pytest.approx(0, abs=1e-9)


def test_a_zero_quaternion_becomes_the_identity() -> None:
    assert np.array_equal(rotations.normalize(np.zeros((2, 4))), np.stack((IDENTITY, IDENTITY)))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_floating_point_precision_is_preserved(kind: type[np.float32 | np.float64]) -> None:
    rotation: NDArray[np.floating] = np.tile(IDENTITY, (3, 1)).astype(kind)
    results = (
        rotations.normalize(rotation),
        rotations.multiply(rotation, rotation),
        rotations.inverse(rotation),
        rotations.rotate(rotation, rotation[:, :3]),
        rotations.to_matrix(rotation),
        rotations.from_matrix(rotations.to_matrix(rotation)),
        rotations.to_6d(rotation),
        rotations.from_6d(rotations.to_6d(rotation)),
        rotations.slerp(rotation, rotation, np.ones(3, kind)),
        rotations.make_continuous(rotation),
        rotations.twist_about(rotation, np.array([0, 0, 1], kind)),
    )
    assert {result.dtype for result in results} == {np.dtype(kind)}
