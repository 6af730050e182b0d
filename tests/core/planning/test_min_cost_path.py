# SPDX-License-Identifier: GPL-3.0-or-later
"""Segments: the path with most votes of patches, at the full rate."""

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from random_paths import BOUNDS, RATE, ROWS, few, lies_in_examples, paths

from genmm_addon.core.examples.graph_building import cheapest_predecessors
from genmm_addon.core.examples.transition_costs import Bounds, find_transitions
from genmm_addon.core.examples.transition_graph import Predecessors
from genmm_addon.core.features.voting import count_votes
from genmm_addon.core.motion import piecewise
from genmm_addon.core.planning.frame_cost import FrameCost, UnaryCosts
from genmm_addon.core.planning.min_cost_path import VOTED_TRANSITION_COST, min_cost_path
from genmm_addon.core.planning.segments import Segments, at_full_rate, without_short_segments

CUTS = cheapest_predecessors(find_transitions(ROWS, BOUNDS, RATE).costs, 12)


def free_choice(random: np.random.Generator, total: int) -> Predecessors:
    """Return random costs between all frames, any of which may be a predecessor."""
    costs = random.uniform(0, 3, (total, total)).astype(np.float32)
    costs[random.uniform(size=costs.shape) < 0.2] = np.inf
    return Predecessors(np.tile(np.arange(total), (total, 1)), np.ascontiguousarray(costs.T))


def price_of(
    path: Sequence[int],
    votes: NDArray[np.float32],
    predecessors: Predecessors,
    bounds: Bounds,
    initial_path: NDArray[np.int64],
    trust: float,
    leader: FrameCost | None,
) -> float:
    """Return the cost that the cheapest path minimizes."""
    total: float = -sum(float(votes[frame, shown]) for frame, shown in enumerate(path))
    total -= trust * sum(shown == asked for shown, asked in zip(path, initial_path, strict=True))
    if leader is not None:
        total += float(leader.against(np.array(path)).sum())
    for before, after in itertools.pairwise(path):
        goes_on = after == before + 1 and after not in bounds.starts
        total += 0.0 if goes_on else VOTED_TRANSITION_COST + float(predecessors.costs[after, before])
    return total


@few
@given(path=paths())
def test_runs_tell_their_path(path: np.ndarray) -> None:
    segments = Segments.of_path(path, BOUNDS)
    assert lies_in_examples(segments, BOUNDS)
    assert np.array_equal(segments.source_frames(), path)
    assert segments.lengths.sum() == segments.frames == len(path)


def test_from_one_example_to_the_next_is_a_new_run() -> None:
    assert Segments.of_path(np.arange(70), BOUNDS).starts.tolist() == [0, 40]


@few
@given(
    seed=st.integers(0, 9999),
    length=st.integers(1, 3),
    trust=st.sampled_from([0.0, 0.5]),
    fixed_frames=st.integers(0, 1),
    led=st.booleans(),
)
def test_the_path_with_most_votes_is_the_cheapest_of_all(
    seed: int, length: int, trust: float, fixed_frames: int, led: bool
) -> None:
    random = np.random.default_rng(seed)
    bounds = Bounds.of_lengths(np.array([3, 2]))
    predecessors = free_choice(random, 5)
    chosen = random.integers(0, 5 - length + 1, 5 - length)
    initial_path = random.integers(0, 5, 4)
    leader = FrameCost(random.uniform(0, 2, (5, 5)).astype(np.float32), random.integers(-1, 5, 4)) if led else None
    votes = count_votes(chosen, length, 5)
    unary_costs = UnaryCosts(initial_path, trust, [leader] if leader else [], fixed_frames, chosen, length)
    found = min_cost_path(unary_costs, predecessors, bounds).tolist()
    others = (path for path in itertools.product(range(5), repeat=4) if fixed_frames == 0 or path[0] == initial_path[0])
    cheapest = min(price_of(path, votes, predecessors, bounds, initial_path, trust, leader) for path in others)
    assert fixed_frames == 0 or found[0] == initial_path[0]
    assert price_of(found, votes, predecessors, bounds, initial_path, trust, leader) == pytest.approx(
        cheapest, abs=1e-4
    )


def cheap_cuts(frames: int = 70) -> Predecessors:
    """Return cuts between all frames that are hardly visible."""
    costs = np.full((frames, frames), 0.5, np.float32)
    return Predecessors(np.tile(np.arange(frames), (frames, 1)), costs)


def voted(
    chosen: np.ndarray,
    initial_path: np.ndarray | None = None,
    fixed_frames: int = 0,
    predecessors: Predecessors | None = None,
) -> np.ndarray:
    """Return the path through two examples for which patches of 5 frames vote."""
    asked = np.zeros(len(chosen) + 4, np.int64) if initial_path is None else initial_path
    return min_cost_path(UnaryCosts(asked, 0.0, (), fixed_frames, chosen, 5), predecessors or cheap_cuts(), BOUNDS)


def test_patches_that_agree_are_followed() -> None:
    assert np.array_equal(voted(np.arange(10, 25)), np.arange(10, 29))


def test_a_lone_voice_makes_no_cut() -> None:
    chosen = np.arange(10, 25)
    chosen[7] = 45
    assert np.array_equal(voted(chosen), np.arange(10, 29))


def test_where_most_go_elsewhere_the_path_cuts_once() -> None:
    segments = Segments.of_path(voted(np.concatenate((np.arange(0, 20), np.arange(45, 65)))), BOUNDS)
    assert BOUNDS.example_of(segments.sources).tolist() == [0, 1]


