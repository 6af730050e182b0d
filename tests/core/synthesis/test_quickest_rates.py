# SPDX-License-Identifier: GPL-3.0-or-later
"""Uneven rates: accelerations of points on paths that are played at them, means, limits, and turns of last joints."""

import numpy as np
import pytest
from motions import RATE, UPWARD, Joints, build_skeleton, pose_channels, turn
from numpy.typing import NDArray

from genmm_addon.core import Motion
from genmm_addon.core.synthesis.whole_rounds import mean_rate, points_of, quickest_rates, rates_of_mean

Frames = NDArray[np.float64]
PERIOD = 90


def swinging_points(seed: int, places: Frames) -> Frames:
    """Return where five points of a random cycle are at some places of its rounds."""
    random = np.random.default_rng(seed)
    sizes, phases = random.normal(size=(3, 5, 3)), random.uniform(0.0, 2 * np.pi, (3, 5, 3))
    angles = 2 * np.pi / PERIOD * places[:, None, None, None] * np.arange(1.0, 4.0)[:, None, None] + phases
    return np.asarray((np.cos(angles) * sizes).sum(axis=1))


def highest_accelerations(points: Frames) -> Frames:
    return np.asarray(np.linalg.norm(np.diff(points, 2, axis=0), axis=2).max(axis=0))


def round_of(rates: Frames) -> Frames:
    """Return the middle one of three rounds."""
    return rates[PERIOD : 2 * PERIOD]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("factor", [1.1, 1.44])
def test_points_played_at_the_quickest_rates_accelerate_up_to_the_factor(seed: int, factor: float) -> None:
    points = swinging_points(seed, np.arange(3.0 * PERIOD + 1))
    quickest = quickest_rates(points, factor)
    times = np.concatenate(([0.0], np.cumsum(2 / (quickest[1:] + quickest[:-1]))))
    at = np.interp(np.arange(times[PERIOD], times[2 * PERIOD]), times, np.arange(len(times)))
    played = highest_accelerations(swinging_points(seed, at)) / highest_accelerations(points)
    assert 0.97 * factor < played.max() < 1.03 * factor
    assert round_of(quickest).min() >= np.sqrt(factor) - 1e-4
    assert mean_rate(round_of(quickest)) > np.sqrt(factor) + 0.005


def test_place_and_size_of_a_motion_do_not_matter() -> None:
    points = swinging_points(0, np.arange(3.0 * PERIOD + 1))
    quickest = quickest_rates(points, 1.1)
    assert np.allclose(quickest_rates(0.01 * points + 1000.0, 1.1), quickest, atol=1e-4)


def test_what_stays_calm_for_a_while_is_played_quickest_then() -> None:
    places = np.arange(3.0 * PERIOD + 1)
    bump = np.sin(np.pi * places / PERIOD) ** 8
    quickest = round_of(quickest_rates(np.stack((bump, 0 * bump, 0 * bump), axis=1)[:, None], 1.1))
    assert quickest[0] == pytest.approx(2.0) and quickest[PERIOD // 2] == pytest.approx(np.sqrt(1.1), abs=0.01)
    assert mean_rate(quickest) > 1.3


def test_calm_places_take_most_of_a_change_of_pace() -> None:
    quickest = np.array([1.1, 1.1, 1.4, 1.7])
    assert rates_of_mean(quickest, 1.2).round(2).tolist() == [1.1, 1.1, 1.32, 1.32]
    assert rates_of_mean(quickest, 0.9).round(2).tolist() == [1.0, 1.0, 0.91, 0.75]


@pytest.mark.parametrize("rate", [0.51, 0.6, 0.9, 1.0, 1.04, 1.2, 1.5, 1.9, 2.0])
@pytest.mark.parametrize("seed", range(3))
def test_rates_have_the_mean_and_stay_within_the_limits(rate: float, seed: int) -> None:
    quickest = round_of(quickest_rates(swinging_points(seed, np.arange(3.0 * PERIOD + 1)), 1.1))
    rates = rates_of_mean(quickest, rate)
    assert mean_rate(rates) == pytest.approx(rate, abs=1e-4)
    assert rates.min() >= 0.5 and rates.max() <= 2.0
    assert rate >= 1 or rates.max() <= 1.0
    assert (np.ptp(rates) < 1e-3) == (1.0 <= rate <= np.sqrt(1.1) or rate == 2.0)
    assert np.sum((rates[:, None] > rates + 1e-9) & (quickest[:, None] < quickest), axis=None) == 0 or rate < 1
    assert np.sum((rates[:, None] < rates - 1e-9) & (quickest[:, None] < quickest), axis=None) == 0 or rate >= 1


def test_what_only_turns_is_limited_as_well() -> None:
    joints: Joints = {"wheel": ("", (0.0, 0.0, 0.0))}
    angles = 2 * np.pi * np.arange(91) / 30
    skeleton = build_skeleton(joints)
    wheel = Motion(skeleton, RATE, pose_channels(skeleton, {"wheel": turn(UPWARD, angles)}, 91))
    assert np.allclose(quickest_rates(points_of(wheel), 1.1)[30:60], np.sqrt(1.1), atol=0.005)
