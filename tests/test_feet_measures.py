# SPDX-License-Identifier: GPL-3.0-or-later
"""The measures of feet that `build.py bench --quality` prints, for a foot with a known path."""

import numpy as np
import pytest

from bench.measures.feet_measures import dragged, foot_acceleration, lifts_twice, skate_beside, without_planted_foot
from genmm_addon.core import Motion, Skeleton
from genmm_addon.core.feet import Foot

RATE = 30.0
FEET = (Foot(joint=1, leg=()),)
BASE = np.zeros(1)


def moved(along: list[float], heights: list[float]) -> Motion:
    """Return a root that stays above the origin, and a foot 1 unit below it at these positions."""
    frames = len(along)
    skeleton = Skeleton(
        ("root", "foot"),
        np.array([-1, 0]),
        np.tile([1.0, 0, 0, 0], (2, 1)),
        np.array([[0.0, 0, 1], [0, 0, -1]]),
        (0.0, 0.0, 1.0),
    )
    translations = np.zeros((frames, 1, 3), np.float32)
    translations[:, 0, 0], translations[:, 0, 2] = along, heights
    turns = np.tile(np.array([1.0, 0, 0, 0], np.float32), (frames, 2, 1))
    return Motion(skeleton, RATE, turns, translated=np.array([1]), translations=translations)


def steps(*spans: tuple[bool, int]) -> Motion:
    """Return a foot on the ground, or half a unit above it, for a number of frames each."""
    heights = np.concatenate([np.full(length, 0.0 if stands else 0.5) for stands, length in spans])
    return moved(np.zeros(len(heights)).tolist(), heights.tolist())


def test_a_foot_in_the_air_is_not_planted() -> None:
    assert without_planted_foot(steps((True, 30), (False, 10)), FEET, BASE) == pytest.approx(0.25)


@pytest.mark.parametrize(("between", "twice"), [(6, 1), (30, 0)])
def test_a_foot_lifts_twice_that_lifts_again_soon(between: int, twice: int) -> None:
    assert lifts_twice(steps((True, 20), (False, 8), (True, between), (False, 8), (True, 20)), FEET, BASE) == twice


def test_gap_too_short_to_see_is_not_counted_as_lifting() -> None:
    assert lifts_twice(steps((True, 20), (False, 2), (True, 6), (False, 8), (True, 20)), FEET, BASE) == 0


def test_a_foot_is_dragged_by_its_longest_way_in_one_stance() -> None:
    slow, size = 0.002, steps((True, 1)).skeleton.size
    along = np.concatenate((np.arange(20) * slow, np.full(10, 0.2), 0.2 + np.arange(11) * slow))
    heights = np.concatenate((np.zeros(20), np.full(10, 0.5), np.zeros(11)))
    assert dragged(moved(along.tolist(), heights.tolist()), FEET, BASE) == pytest.approx(17 * slow / size, abs=2 * slow)


def test_only_sliding_beside_a_pin_counts() -> None:
    along = np.concatenate((np.zeros(100), np.linspace(0, 0.1, 20), np.full(100, 0.1))).tolist()
    motion = moved(along, [0.0] * 220)
    assert skate_beside(motion, FEET, BASE, np.array([30])) == pytest.approx(0.0, abs=1e-6)
    assert skate_beside(motion, FEET, BASE, np.array([110])) > 1.0


def test_a_foot_that_stops_dead_accelerates_more_than_the_example() -> None:
    share = np.linspace(0, 1, 31)
    soft = moved((share * share * (3 - 2 * share)).tolist(), [0.5] * 31)
    dead = moved(np.concatenate((np.linspace(0, 1, 16), np.ones(15))).tolist(), [0.5] * 31)
    assert foot_acceleration(soft, soft, FEET) == pytest.approx(1.0)
    assert foot_acceleration(dead, soft, FEET) > 3.0
