# SPDX-License-Identifier: GPL-3.0-or-later
"""Landings on stiff legs: found, mended by legs that give, and nothing else changed."""

from dataclasses import replace

import numpy as np
import pytest
from jumps import FLIGHT_FRAMES, FRAMES, GRAVITY, TAKE_OFF, jumper
from motions import RATE, in_other_units, turned_and_moved, walker
from numpy.typing import NDArray
from whole_repairs import check_repaired_whole

from genmm_addon.core import Motion
from genmm_addon.core.evaluation import center_of_mass, find_body_model
from genmm_addon.core.feet import move_root, standing_of
from genmm_addon.core.feet.calm_knees import find_knees
from genmm_addon.core.repair import FlawKind, KeptInFlight, find_flaws, marked_frames, repair
from genmm_addon.core.repair.weight.bodies import with_feet_kept

pytestmark = pytest.mark.filterwarnings("error")

LANDINGS = frozenset({FlawKind.LANDING})
TOUCHDOWN = TAKE_OFF + FLIGHT_FRAMES


def stiff(gravity: float = GRAVITY, frames: int = FRAMES) -> Motion:
    """Return a biped that stands, flies up and down along gravity, and stands again in the same pose at once."""
    time, whole = (np.arange(frames) - TAKE_OFF) / RATE, FLIGHT_FRAMES / RATE
    lift = np.zeros((frames, 3))
    lift[:, 2] = np.where((time > 0) & (time < whole), gravity / 2 * time * (whole - time), 0.0)
    return move_root(jumper().take(np.zeros(frames, np.int64)), 0, lift)


def stopped(rate: float, frames: int) -> tuple[Motion, int]:
    """Return a stiff biped at another rate whose legs stop its fall within some frames, and the frame of touchdown."""
    finer = round(rate / RATE)
    motion = replace(jumper().take(np.zeros(finer * FRAMES, np.int64)), frames_per_second=rate)
    time, whole, stop = (np.arange(motion.frames) - finer * TAKE_OFF) / rate, FLIGHT_FRAMES / RATE, frames / rate
    share, lift, down = np.clip((time - whole) / stop, 0.0, 1.0), *np.zeros((2, motion.frames, 3))
    lift[:, 2] = np.where((time > 0) & (time < whole), GRAVITY / 2 * time * (whole - time), 0.0)
    down[:, 2] = -GRAVITY * whole / 2 * stop * (share - share**2 / 2)
    standing, flying = standing_of(motion), move_root(motion, 0, lift)
    still = np.zeros((motion.frames, 2, 3))
    return with_feet_kept(flying, move_root(flying, 0, down), standing, still), finer * TOUCHDOWN


def knees(motion: Motion, near: slice) -> float:
    """Return the largest acceleration of a knee in some frames, in units per frame squared."""
    return find_knees([motion.slice(near.start, near.stop)], standing_of(motion).feet).quickest


def heights(motion: Motion) -> NDArray[np.float64]:
    """Return the heights `(T,)` of the center of mass, in sizes."""
    center = center_of_mass(motion, find_body_model(motion.skeleton)) @ np.array(motion.skeleton.up)
    return np.asarray(center / motion.skeleton.size)


def hardest(motion: Motion) -> float:
    """Return the largest upward acceleration after the flight, in sizes per second squared."""
    return float(np.diff(heights(motion), 2)[TOUCHDOWN - 2 :].max()) * RATE**2


def test_legs_that_give_have_no_flaw() -> None:
    for motion in (jumper(), walker(240), jumper(hovers=True)):
        assert find_flaws(motion, standing_of(motion), LANDINGS) == ()


@pytest.mark.parametrize("kept", KeptInFlight)
def test_legs_give_after_a_flight_that_is_repaired(kept: KeptInFlight) -> None:
    floating = stiff(0.5 * GRAVITY)
    standing = standing_of(floating)
    flaws = find_flaws(floating, standing, LANDINGS | {FlawKind.FLIGHT})
    made = repair(floating, flaws, standing, kept=kept)
    assert find_flaws(made, standing_of(made), LANDINGS | {FlawKind.FLIGHT}) == ()


def test_a_stiff_landing_is_found_at_touchdown_and_its_legs_give_afterward() -> None:
    wrong = stiff()
    standing = standing_of(wrong)
    (flaw,) = find_flaws(wrong, standing, LANDINGS)
    speed = GRAVITY * FLIGHT_FRAMES / RATE / 2
    # The whole speed is lost from one frame to the next.
    assert abs(flaw.first - TOUCHDOWN) <= 1 and np.isclose(flaw.amount - 1.0, speed * RATE / GRAVITY, rtol=0.2)
    made = repair(wrong, [flaw], standing)
    made.check_values("The repaired motion")
    assert find_flaws(made, standing, LANDINGS) == ()
    assert hardest(made) < 0.5 * hardest(wrong)
    lowest = int(heights(made).argmin())
    assert flaw.first < lowest < flaw.last and heights(wrong).min() - heights(made)[lowest] > 0.04
    # It goes down once, and comes up once.
    ways = np.sign(np.diff(heights(made)[TOUCHDOWN : flaw.last]).round(5))
    assert np.count_nonzero(np.diff(ways[ways != 0])) == 1
    outside = ~marked_frames(wrong, (flaw,))
    assert np.array_equal(made.rotations[outside], wrong.rotations[outside])
    assert np.array_equal(made.translations[outside.any(axis=1)], wrong.translations[outside.any(axis=1)])


