# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths to places: durations include detours around obstacles, and the trunk returns without a jerk."""

from dataclasses import replace

import numpy as np
import pytest
from legged import marcher
from numpy.typing import NDArray
from test_solving import away, beside, body

from genmm_addon.core.environment import Reach, meet_places
from genmm_addon.core.environment.reach import trunk_ik
from genmm_addon.core.environment.reach.approach import approach_places
from genmm_addon.core.environment.reach.folded_legs import moves_along
from genmm_addon.core.evaluation import metrics
from genmm_addon.core.feet.two_bone_ik import Leg

FRAMES, RATE, LIMIT = 300, 30.0, 0.004


def around_it(places: NDArray[np.float64], shares: NDArray[np.float64], _: slice) -> NDArray[np.float64]:
    """Return positions moved sideways by 0.3 in the middle of the path."""
    return np.asarray((1.2 * shares * (1.0 - shares))[:, None] * np.array([0.0, 1.0, 0.0]))


def test_detour_has_enough_time_to_stay_within_the_acceleration_limit() -> None:
    active = np.zeros(FRAMES, bool)
    active[140:160] = True
    path, free = np.zeros((FRAMES, 3)), np.ones(FRAMES, bool)
    reach = Reach(0, active, np.tile([0.3, 0.0, 0.0], (FRAMES, 1)))
    largest = []
    for detour in (None, around_it):
        way = approach_places(path, reach, free, RATE, LIMIT, detour)
        gone = way.moves + around_it(way.moves, way.shares, slice(None))
        assert np.allclose(gone[140:160], reach.positions[140:160])
        largest.append(np.linalg.norm(np.diff(gone, 2, axis=0), axis=1).max())
    assert largest[1] <= LIMIT < largest[0]


@pytest.mark.slow
def test_a_trunk_that_was_smoothed_comes_to_its_goals_again_without_a_jerk(monkeypatch: pytest.MonkeyPatch) -> None:
    # So low that the whole body has to bend.
    motion, reach = marcher()[0], beside("hand.L", (0.0, 0.5, -0.6))
    calm = meet_places(motion, [reach], body("hand.L")).motion
    monkeypatch.setattr(trunk_ik, "spread_smoothly", lambda values, reach: values)
    monkeypatch.setattr(trunk_ik, "smooth_beside", lambda values, seconds, rate, weights: values)
    jerky = meet_places(motion, [reach], body("hand.L")).motion
    monkeypatch.undo()
    monkeypatch.setattr(trunk_ik, "ROUNDS", 0)
    missed = meet_places(motion, [reach], body("hand.L")).motion
    assert away(calm, reach) < 1e-4 and 100 * max(away(calm, reach), away(jerky, reach)) < away(missed, reach)
    quickest = [metrics.acceleration_ratios(met, motion)[1] for met in (calm, jerky)]
    assert quickest[0] < 1.2 and quickest[0] < 0.3 * quickest[1]


def legs_at(hips: NDArray[np.float64], feet: NDArray[np.float64]) -> Leg:
    """Return a leg of 0.4 + 0.4 between hips and feet, with its knee in front."""
    middle, ways = (hips + feet) / 2, feet - hips
    forward = np.stack([np.zeros(len(ways)), -ways[:, 2], ways[:, 1]], axis=1)
    lengths = np.linalg.norm(ways, axis=1, keepdims=True)
    knees = middle + forward / lengths * np.sqrt(0.16 - lengths**2 / 4)
    return Leg([0, 1, 2], 0, 1, 2, np.tile(np.eye(3), (len(hips), 3, 1, 1)), np.stack([hips, knees, feet], axis=1))


@pytest.mark.parametrize("unit", [1.0, 100.0])
@pytest.mark.parametrize(("speed", "count"), [(3.0, 60), (0.0, 600)])
def test_a_foot_that_flies_goes_along_where_its_leg_would_fold_up(unit: float, speed: float, count: int) -> None:
    up, swing = np.array([0.0, 0.0, 1.0]), 0.5 * (1 - np.cos(np.arange(count) * 2 * np.pi / count))
    # In the middle the heel is behind the seat, as in running or in placing it there slowly.
    way = np.outer(speed * np.arange(count) / RATE, [0.0, 1.0, 0.0])
    hips, feet = way + 0.75 * up, way + np.outer(swing, [0.0, -0.3, 0.4]) + 0.05 * up
    leg = legs_at(hips, feet)
    leg = replace(leg, positions=unit * leg.positions)
    now = replace(leg, positions=leg.positions - 0.2 * unit * up)
    moves = moves_along(leg, now, up, RATE, 1.75 * unit) / unit
    before, held, after = (np.linalg.norm(feet + one - hips, axis=1) for one in (0.0, 0.2 * up, 0.2 * up + moves))
    assert held.min() < 0.36 and before.min() > 0.42
    if not speed:
        assert not moves.any()
        return
    assert after.min() > 0.399 and np.all(after <= np.maximum(before, held) + 1e-9)
    assert np.linalg.norm(np.diff(moves, 2, axis=0), axis=1).max() < 0.02
    assert (feet + moves)[:, 2].min() >= 0.05 - 1e-9 and np.abs(moves[[0, -1]]).max() < 0.01
