# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions at the full rate: moved to the cheapest frames nearby."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from random_paths import BOUNDS, RATE, ROWS, few, lies_in_examples, paths

from genmm_addon.core.examples.transition_costs import Bounds, window_costs
from genmm_addon.core.planning.segments import Segments
from genmm_addon.core.synthesis.transition_refinement import Nearby, refine_transitions, refine_untimed_transitions

PERIOD = 20
SHORTEST = 4


def nearby(
    half: int,
    reach: int,
    rows: NDArray[np.float32] = ROWS,
    bounds: Bounds = BOUNDS,
) -> Nearby:
    return Nearby(rows, bounds, RATE, half, reach)


@few
@given(path=paths(), half=st.integers(1, 4), reach=st.integers(0, 6))
def test_refined_cuts_stay_near_and_within_their_examples(path: np.ndarray, half: int, reach: int) -> None:
    segments = Segments.of_path(path, BOUNDS)
    refined = refine_transitions(segments, nearby(half, reach))
    assert lies_in_examples(refined, BOUNDS)
    assert refined.frames == segments.frames
    assert np.array_equal(BOUNDS.example_of(refined.sources), BOUNDS.example_of(segments.sources))
    assert np.all(np.abs(refined.starts - segments.starts) <= reach)
    assert np.all(np.abs(refined.sources - segments.sources) <= reach)
    assert refined.starts[0] == 0 and refined.sources[0] == segments.sources[0]


@few
@given(path=paths(), half=st.integers(1, 4), reach=st.integers(0, 4), seed=st.integers(0, 99))
def test_fixed_segments_keep_the_timing_of_their_frames(path: np.ndarray, half: int, reach: int, seed: int) -> None:
    segments = Segments.of_path(path, BOUNDS)
    random = np.random.default_rng(seed)
    fixed, slides = random.random(len(segments.starts)) < 0.5, random.integers(0, 3, len(segments.starts))
    refined = refine_transitions(segments, nearby(half, reach), fixed, slides)
    assert lies_in_examples(refined, BOUNDS)
    assert np.array_equal((refined.sources - refined.starts)[fixed], (segments.sources - segments.starts)[fixed])
    assert np.all(np.abs(refined.starts - segments.starts) <= slides)


@few
@given(source=st.integers(40, 55), leave=st.integers(15, 30), ahead=st.integers(-3, 3))
def test_a_segment_is_ahead_as_far_as_asked_at_any_cost_of_its_cut(source: int, leave: int, ahead: int) -> None:
    reach = 3
    path = np.concatenate((np.arange(leave - 15, leave), np.arange(source, source + 15)))
    segments = Segments.of_path(path, BOUNDS)
    asked = np.full((2, 4 * reach + 1), 1e6, np.float32)
    asked[:, 2 * reach + ahead] = 0.0
    refined = refine_transitions(segments, nearby(2, reach), asked=asked)
    assert (refined.sources - refined.starts - segments.sources + segments.starts).tolist() == [0, ahead]


@few
@given(source=st.integers(40, 55), leave=st.integers(15, 30))
def test_a_refined_cut_is_the_cheapest_nearby(source: int, leave: int) -> None:
    half, reach = 2, 3
    path = np.concatenate((np.arange(leave - 15, leave), np.arange(source, source + 15)))
    squares = window_costs(ROWS, BOUNDS, half) ** 2
    refined = refine_transitions(Segments.of_path(path, BOUNDS), nearby(half, reach))
    shown = refined.source_frames()
    arrivals = np.arange(max(source - reach, 40), min(source + reach, 70 - 15) + 1)
    best = squares[leave - 1, arrivals].min()
    assert squares[shown[refined.starts[1] - 1], shown[refined.starts[1]]] <= best + 0.05


def sum_of_squares(segments: Segments, squares: NDArray[np.floating]) -> float:
    shown = segments.source_frames()
    return float(squares[shown[segments.starts[1:] - 1], shown[segments.starts[1:]]].sum())


@few
@given(sources=st.lists(st.integers(2, 26), min_size=2, max_size=2), reach=st.integers(0, 2))
def test_no_other_moves_of_refined_cuts_are_cheaper_together(sources: list[int], reach: int) -> None:
    half, (second, third) = 2, sources
    path = np.concatenate((np.arange(8, 20), np.arange(second, second + 12), np.arange(third + 40, third + 44)))
    squares = window_costs(ROWS, BOUNDS, half).astype(np.float64) ** 2
    segments = Segments.of_path(path, BOUNDS)
    if len(segments.starts) < 3 or abs(second - 20) < half + 3 * reach + 1:
        return
    refined = refine_transitions(segments, nearby(half, reach))
    every, least = range(-reach, reach + 1), np.inf
    for one, two, first, last in itertools.product(every, repeat=4):
        later, further = np.array([0, one, min(two, 1)]), np.array([0, first, last])
        moved = Segments(segments.starts + later, segments.sources + further, segments.frames)
        if lies_in_examples(moved, BOUNDS):
            least = min(least, sum_of_squares(moved, squares))
    assert sum_of_squares(refined, squares) <= least * (1 + 1e-4) + 1e-3