def test_the_beginning_of_the_first_guess_is_held() -> None:
    initial_path = np.arange(40, 59)
    found = voted(np.arange(10, 25), initial_path, fixed_frames=6)
    assert np.array_equal(found[:6], initial_path[:6])
    assert found[-1] == 28


@pytest.mark.filterwarnings("error")
def test_a_beginning_that_no_cut_leads_away_from_still_leads_on() -> None:
    # The cheapest predecessors of every frame are frames 0 to 11, and the initial path begins at an example's end.
    near = np.tile(np.arange(12), (70, 1))
    predecessors = Predecessors(near, np.ones((70, 12), np.float32))
    initial_path = np.concatenate((np.arange(35, 40), np.arange(0, 14)))
    found = voted(np.arange(5, 20), initial_path, fixed_frames=5, predecessors=predecessors)
    assert lies_in_examples(Segments.of_path(found, BOUNDS), BOUNDS)
    assert np.array_equal(found[-5:], np.arange(19, 24))


def test_votes_counted_in_blocks_give_the_same_path(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    chosen, initial_path = random.integers(0, 66, 50), random.integers(0, 70, 54)
    unary_costs = UnaryCosts(initial_path, 0.5, (), 9, chosen, 5)
    whole = min_cost_path(unary_costs, CUTS, BOUNDS)
    monkeypatch.setattr(piecewise, "PIECE", 7)
    assert np.array_equal(min_cost_path(unary_costs, CUTS, BOUNDS), whole)


@few
@given(path=paths(), shortest=st.integers(1, 12))
def test_short_runs_are_filled_without_leaving_the_examples(path: np.ndarray, shortest: int) -> None:
    segments = Segments.of_path(path, BOUNDS)
    filled = without_short_segments(segments, BOUNDS, shortest)
    assert filled.frames == segments.frames
    assert lies_in_examples(filled, BOUNDS)
    assert len(filled.starts) <= len(segments.starts)
    assert min(filled.lengths) >= min(segments.lengths)


def test_a_short_run_gives_way_to_the_one_before_it() -> None:
    path = np.concatenate((np.arange(0, 12), np.arange(50, 52), np.arange(20, 35)))
    filled = without_short_segments(Segments.of_path(path, BOUNDS), BOUNDS, 5)
    assert np.array_equal(filled.source_frames(), np.concatenate((np.arange(0, 14), np.arange(20, 35))))


def test_a_short_run_after_an_examples_end_gives_way_to_the_one_after_it() -> None:
    path = np.concatenate((np.arange(25, 40), np.arange(50, 52), np.arange(10, 25)))
    filled = without_short_segments(Segments.of_path(path, BOUNDS), BOUNDS, 5)
    assert np.array_equal(filled.source_frames(), np.concatenate((np.arange(25, 40), np.arange(8, 25))))


@few
@given(path=paths())
def test_runs_that_are_long_enough_stay(path: np.ndarray) -> None:
    segments = Segments.of_path(path, BOUNDS)
    same = without_short_segments(segments, BOUNDS, int(segments.lengths.min()))
    assert np.array_equal(same.source_frames(), path)


@few
@given(path=paths(), factor=st.floats(1, 5), extra=st.integers(-2, 2))
def test_at_the_full_rate_runs_have_every_frame_and_stay_in_their_examples(
    path: NDArray[np.int64], factor: float, extra: int
) -> None:
    full = Bounds.of_lengths(np.round((BOUNDS.ends - BOUNDS.starts) * factor).astype(np.int64))
    frames = max(round(len(path) * factor) + extra, 1)
    segments = at_full_rate(Segments.of_path(path, BOUNDS), BOUNDS, full, frames)
    assert segments.frames == frames == segments.lengths.sum()
    assert lies_in_examples(segments, full)


def test_segments_at_the_full_rate_keep_the_speed_and_place_of_their_runs() -> None:
    full = Bounds.of_lengths(np.array([120, 90]))
    path = np.concatenate((np.arange(5, 25), np.arange(45, 65)))
    segments = at_full_rate(Segments.of_path(path, BOUNDS), BOUNDS, full, 120)
    assert segments.starts.tolist() == [0, 60]
    assert segments.sources.tolist() == [15, 135]


def test_a_whole_example_that_is_too_short_by_rounding_gives_its_neighbors_time_and_is_not_begun_again() -> None:
    full = Bounds.of_lengths(np.array([118, 90]))
    path = np.concatenate((np.arange(45, 65), np.arange(40), np.arange(50, 65)))
    segments = at_full_rate(Segments.of_path(path, BOUNDS), BOUNDS, full, 225)
    assert segments.lengths.tolist() == [62, 118, 45]
    assert segments.sources[1] == 0 and lies_in_examples(segments, full)


def test_a_whole_example_without_neighbors_that_have_room_begins_again() -> None:
    full = Bounds.of_lengths(np.array([118, 90]))
    segments = at_full_rate(Segments.of_path(np.arange(40), BOUNDS), BOUNDS, full, 120)
    assert segments.lengths.tolist() == [118, 2] and segments.sources.tolist() == [0, 0]


def test_one_stage_at_the_full_rate_changes_nothing() -> None:
    path = np.concatenate((np.arange(5, 25), np.arange(45, 65)))
    segments = at_full_rate(Segments.of_path(path, BOUNDS), BOUNDS, BOUNDS, 40)
    assert np.array_equal(segments.source_frames(), path)
