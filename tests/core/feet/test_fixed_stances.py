# SPDX-License-Identifier: GPL-3.0-or-later
"""Stances across poses that fix a foot: it stands if they agree, steps if they do not, and is never dragged."""

import numpy as np
import pytest
from legged import carried, places_of
from motions import RATE
from numpy.typing import NDArray

from genmm_addon.core import Constraints, PoseConstraint, prepare, synthesize
from genmm_addon.core.feet.fixed_stances import LEAST_DRIFT, stances_as_fixed
from genmm_addon.core.feet.foot_moves import FootToMove, moves_with_limited_drift
from genmm_addon.core.feet.footsteps import Stance

FRAMES, PINS = 120, (20, 100)
NO_CUTS = np.zeros(0, np.int64)
FIXED = np.isin(np.arange(FRAMES), PINS)
UP = np.array([0.0, 0.0, 1.0])


def slow_way(length: float) -> NDArray[np.float64]:
    """Return a path `(FRAMES, 3)` of a length, which a body covers between the two frames."""
    return np.asarray(np.interp(np.arange(FRAMES), PINS, (0.0, length))[:, None] * np.array([1.0, 0.0, 0.0]))


def standing(way: float, transitions: NDArray[np.int64] = NO_CUTS, moved_at: int = 50) -> list[Stance]:
    """Return the stances of a foot that always stands and is fixed at two places, `way` apart."""
    level = np.where(np.arange(FRAMES) < moved_at, 0.0, way)[:, None] * np.array([1.0, 0.0, 0.0])
    return stances_as_fixed([Stance(0, FRAMES, level[0])], level, FIXED, transitions, 0.0, RATE, 1.0)


def test_a_foot_stands_throughout_where_poses_agree() -> None:
    (stance,) = standing(0.9 * LEAST_DRIFT)
    assert (stance.first, stance.end) == (0, FRAMES)


def test_a_foot_steps_from_where_one_pose_has_it_to_where_the_next_has() -> None:
    before, after = standing(0.06)
    assert (before.first, before.end, after.first, after.end) == (0, 60, 60, FRAMES)
    assert np.allclose(before.place, 0.0) and np.allclose(after.place, [0.06, 0.0, 0.0])


@pytest.mark.parametrize("moved_at", [45, 75])
def test_it_steps_at_the_transition_that_takes_it_there(moved_at: int) -> None:
    before, after = standing(0.06, np.array([45, 75]), moved_at)
    assert before.end == after.first == moved_at


def test_without_time_for_a_step_between_two_poses_a_stance_is_one() -> None:
    level = np.linspace(0.0, 0.06, FRAMES)[:, None] * np.array([1.0, 0.0, 0.0])
    fixed = np.isin(np.arange(FRAMES), (50, 60))
    found = stances_as_fixed([Stance(0, FRAMES, level[0])], level * 12, fixed, NO_CUTS, 0.0, RATE, 1.0)
    assert len(found) == 1


def distance_at(largest: float, fixed: int = 60, transitions: NDArray[np.int64] = NO_CUTS) -> float:
    """Return the distance of a foot that drifts in a stance, at a limit; fixed: the frame at which its leg is."""
    own = np.linspace(0.0, 0.1, FRAMES)[:, None] * np.array([1.0, 0.0, 0.0])
    weights, found = np.ones(FRAMES), [Stance(10, 110, np.zeros(3))]
    weights[fixed] = 0.0
    foot = FootToMove(own, own, np.zeros(FRAMES), weights, UP, RATE, 1.0)
    moves = moves_with_limited_drift(foot, found, transitions, {}, largest, 0.03, lands=True)
    assert np.allclose(moves[fixed], 0.0)
    places = own + moves
    return float(np.linalg.norm(places[109] - places[10]))


def test_a_foot_that_is_held_in_a_stance_goes_no_farther_in_it_than_the_examples_feet_do() -> None:
    assert distance_at(1.0) == pytest.approx(0.03, abs=1e-6)


def test_it_goes_as_far_as_it_does_where_it_would_be_too_quick_else() -> None:
    assert distance_at(1e-9) > 0.08


@pytest.mark.parametrize(("at", "limited"), [(10, False), (50, True), (110, False)])
def test_a_foot_that_is_free_in_a_stance_is_limited_where_a_transition_is_in_it(at: int, limited: bool) -> None:
    assert (distance_at(1.0, fixed=115, transitions=np.array([at])) < 0.04) == limited


@pytest.mark.parametrize("seed", [0, 1])
def test_the_feet_of_a_result_between_two_poses_are_not_dragged(seed: int) -> None:
    motion = carried(0.02 * np.sin(np.arange(300) / 40.0)[:, None] * np.array([1.0, 0.0, 0.0]))
    prepared = prepare([motion])
    assert prepared.feet
    moved = carried(slow_way(0.15))
    joints = np.zeros((FRAMES, len(motion.skeleton.names)), bool)
    joints[list(PINS)] = True
    poses = PoseConstraint(moved, joints, joints[:, 0].copy())
    result = synthesize(prepared, FRAMES, constraints=Constraints(poses=poses), seed=seed).motion
    places = places_of(result)
    assert np.allclose(places[list(PINS)], places_of(moved)[list(PINS)], atol=1e-3)
    ground = places[..., 2] - places[..., 2].min(axis=0) < 1e-3 * motion.skeleton.size
    steps = np.linalg.norm(np.diff(places[..., :2], axis=0), axis=2)
    assert np.max(np.where(ground[1:] & ground[:-1], steps, 0.0).sum(axis=0)) < 0.05 * motion.skeleton.size
