# SPDX-License-Identifier: GPL-3.0-or-later
"""Coupling: the cost of segments that are out of phase with the root's part."""

import numpy as np
import pytest

from genmm_addon.core.examples.coupling import SAME_MOMENT_COST, Gait
from genmm_addon.core.examples.transition_costs import Bounds

RATE, PERIOD, REACH = 30.0, 20, 6
BOUNDS = Bounds.of_lengths(np.array([70, 90]))
PHASES = 2 * np.pi * np.arange(BOUNDS.frames) / PERIOD
ROWS = np.stack((np.cos(PHASES), np.sin(PHASES)), axis=1).astype(np.float32)
STARTS = np.array([0, 23, 50])


def gait_of(leading: np.ndarray) -> Gait:
    return Gait.of_rest(ROWS, BOUNDS, RATE, leading)


@pytest.mark.parametrize("behind", [-5, -1, 0, 2, 6])
def test_a_segment_is_cheapest_where_it_keeps_the_phase(behind: int) -> None:
    leading = np.concatenate((np.arange(40, 63), np.arange(12, 39), np.arange(95, 125)))
    strides = np.array([-1, 2, 1])
    # After this number of strides beyond the first example's, the second segment shows the other example.
    sources = leading[STARTS] + PERIOD * strides * np.array([1, 2, 1]) - behind
    costs = gait_of(leading).costs(STARTS, sources, REACH)
    assert costs.shape == (3, 2 * REACH + 1)
    assert (costs.argmin(axis=1) - REACH == behind).all()
    assert costs.min(axis=1) == pytest.approx(0.0, abs=1e-4)


def test_the_moment_of_the_part_that_leads_costs_less_than_half_a_stride() -> None:
    leading = np.arange(80, 110)
    cost = gait_of(leading).costs(np.array([0]), np.array([80 + PERIOD // 2]), PERIOD // 2)[0]
    assert cost[0] == pytest.approx(SAME_MOMENT_COST)
    assert cost[-1] == pytest.approx(0.0, abs=1e-4)
    assert cost[PERIOD // 2] > SAME_MOMENT_COST


def test_no_segment_leaves_its_example() -> None:
    leading = np.arange(80, 110)
    cost = gait_of(leading).costs(np.array([0]), np.array([70 + 2]), REACH)[0]
    assert np.isinf(cost[: REACH - 2]).all()
    assert np.isfinite(cost[REACH - 2 :]).all()
    cost = gait_of(leading).costs(np.array([0]), np.array([40]), REACH)[0]
    assert np.isfinite(cost[: REACH + 1]).all()
    assert np.isinf(cost[REACH + 1 :]).all()
