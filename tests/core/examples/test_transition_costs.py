# SPDX-License-Identifier: GPL-3.0-or-later
"""Transition costs: a transition costs nothing if its frames look the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genmm_addon.core.examples.transition_costs import Bounds, find_transitions, movement_unit, window_costs

few = settings(max_examples=30, deadline=None)
RATE = 10.0
ROWS = np.cumsum(np.random.default_rng(4).normal(size=(60, 4)), axis=0).astype(np.float32)
TWO = Bounds.of_lengths(np.array([35, 25]))


def circling(frames: int, period: int) -> np.ndarray:
    angles = 2 * np.pi * np.arange(frames) / period
    return np.stack((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32)


@few
@given(lengths=st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_bounds_lie_one_after_another(lengths: list[int]) -> None:
    bounds = Bounds.of_lengths(np.array(lengths))
    assert bounds.frames == sum(lengths)
    assert np.array_equal(bounds.ends - bounds.starts, lengths)
    expected = [example for example, length in enumerate(lengths) for _ in range(length)]
    assert bounds.example_of(np.arange(bounds.frames)).tolist() == expected


@few
@given(lengths=st.lists(st.integers(1, 9), min_size=1, max_size=5), length=st.integers(1, 9))
def test_a_patch_starts_where_it_stays_in_its_example(lengths: list[int], length: int) -> None:
    bounds = Bounds.of_lengths(np.array(lengths))
    allowed = bounds.patch_starts(length)
    assert len(allowed) == max(bounds.frames - length + 1, 0)
    for start, may in enumerate(allowed):
        assert may == (bounds.example_of(np.array(start)) == bounds.example_of(np.array(start + length - 1)))


@pytest.mark.parametrize("half", [1, 3, 5])
def test_going_on_as_the_example_does_costs_nothing(half: int) -> None:
    costs = window_costs(ROWS, TWO, half)
    frames = np.arange(59)
    within = TWO.example_of(frames) == TWO.example_of(frames + 1)
    assert costs[frames, frames + 1][within] == pytest.approx(0, abs=0.01)
    assert costs[34, 35] > 0.1


@pytest.mark.parametrize("half", [1, 2, 4])
def test_a_cost_is_the_distance_between_the_frames_around(half: int) -> None:
    costs = window_costs(ROWS, TWO, half)
    example = TWO.example_of(np.arange(60))
    for leave, arrive in [(0, 0), (5, 20), (33, 36), (34, 35), (50, 3), (59, 59)]:
        out, into = (
            np.clip(np.arange(2 * half) + first, TWO.starts[example[frame]], TWO.ends[example[frame]] - 1)
            for frame, first in ((leave, leave - half + 1), (arrive, arrive - half))
        )
        expected = np.sqrt(np.mean(np.sum((ROWS[out] - ROWS[into]).astype(float) ** 2, axis=1)))
        assert costs[leave, arrive] == pytest.approx(expected, abs=0.02)


def test_transition_costs_are_relative_to_the_movement_of_the_examples() -> None:
    own, larger = find_transitions(ROWS, TWO, RATE), find_transitions(ROWS * 100, TWO, RATE)
    finite = np.isfinite(own.costs)
    assert larger.costs[finite] == pytest.approx(own.costs[finite], abs=0.01)


def test_movement_is_measured_within_examples_alone() -> None:
    still_but_apart = np.repeat(np.array([[0.0], [100.0]], np.float32), (35, 25), axis=0)
    assert movement_unit(still_but_apart, TWO, RATE) < 1e-3
    steady = np.arange(60, dtype=np.float32)[:, None]
    assert movement_unit(steady, Bounds.of_lengths(np.array([60])), 30.0) == pytest.approx(2.0)


def test_where_a_movement_repeats_a_cut_is_free_and_elsewhere_it_is_not() -> None:
    transitions = find_transitions(circling(80, 20), Bounds.of_lengths(np.array([80])), RATE)
    assert transitions.costs[30, 51] < 0.1 < 1 < transitions.costs[30, 41]


def test_transitions_never_lead_close_to_the_natural_continuation() -> None:
    transitions = find_transitions(ROWS, Bounds.of_lengths(np.array([60])), RATE)
    leave, arrive = np.nonzero(~np.isfinite(transitions.costs))
    assert np.all(np.abs(arrive - (leave + 1)) < RATE / 3)
    assert np.all(np.isinf(transitions.costs[np.arange(59), np.arange(1, 60)]))


def test_the_end_of_one_example_may_lead_to_the_beginning_of_the_next() -> None:
    transitions = find_transitions(circling(60, 20), Bounds.of_lengths(np.array([40, 20])), RATE)
    assert np.isfinite(transitions.costs[36:40, 40:44]).all()
    assert transitions.costs[38, 41] < np.median(transitions.costs[np.isfinite(transitions.costs)])


def test_a_frame_is_seen_most_in_itself_and_all_its_likenesses_sum_to_one() -> None:
    transitions = find_transitions(circling(80, 20) + 0.05 * ROWS[:1, :2], Bounds.of_lengths(np.array([80])), RATE)
    assert transitions.similarity.sum(axis=1) == pytest.approx(np.ones(80), abs=1e-4)
    assert np.all(transitions.similarity <= np.diagonal(transitions.similarity)[:, None] + 1e-6)
    assert transitions.similarity[30, 50] > 10 * transitions.similarity[30, 40]


def test_a_single_frame_has_no_cut_that_counts() -> None:
    transitions = find_transitions(np.zeros((1, 3), np.float32), Bounds.of_lengths(np.array([1])), RATE)
    assert transitions.costs.shape == (1, 1)
    assert np.isfinite(transitions.similarity).all()
