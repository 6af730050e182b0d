# SPDX-License-Identifier: GPL-3.0-or-later
"""The pace of paths: a gesture between two rests is shown about as often as the rests are."""

from dataclasses import replace

import numpy as np
import pytest
from dense_graph import graph_of
from motions import walker

from genmm_addon.core import prepare
from genmm_addon.core.examples.transition_graph import TransitionGraph
from genmm_addon.core.planning.initial_path import plan_initial_path
from genmm_addon.core.planning.pace import PACE_WEIGHT, pace_cost, pace_noticed, pace_rewards
from genmm_addon.core.planning.path_objective import sums_of
from genmm_addon.core.planning.stretches import Stretches

WALK = graph_of(prepare([walker()]))
RESTING, GESTURING = 0.2, 1.8
SEEN = 1500.0
"""Edge cost of a clearly visible transition."""


def gesture_then_rest() -> TransitionGraph:
    """Return the walk's graph changed to a gesture followed by a rest, with invisible transitions in the rest only."""
    total = WALK.frames
    resting = np.arange(total) >= total // 2
    unseen = resting[:, None] & resting
    table = np.where(np.isfinite(WALK.edges.table), np.where(unseen, 4.0, SEEN), np.inf).astype(np.float32)
    paces = np.where(resting, RESTING, GESTURING).astype(np.float32)
    sampled = replace(WALK.sampled, paces=paces, poses=np.zeros_like(WALK.sampled.poses))
    return replace(WALK, edges=replace(WALK.edges, costs=table.ravel()), sampled=sampled)


GESTURE = gesture_then_rest()


def pace_of(graph: TransitionGraph, frames: int, seed: int) -> float:
    """Return the pace of a path relative to the examples'."""
    path = plan_initial_path(graph, frames, seed, np.random.default_rng(seed))
    sums = sums_of(graph, Stretches.of_path(path, graph.bounds))
    return float(sums.moved[0]) / (graph.mean_pace * frames)


def cost_at(pace: float, frames: int) -> float:
    """Return the cost of a walk's path at a multiple of the pace."""
    moved = np.array([pace * WALK.mean_pace * frames])
    return float(pace_cost(WALK, moved, np.array([frames]))[0])


@pytest.mark.parametrize("rounds", [2, 4])
def test_a_longer_result_shows_a_gesture_about_as_often_as_the_rest_after_it(rounds: int) -> None:
    paces = [pace_of(GESTURE, rounds * GESTURE.frames, seed) for seed in range(8)]
    assert np.mean(paces) > 0.9


def test_a_result_of_minutes_shows_it_too_where_its_stretches_meet() -> None:
    paces = [pace_of(GESTURE, round(300 * GESTURE.rate), seed) for seed in range(6)]
    assert np.mean(paces) > 0.87


def test_up_to_a_tenth_off_costs_by_the_octave_and_farther_off_by_the_square() -> None:
    frames = 2 * WALK.frames
    assert cost_at(1.0, frames) == pytest.approx(0.0, abs=1e-6)
    assert cost_at(1.05, frames) == pytest.approx(PACE_WEIGHT * np.log2(1.05))
    assert cost_at(1.1**3, frames) == pytest.approx(9 * cost_at(1.1, frames))
    assert cost_at(1.1**-3, frames) == pytest.approx(cost_at(1.1**3, frames))


def test_pace_of_short_results_is_neither_noticed_nor_rewarded() -> None:
    frames = WALK.frames - 1
    assert cost_at(2.0, frames) == pytest.approx(PACE_WEIGHT)
    moved = np.full(1, 2.0 * WALK.mean_pace * frames)
    assert not pace_noticed(WALK, moved, np.array([frames])).any()
    assert not pace_rewards(WALK, moved, np.array([frames])).any()


def test_quick_frames_are_worth_something_to_slow_paths_slow_ones_to_quick_paths_and_none_to_others() -> None:
    frames = np.full(3, 2 * GESTURE.frames)
    slow, even, quick = pace_rewards(GESTURE, np.array([0.7, 1.05, 1.3]) * GESTURE.mean_pace * frames, frames)
    gesturing = GESTURE.sampled.paces > 1.0
    assert (slow[gesturing] > 0).all() and (slow[~gesturing] < 0).all()
    assert (quick[gesturing] < 0).all() and (quick[~gesturing] > 0).all()
    assert not even.any()


def test_frames_that_restore_the_pace_are_rewarded_by_its_whole_cost() -> None:
    frames = np.array([2 * GESTURE.frames])
    moved = 0.7 * GESTURE.mean_pace * frames
    rewards = pace_rewards(GESTURE, moved, frames)[0]
    gesturing, resting = rewards[GESTURE.sampled.paces > 1.0][0], rewards[GESTURE.sampled.paces < 1.0][0]
    changed = (GESTURE.mean_pace * frames[0] - moved[0]) / (GESTURING - RESTING)
    whole_cost = pace_cost(GESTURE, moved, frames)[0] * frames[0] / GESTURE.rate
    assert changed * (gesturing - resting) == pytest.approx(whole_cost, rel=1e-4)


def test_a_motion_that_never_moves_has_no_pace_to_keep() -> None:
    still = replace(WALK, sampled=replace(WALK.sampled, paces=np.zeros_like(WALK.sampled.paces)))
    frames, moved = np.array([2 * WALK.frames]), np.zeros(1)
    assert not pace_cost(still, moved, frames).any()
    assert not pace_noticed(still, moved, frames).any()
    assert not pace_rewards(still, moved, frames).any()