def test_without_reach_every_cut_stays() -> None:
    path = np.concatenate((np.arange(0, 15), np.arange(45, 60)))
    segments = Segments.of_path(path, BOUNDS)
    for refined in (
        refine_transitions(segments, nearby(2, 0)),
        refine_untimed_transitions(segments, nearby(2, 0), SHORTEST),
    ):
        assert np.array_equal(refined.source_frames(), path)


@few
@given(path=paths(), moments=st.lists(st.integers(0, 60), min_size=1, max_size=6), reach=st.integers(1, 6))
def test_no_refined_cut_passes_over_a_moment(path: np.ndarray, moments: list[int], reach: int) -> None:
    segments, at = Segments.of_path(path, BOUNDS), np.unique(moments)
    refined = refine_transitions(segments, nearby(2, reach), moments=at)
    at = at[at < segments.frames]
    before, after = (np.searchsorted(one.starts, at, side="right") for one in (segments, refined))
    assert np.array_equal(before, after)


@few
@given(path=paths(), half=st.integers(1, 4), reach=st.integers(0, 6))
def test_untimed_cuts_stay_within_their_examples_and_keep_the_length(path: np.ndarray, half: int, reach: int) -> None:
    segments = Segments.of_path(path, BOUNDS)
    refined = refine_untimed_transitions(segments, nearby(half, reach), SHORTEST)
    assert lies_in_examples(refined, BOUNDS)
    assert refined.frames == segments.frames and refined.starts[0] == 0
    assert refined.sources[0] == segments.sources[0]


def circling(frames: int) -> NDArray[np.float32]:
    """Return rows that go round a circle in PERIOD frames."""
    phase = 2 * np.pi * np.arange(frames) / PERIOD
    return np.stack((np.cos(phase), np.sin(phase)), axis=1).astype(np.float32)


def test_untimed_cuts_are_all_the_cheapest_nearby_where_times_would_add_up_to_bad_ones() -> None:
    planned, count = 19, 12
    bounds, rows = Bounds.of_lengths(np.array([90])), circling(90)
    path = np.concatenate([np.arange(30, 30 + planned)] * count)
    segments = Segments.of_path(path, bounds)
    near = nearby(2, 2, rows=rows, bounds=bounds)
    untimed, timed = refine_untimed_transitions(segments, near, SHORTEST), refine_transitions(segments, near)

    def jumps(refined: Segments) -> NDArray[np.int64]:
        shown = refined.source_frames()
        return (shown[refined.starts[1:] - 1] + 1 - shown[refined.starts[1:]]) % PERIOD

    assert not jumps(untimed).any()
    assert jumps(timed).any()
    assert untimed.frames == len(path) and lies_in_examples(untimed, bounds)


def test_untimed_last_segment_without_frames_left_continues_like_another() -> None:
    count = 8
    bounds, rows = Bounds.of_lengths(np.array([60])), circling(60)
    path = np.concatenate((*[np.arange(20, 41)] * count, np.arange(30, 60)))
    segments = Segments.of_path(path, bounds)
    refined = refine_untimed_transitions(segments, nearby(2, 2, rows=rows, bounds=bounds), SHORTEST)
    assert refined.frames == len(path) and lies_in_examples(refined, bounds)
    assert len(refined.starts) == len(segments.starts) + 1
    shown = refined.source_frames()
    leaves, arrivals = shown[refined.starts[1:] - 1], shown[refined.starts[1:]]
    assert (leaves[-1], arrivals[-1]) in list(zip(leaves[:-1].tolist(), arrivals[:-1].tolist(), strict=True))
    assert refined.lengths[-1] >= SHORTEST


def test_a_segment_that_nothing_leads_on_from_gives_way_to_the_one_before_it() -> None:
    count = 8
    bounds, rows = Bounds.of_lengths(np.array([60])), circling(60)
    # No other segment shows frames as late as the last one's, after which no frames are left.
    path = np.concatenate((*[np.arange(20, 41)] * count, np.arange(48, 60)))
    segments = Segments.of_path(path, bounds)
    refined = refine_untimed_transitions(segments, nearby(2, 2, rows=rows, bounds=bounds), SHORTEST)
    assert refined.frames == len(path) and lies_in_examples(refined, bounds)
    shown = refined.source_frames()
    assert not ((shown[refined.starts[1:] - 1] + 1 - shown[refined.starts[1:]]) % PERIOD).any()
    assert len(refined.starts) == count
