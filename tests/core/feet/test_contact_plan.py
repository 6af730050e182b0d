# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts over a crossfade: a foot does not stop in a swing or lift twice, and one foot stays on the ground."""

import numpy as np
import pytest
from motions import RATE
from numpy.typing import NDArray

from genmm_addon.core.feet.footsteps import STEP_SECONDS
from genmm_addon.core.motion.filters import smoothstep
from genmm_addon.core.synthesis.foot_plan import Sides, plan_contacts, with_steps

pytestmark = pytest.mark.filterwarnings("error")

FRAMES = 24
WEIGHTS = smoothstep((np.arange(FRAMES) + 0.5) / FRAMES).astype(np.float64)
NOBODY = np.zeros(FRAMES, bool)
AROUND = 24

Bool = NDArray[np.bool_]


def stands(*spans: tuple[int, int]) -> Bool:
    """Return the contacts of a foot that stands from the first frame of each span up to the second."""
    contacts = np.zeros(FRAMES, bool)
    for first, end in spans:
        contacts[first:end] = True
    return contacts


def planned(before: list[Bool], after: list[Bool], others: Bool = NOBODY) -> Bool:
    """Return the plan for feet with these contacts on both sides, constant outside of the crossfade."""
    early, late = np.stack(before, axis=1), np.stack(after, axis=1)
    heights, later_heights = (np.where(side, 0.0, 0.1) for side in (early, late))
    earlier, later = (np.repeat(side, AROUND, axis=0) for side in (early[:1], late[-1:]))
    sides = Sides(early, late, heights, later_heights, WEIGHTS, earlier, later)
    return plan_contacts(sides, others, RATE, 1.0)


def test_where_both_sides_agree_nothing_is_planned() -> None:
    own = stands((4, 11))
    assert np.array_equal(planned([own], [own])[:, 0], own)


def test_every_plan_follows_the_earlier_side_first_and_the_later_side_then() -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        before, after = random.random((2, FRAMES, 3)) < 0.5
        result = planned(list(before.T), list(after.T))
        for foot in range(3):
            fits = [
                np.array_equal(result[:, foot], np.concatenate((before[:at, foot], after[at:, foot])))
                for at in range(FRAMES + 1)
            ]
            assert any(fits)


def test_swinging_foot_keeps_swinging_until_it_hardly_moves() -> None:
    """The later side stands all the time, and at half time the foot is still moving."""
    landing = planned([stands()], [stands((0, FRAMES))], others=~NOBODY)[:, 0]
    assert not landing[: FRAMES // 2].any()
    assert landing[-4:].all()


def test_one_foot_stands_where_each_side_has_one_that_does() -> None:
    left, right = stands((0, FRAMES)), stands()
    result = planned([left, right], [right, left])
    assert result.any(axis=1).all()
    assert result[0].tolist() == [True, False] and result[-1].tolist() == [False, True]


@pytest.mark.parametrize("stair", [0.01, 0.05, -0.05])
def test_a_foot_takes_time_for_a_step_from_one_stair_to_another(stair: float) -> None:
    before, after = stands((0, 10))[:, None], stands((0, FRAMES))[:, None]
    levels = np.zeros((FRAMES, 1)), np.full((FRAMES, 1), stair)
    around = (np.ones((AROUND, 1), bool),) * 2
    sides = Sides(before, after, *levels, WEIGHTS, *around)
    result = with_steps(plan_contacts(sides, NOBODY, RATE, 1.0), sides, RATE, 1.0)[:, 0]
    step = stands((10 - round(STEP_SECONDS * RATE / 2), 10 + round(STEP_SECONDS * RATE / 2)))
    assert np.array_equal(~result, step if abs(stair) > 0.02 else stands())


def test_feet_stay_in_the_air_while_a_side_flies() -> None:
    flies = stands((0, 6))
    assert not planned([flies, stands()], [flies, stands()])[6:].any()


def test_a_foot_lifts_once_where_its_sides_lift_at_other_times() -> None:
    """Changing sides at half time, it would lift with the earlier side, stand with the later one, and lift again."""
    result = planned([stands((0, 8))], [stands((0, 18))], others=~NOBODY)[:, 0]
    assert np.sum(np.diff(result.astype(int)) < 0) == 1


def test_the_plan_does_not_depend_on_the_order_of_the_feet() -> None:
    left, right = stands((0, 14)), stands((10, FRAMES))
    one = planned([left, right], [right, left])
    other = planned([right, left], [left, right])
    assert np.array_equal(one.any(axis=1), other.any(axis=1))
