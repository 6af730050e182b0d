# SPDX-License-Identifier: GPL-3.0-or-later
"""Stages: their lengths, and the transfer of rows from one to the next."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from genmm_addon.core import Settings
from genmm_addon.core.features.pyramid import PLANNING_RATE, patched_length, resample_rows, stage_length, stage_ratios

few = settings(max_examples=50, deadline=None)
lengths = st.lists(st.integers(10, 2000), min_size=1, max_size=4).map(np.array)
methods = st.builds(
    Settings,
    patch_frames=st.integers(1, 40),
    coarsest_patches=st.floats(1, 20),
    pyramid_factor=st.floats(0.1, 0.95),
)


@few
@given(lengths=lengths, rate=st.floats(5, 240), method=methods)
def test_stages_grow_by_the_factor_at_most_up_to_the_full_rate(
    lengths: NDArray[np.int64], rate: float, method: Settings
) -> None:
    ratios = stage_ratios(lengths, rate, method)
    assert all(0 < ratio <= 1 for ratio in ratios)
    for coarse, fine in itertools.pairwise(ratios):
        assert coarse < fine <= coarse / method.pyramid_factor * (1 + 1e-9)


@few
@given(lengths=lengths, rate=st.floats(5, 240), method=methods)
def test_the_finest_stage_tells_events_apart(lengths: NDArray[np.int64], rate: float, method: Settings) -> None:
    finest = stage_ratios(lengths, rate, method)[-1]
    assert finest * rate >= min(PLANNING_RATE, rate) * 0.999


@few
@given(lengths=lengths, rate=st.floats(5, 240), method=methods)
def test_at_every_stage_the_shortest_example_that_has_patches_holds_one_where_it_can(
    lengths: NDArray[np.int64], rate: float, method: Settings
) -> None:
    shortest = patched_length(lengths)
    for ratio in stage_ratios(lengths, rate, method):
        at_full_rate = ratio * rate >= PLANNING_RATE * 0.999
        assert at_full_rate or stage_length(shortest, ratio) >= min(method.patch_frames, shortest)


def test_the_coarsest_stage_has_k_patches_of_the_longest_example() -> None:
    ratios = stage_ratios(np.array([500, 300]), 30.0, Settings())
    assert stage_length(500, ratios[0]) == 44


def test_an_example_of_no_more_than_k_patches_has_one_stage_at_its_full_rate() -> None:
    assert stage_ratios(np.array([44]), 30.0, Settings()) == [1.0]
    assert stage_ratios(np.array([20]), 30.0, Settings()) == [1.0]


@pytest.mark.parametrize(("frames", "ratio"), [(1, 0.001), (3, 0.1), (100, 1.0)])
def test_a_stage_has_one_frame_at_least(frames: int, ratio: float) -> None:
    assert 1 <= stage_length(frames, ratio) <= frames


@few
@given(frames=st.integers(1, 60), length=st.integers(1, 60))
def test_rows_get_exactly_the_length_asked_for(frames: int, length: int) -> None:
    rows = np.random.default_rng(frames).normal(size=(frames, 3)).astype(np.float32)
    assert resample_rows(rows, length).shape == (length, 3)


@few
@given(frames=st.integers(1, 60), length=st.integers(1, 60))
def test_rows_stay_between_their_extremes(frames: int, length: int) -> None:
    rows = np.random.default_rng(frames).normal(size=(frames, 3)).astype(np.float32)
    other = resample_rows(rows, length)
    assert np.all(other <= rows.max(axis=0) + 1e-5)
    assert np.all(other >= rows.min(axis=0) - 1e-5)


@few
@given(frames=st.integers(1, 60), share=st.floats(0.01, 1))
def test_shrunken_rows_keep_their_mean(frames: int, share: float) -> None:
    rows = np.random.default_rng(frames).normal(size=(frames, 3)).astype(np.float32)
    shrunken = resample_rows(rows, stage_length(frames, share))
    assert shrunken.mean(axis=0) == pytest.approx(rows.mean(axis=0), abs=1e-5)


def test_shrinking_does_not_alias() -> None:
    alternating = np.resize(np.array([[1.0], [-1.0]], np.float32), (240, 1))
    assert np.abs(resample_rows(alternating, 80)).max() < 0.4
    assert np.abs(resample_rows(alternating, 60)).max() < 1e-6


@few
@given(frames=st.integers(2, 60), length=st.integers(2, 60))
def test_a_steady_movement_stays_steady_and_in_its_place(frames: int, length: int) -> None:
    middles = (np.arange(frames) + 0.5) / frames
    other = resample_rows(middles[:, None].astype(np.float32), length)[:, 0]
    expected = (np.arange(length) + 0.5) / length
    # Beyond the middle of the outermost frames, rows are constant. A box over a share of a frame takes that frame as
    # constant, which moves its middle by at most an eighth of the frame.
    off = 0.126 / frames if length < frames else 1e-5
    assert other == pytest.approx(np.clip(expected, middles[0], middles[-1]), abs=off)


def test_rows_of_the_same_length_are_left_alone() -> None:
    rows = np.random.default_rng(0).normal(size=(7, 2)).astype(np.float32)
    assert np.array_equal(resample_rows(rows, 7), rows)


def test_a_few_short_examples_do_not_shrink_the_patches_of_all() -> None:
    long = np.full(100, 300)
    assert patched_length(long) == 300
    assert patched_length(np.append(long, 19)) == 300
    assert patched_length(np.array([150, 90])) == 90
    assert stage_ratios(np.append(long, 19), 30.0, Settings()) == stage_ratios(long, 30.0, Settings())
