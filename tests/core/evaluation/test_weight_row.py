# SPDX-License-Identifier: GPL-3.0-or-later
"""The bench counts flights that defy gravity, quiet frames off balance, and frames with a limb through the body."""

import numpy as np
import pytest
from jumps import GRAVITY, jumper
from motions import FORWARD, standing_axes, turn, under_a_static_top, with_channel

from bench.measures.weight_row import KEYS, weight_row
from genmm_addon.core import rotations
from genmm_addon.core.feet import move_root, standing_of
from genmm_addon.core.repair.weight.bodies import with_feet_kept


def test_true_results_are_as_good_as_their_example_and_floating_ones_are_not() -> None:
    row = weight_row(jumper(), [jumper(), jumper(0.5 * GRAVITY)])
    assert row["flight_error_example"] == pytest.approx(0.0, abs=0.01)
    assert row["flight_error"] == pytest.approx(0.25, abs=0.01)
    assert row["off_balance"] == row["off_balance_example"] == 0.0


def test_a_result_that_leans_is_off_balance() -> None:
    example = jumper().take(np.zeros(60, np.int64))
    standing, still = standing_of(example), np.zeros((60, 2, 3))
    ahead = np.tile(0.13 * example.skeleton.size * FORWARD, (60, 1))
    result = with_feet_kept(example, move_root(example, 0, ahead), standing, still)
    row = weight_row(example, [example, result])
    assert row["off_balance_example"] == 0.0 and row["off_balance"] == 0.5
    assert row["flight_error"] is None


def test_a_body_without_feet_has_no_measures_of_weight() -> None:
    row = weight_row(under_a_static_top(), [under_a_static_top()])
    assert row == {**dict.fromkeys(KEYS), "through_body": 0.0}


def test_a_limb_through_the_body_counts_unless_the_example_has_it() -> None:
    example = jumper().take(np.zeros(60, np.int64))
    joint = example.skeleton.names.index("upper_arm.L")
    values, axes = example.rotations.astype(np.float64), standing_axes(len(example.skeleton.names))[joint]
    inward = rotations.multiply(rotations.inverse(axes), rotations.multiply(turn(FORWARD, 0.4), axes))
    values[:15, joint] = rotations.multiply(inward, values[:15, joint])
    result = with_channel(example, "rotations", values)
    assert weight_row(example, [example, result])["through_body"] == 0.125
    assert weight_row(result, [result])["through_body"] == 0.0
