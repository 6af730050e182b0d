# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that reaches while it stands keeps its center of mass over its feet, as far as its places allow."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from legged import TOES, marcher

from genmm_addon.core import Motion, Reach, metrics
from genmm_addon.core.environment import ReachBody, find_body, meet_places
from genmm_addon.core.evaluation import find_balance
from genmm_addon.core.feet import standing_of
from genmm_addon.core.feet.contact_detection import feet_by_name

MET, ALLOWED = 1e-3, 1.2


def joint(name: str) -> int:
    return marcher()[0].skeleton.names.index(name)


@cache
def standing() -> Motion:
    """Return a body that marches and then stands on both feet."""
    march = marcher()[0]
    return march.take(np.concatenate((np.arange(40), np.full(110, 40))))


@cache
def body() -> ReachBody:
    skeleton = standing().skeleton
    return find_body([standing()], [joint("hand.L")], 0, feet_by_name(skeleton, TOES))


def in_balance() -> ReachBody:
    return replace(body(), balance=find_balance([standing()], standing_of(standing())))


def ahead(far: float) -> Reach:
    motion = standing()
    active = np.zeros(motion.frames, bool)
    active[95:120] = True
    place = np.asarray(motion.pose()[1][100, joint("hand.L")]) + np.array([0.0, far, -0.1])
    return Reach(joint("hand.L"), active, np.tile(place, (motion.frames, 1)))


def off_balance(motion: Motion) -> int:
    """Return the number of quiet frames out of support, of those in which the example is in balance."""
    balance = find_balance([standing()], standing_of(standing()))
    off, before = (balance.outside(one)[0] > balance.tolerance for one in (motion, standing()))
    return int(np.count_nonzero(off & ~before))


@pytest.mark.parametrize("far", [-0.2, -0.3])
def test_a_reach_behind_the_body_ends_in_balance_with_hand_and_feet_where_they_were(far: float) -> None:
    motion, reach = standing(), ahead(far)
    falling = meet_places(motion, [reach], body()).motion
    met = meet_places(motion, [reach], in_balance())
    assert off_balance(falling) > 10
    assert off_balance(met.motion) == 0
    assert met.missing.max() < MET * motion.skeleton.size
    for toe in TOES:
        moved = met.motion.pose()[1][:, joint(toe)] - motion.pose()[1][:, joint(toe)]
        assert np.abs(moved).max() < MET * motion.skeleton.size
    assert metrics.acceleration_ratios(met.motion, motion)[1] <= ALLOWED


def test_a_reach_that_keeps_the_balance_by_itself_is_as_without_it() -> None:
    met = meet_places(standing(), [ahead(0.3)], in_balance()).motion
    assert np.array_equal(met.rotations, meet_places(standing(), [ahead(0.3)], body()).motion.rotations)
    assert off_balance(met) == 0