def test_the_feet_stay_while_legs_give() -> None:
    wrong = stiff()
    standing = standing_of(wrong)
    made = repair(wrong, find_flaws(wrong, standing, LANDINGS), standing)
    for foot in standing.feet:
        away = np.linalg.norm(made.pose()[1] - wrong.pose()[1], axis=2)[:, foot.joint]
        assert away.max() < 0.01 * wrong.skeleton.size


@pytest.mark.parametrize("frames", [2, 4])
def test_knees_of_a_mended_landing_accelerate_no_more_than_is_noticed(frames: int) -> None:
    wrong, touchdown = stopped(4 * RATE, frames)
    standing, near = standing_of(wrong), slice(touchdown - 5, wrong.frames)
    (flaw,) = find_flaws(wrong, standing, LANDINGS)
    before = knees(wrong, near)
    for quickest in (0.0, 1.2 * before, np.inf):
        of_examples = replace(
            standing, knees=replace(standing.knees, acceleration=np.full(len(standing.feet), quickest))
        )
        made = repair(wrong, [flaw], of_examples)
        assert knees(made, near) <= 1.2 * max(before, quickest) + 1e-9
        again = [later.amount for later in find_flaws(made, standing, LANDINGS)]
        assert max(again, default=0.0) <= flaw.amount
    # Without a limit they give completely, and knees would be quicker.
    assert not again and knees(made, near) > 1.25 * before


def test_the_strength_goes_from_a_stiff_landing_to_a_soft_one() -> None:
    wrong = stiff()
    standing = standing_of(wrong)
    flaws = find_flaws(wrong, standing, LANDINGS)
    lows = [heights(repair(wrong, flaws, standing, strength)).min() for strength in (0.0, 0.5, 1.0)]
    assert lows[0] > lows[1] + 0.01 > lows[2] + 0.02


def test_units_directions_and_given_gravity_do_not_matter() -> None:
    wrong = stiff()
    (flaw,) = find_flaws(wrong, standing_of(wrong), LANDINGS)
    for factor in (0.01, 100.0):
        other = in_other_units(turned_and_moved(wrong, 0.4, (3.0, 1.0, 5.0)), factor)
        standing = standing_of(other)
        (same,) = find_flaws(other, standing, LANDINGS)
        assert (same.first, same.last) == (flaw.first, flaw.last) and np.isclose(same.amount, flaw.amount, rtol=1e-2)
        (given,) = find_flaws(other, standing, LANDINGS, gravity=GRAVITY * factor)
        assert np.isclose(given.amount, flaw.amount, rtol=0.05)
        assert find_flaws(repair(other, [same], standing), standing, LANDINGS) == ()


@pytest.mark.parametrize("kept", KeptInFlight)
@pytest.mark.parametrize("share", [0.5, 2.0])
def test_a_wrong_flight_with_a_stiff_landing_is_repaired_as_a_whole(share: float, kept: KeptInFlight) -> None:
    wrong = stiff(share * GRAVITY)
    standing = standing_of(wrong)
    kinds = frozenset({FlawKind.FLIGHT, FlawKind.LANDING})
    flaws = find_flaws(wrong, standing, kinds)
    assert FlawKind.FLIGHT in {flaw.kind for flaw in flaws}
    made = repair(wrong, flaws, standing, kept=kept)
    made.check_values("The repaired motion")
    again = repair(made, find_flaws(made, standing, kinds), standing, kept=kept)
    assert find_flaws(again, standing, kinds) == ()


@pytest.mark.parametrize("left", [2, 3, 5, 9])
def test_a_motion_that_ends_soon_after_touchdown_is_never_landed_harder(left: int) -> None:
    wrong = stiff(frames=TOUCHDOWN + left)
    standing = standing_of(wrong)
    made = repair(wrong, find_flaws(wrong, standing, LANDINGS), standing)
    made.check_values("The repaired motion")
    assert hardest(made) <= hardest(wrong) + 1e-6
    assert np.array_equal(made.rotations[: TOUCHDOWN - 1], wrong.rotations[: TOUCHDOWN - 1])


def test_a_landing_on_the_way_to_the_next_jump_leaves_that_jump_as_it_is() -> None:
    once = stiff()
    twice = once.take(np.r_[0 : TOUCHDOWN + 10, TAKE_OFF:FRAMES])
    standing = standing_of(twice)
    first, _ = find_flaws(twice, standing, LANDINGS)
    assert first.last <= TOUCHDOWN + 10
    made = repair(twice, [first], standing)
    assert np.array_equal(made.rotations[TOUCHDOWN + 11 :], twice.rotations[TOUCHDOWN + 11 :])
    assert heights(made).min() < heights(twice).min() - 0.02


def test_landings_are_repaired_as_a_whole_or_not_at_all() -> None:
    check_repaired_whole(stiff(), LANDINGS, (0, 9))
