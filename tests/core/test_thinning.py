# SPDX-License-Identifier: GPL-3.0-or-later
"""Thinned curves: within their tolerance, with fewer keys."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from genmm_addon.animation.keys.thinning import frames_of_change, frames_to_keep


def rebuilt(values: np.ndarray, keep: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return the curves `(T, C)` given by straight lines between the kept frames."""
    frames = np.arange(len(values))
    columns = [
        np.interp(frames, frames[keep[:, group]], values[keep[:, group], column]) for column, group in enumerate(groups)
    ]
    return np.stack(columns, axis=1)


curves = arrays.arrays(
    np.float32, st.tuples(st.integers(1, 40), st.integers(1, 6)), elements=st.floats(-1e3, 1e3, width=32)
)


@given(values=curves, tolerance=st.floats(1e-3, 1e3), data=st.data())
def test_no_frame_leaves_its_tolerance(values: np.ndarray, tolerance: float, data: st.DataObject) -> None:
    count = values.shape[1]
    groups = np.array(data.draw(st.lists(st.integers(0, 2), min_size=count, max_size=count)), np.int64)
    tolerances = tolerance * (1 + np.arange(count))
    keep = frames_to_keep(values, tolerances, groups)
    assert np.all(np.abs(rebuilt(values, keep, groups) - values) <= tolerances * (1 + 1e-9) + 1e-9)


@given(values=curves)
def test_the_ends_are_kept(values: np.ndarray) -> None:
    keep = frames_to_keep(values, np.full(values.shape[1], 1e9), np.zeros(values.shape[1], np.int64))
    assert keep[0].all() and keep[-1].all()
    assert keep.sum() == min(len(values), 2)


def test_straight_lines_need_only_their_corners() -> None:
    values = np.abs(np.arange(-20.0, 21.0))[:, None]
    keep = frames_to_keep(values, np.array([1e-6]), np.array([0]))
    assert np.flatnonzero(keep[:, 0]).tolist() == [0, 20, 40]


def test_a_smooth_curve_gets_far_fewer_keys() -> None:
    values = np.sin(np.linspace(0, 12, 600))[:, None]
    keep = frames_to_keep(values, np.array([0.01]), np.array([0]))
    assert keep.sum() < 60


def test_a_larger_tolerance_on_one_curve_leaves_other_groups_alone() -> None:
    values = np.random.default_rng(0).normal(size=(100, 2))
    groups = np.array([0, 1])
    strict = frames_to_keep(values, np.array([0.1, 0.1]), groups)
    loose = frames_to_keep(values, np.array([0.1, 3.0]), groups)
    assert np.array_equal(strict[:, 0], loose[:, 0])
    assert loose[:, 1].sum() < strict[:, 1].sum()


def test_curves_of_one_group_share_their_frames() -> None:
    values = np.stack((np.zeros(50), np.random.default_rng(0).normal(size=50)), axis=1)
    keep = frames_to_keep(values, np.array([0.1, 0.1]), np.array([0, 0]))
    assert keep.shape == (50, 1)
    assert keep.sum() > 10


@pytest.mark.parametrize("frames", [1, 2, 3, 50])
def test_stepped_curves_keep_every_change(frames: int) -> None:
    values = np.random.default_rng(3).integers(0, 2, frames).astype(np.float32)
    keep = frames_of_change(values)
    held = values[np.maximum.accumulate(np.where(keep, np.arange(frames), 0))]
    assert np.array_equal(held, values)
    assert keep[0] and keep[-1]
