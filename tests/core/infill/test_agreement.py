# SPDX-License-Identifier: GPL-3.0-or-later
"""The mean of similar fillings: nearer to the original, between the same poses, and never of two different ways."""

import numpy as np
import pytest
from motions import walker, waver

from genmm_addon.core import Motion, metrics, rotations
from genmm_addon.core.infill import fill_gap
from genmm_addon.core.infill.agreement import MOST_DIFFERENCES, agreeing_mean, differences, weighted_windows
from genmm_addon.core.infill.fill import fill_window, rank_gap
from genmm_addon.core.infill.fillings import GapWindow
from genmm_addon.core.library import IndexedMotions, index_motions
from genmm_addon.core.motion import Gap


@pytest.fixture(scope="module")
def prepared() -> IndexedMotions:
    return index_motions([make(240, seed) for seed in range(8) for make in (walker, waver)])


def gap_in(motion: Motion, first: int, frames: int) -> Gap:
    return Gap(motion.slice(first - 14, first + 1), motion.slice(first + frames, first + frames + 15))


def windows(count: int) -> list[GapWindow]:
    return [GapWindow(100 * number, 59, 0.2) for number in range(count)]


@pytest.mark.slow
def test_the_best_filling_is_nearer_to_unseen_motion_than_its_window_alone(prepared: IndexedMotions) -> None:
    found, alone = [], []
    for seed, first in ((9, 30), (9, 120), (10, 77), (11, 40)):
        motion = walker(240, seed)
        gap, truth = gap_in(motion, first, 41), motion.slice(first, first + 42)
        window = rank_gap(prepared, gap, 41, None).windows[0]
        found.append(metrics.l2_positions(fill_gap(prepared, gap, 41)[0].motion, truth))
        alone.append(metrics.l2_positions(fill_window(prepared, gap, 41, window).motion, truth))
    assert np.mean(found) < 0.95 * np.mean(alone)


def test_the_mean_of_two_motions_lies_between_them(prepared: IndexedMotions) -> None:
    one = walker(60, 3)
    bend = rotations.from_vector(np.random.default_rng(1).normal(0.0, 0.02, (*one.rotations.shape[:2], 3)))
    other = one.with_channels(
        {
            **one.channels(),
            # Negated quaternions are the same rotations.
            "rotations": -rotations.multiply(one.rotations, bend.astype(np.float32)),
            "translations": one.translations + np.float32(0.01),
        }
    )
    apart_by = differences([one, other], prepared.index.space.plan)
    assert 0.0 < apart_by[0, 1] == apart_by[1, 0] < MOST_DIFFERENCES[-1]
    agreement = agreeing_mean(windows(2), [1.0, 1.0], [one, other], apart_by, MOST_DIFFERENCES[-1])
    assert agreement.leading == 0 and agreement.weights.tolist() == [1.0, 1.0]
    mean = agreement.motion
    apart = rotations.angle_between(one.rotations, other.rotations)
    assert apart.max() > 0.01
    for side in (one, other):
        assert np.allclose(rotations.angle_between(mean.rotations, side.rotations), apart / 2, atol=1e-3)
    assert np.allclose(mean.translations, (one.translations + other.translations) / 2, atol=1e-6)


def test_most_common_way_leads_and_differing_ways_are_left_out(prepared: IndexedMotions) -> None:
    plan, alone, common = prepared.index.space.plan, waver(60, 4), walker(60, 3)
    motions = [alone, common, common]
    apart = differences(motions, plan)
    assert apart[0, 1] > MOST_DIFFERENCES[0] and apart[1, 2] == 0.0
    ranked = windows(3)
    agreement = agreeing_mean(ranked, [1.0, 0.9, 0.8], motions, apart, MOST_DIFFERENCES[0])
    assert agreement.leading == 1 and agreement.windows == tuple(ranked[1:])
    assert rotations.angle_between(agreement.motion.rotations, common.rotations).max() < 1e-3
    first = agreeing_mean(ranked[:2], [1.0, 0.9], motions[:2], apart[:2, :2], MOST_DIFFERENCES[0])
    assert (first.leading, first.windows, first.motion) == (0, (ranked[0],), alone)
    both = agreeing_mean(ranked[:2], [1.0, 1.0], motions[:2], apart[:2, :2], 1.01 * float(apart[0, 1]))
    assert both.windows == tuple(ranked[:2]) and both.motion is not alone, "with less asked for they agree"


def test_costlier_windows_weigh_less_and_an_exact_fit_is_used_alone() -> None:
    ranked = [GapWindow(frame, 30, cost) for frame, cost in ((0, 0.2), (100, 0.2), (200, 0.3), (300, 0.4), (400, 3.0))]
    windows, weights = weighted_windows(ranked)
    assert windows == ranked[:4]
    assert weights == pytest.approx([1.0, 1.0, np.exp(-1.0), np.exp(-2.0)])
    assert weighted_windows([GapWindow(0, 30, 0.0), GapWindow(100, 30, 0.1)])[1] == [1.0]
