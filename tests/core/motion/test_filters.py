# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters: smooth steps, wrapped angles, Gaussians, and values that they leave unchanged."""

import numpy as np
import pytest

from genmm_addon.core.motion.filters import (
    SMOOTHSTEP_SLOPE,
    gaussian,
    smooth,
    smooth_beside,
    smooth_line,
    smoothstep,
    wrap_angle,
)


def test_a_wrapped_angle_differs_by_whole_turns_and_lies_within_half_a_turn() -> None:
    angles = np.linspace(-20, 20, 401)
    wrapped = wrap_angle(angles)
    turns = (angles - wrapped) / (2 * np.pi)
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-12)
    assert wrapped.min() >= -np.pi
    assert wrapped.max() < np.pi
    assert wrap_angle(3 * np.pi) == pytest.approx(-np.pi)
    assert wrap_angle(wrapped.astype(np.float32)).dtype == np.float32


def test_a_smooth_step_rises_from_nothing_to_all_with_level_ends() -> None:
    share = np.linspace(0, 1, 1001)
    step = smoothstep(share)
    slope = np.diff(step) * 1000
    assert (step[0], step[500], step[-1]) == (0, 0.5, 1)
    assert (slope > 0).all()
    assert slope[0] < 0.01
    assert slope.max() == pytest.approx(SMOOTHSTEP_SLOPE, abs=1e-5)
    np.testing.assert_allclose(step + step[::-1], 1, atol=1e-12)


def test_a_gaussian_sums_to_one_and_has_its_deviation() -> None:
    weights, at = gaussian(50, 7.0), np.arange(-50, 51)
    assert weights.sum() == pytest.approx(1)
    assert np.sqrt((weights * at**2).sum()) == pytest.approx(7.0, rel=1e-6)


def test_smoothing_preserves_constants_and_straight_lines() -> None:
    constant, line = np.tile([1.0, 2.0, 3.0], (40, 1)), np.stack((np.arange(40.0), 3 - np.arange(40.0)), axis=1)
    np.testing.assert_allclose(smooth(constant, 0.2, 30), constant)
    np.testing.assert_allclose(smooth_line(line, 4.0), line, atol=1e-9)


def test_smoothing_beside_fixed_frames_keeps_them_and_leads_up_to_them() -> None:
    frames = np.arange(60)
    values = np.where(frames < 30, 0.0, 1.0)[:, None] * np.array([1.0, -2.0])
    weights = np.minimum(np.abs(frames - 31) / 8.0, 1.0)
    smoothed = smooth_beside(values, 0.1, 30, weights)
    np.testing.assert_allclose(smoothed[31], values[31])
    assert np.abs(np.diff(smoothed, axis=0)).max() < 0.5 * np.abs(np.diff(values, axis=0)).max()
    np.testing.assert_array_equal(smooth_beside(values, 0.1, 30, np.ones(60)), smooth(values, 0.1, 30))


def test_smoothing_a_loop_knows_no_seam() -> None:
    around = np.sin(np.arange(60) * 2 * np.pi / 60) + np.arange(60) * 0.1
    smoothed = smooth_line(around, 3.0, 6.0)
    later = smooth_line(np.append(around[20:], around[:20] + 6.0), 3.0, 6.0)
    np.testing.assert_allclose(later, np.append(smoothed[20:], smoothed[:20] + 6.0), atol=1e-12)


def test_smoothing_is_a_convolution_to_the_last_bit() -> None:
    values = np.random.default_rng(0).normal(size=(50, 4))
    for width in (1, 2, 6):
        bell = gaussian(2 * width, width)
        padded = np.pad(values, ((2 * width, 2 * width), (0, 0)), mode="edge")
        expected = np.stack([np.convolve(column, bell, "valid") for column in padded.T], axis=1)
        assert np.array_equal(smooth(values, width / 30.0, 30.0), expected)
        assert np.array_equal(
            smooth_line(values[:, 0], width)[3 * width : -3 * width],
            np.convolve(values[:, 0], gaussian(3 * width, width), "valid"),
        )
