# SPDX-License-Identifier: GPL-3.0-or-later
"""Flights that defy gravity and stands that would topple: found, repaired, and nothing else changed."""

from dataclasses import replace

import numpy as np
import pytest
from jumps import FLIGHT_FRAMES, FRAMES, GRAVITY, TAKE_OFF, jumper
from motions import FORWARD, RATE, UPWARD, in_other_units, turn, turned_and_moved, walker
from numpy.typing import NDArray

from genmm_addon.core import Motion
from genmm_addon.core.evaluation import center_of_mass, find_body_model, find_flights, find_support, gravity_error
from genmm_addon.core.feet import move_root, standing_of
from genmm_addon.core.feet.calm_paths import NOTICED
from genmm_addon.core.motion import joint_accelerations, resample, smoothstep
from genmm_addon.core.repair import (
    OF_WEIGHT,
    Flaw,
    FlawKind,
    KeptInFlight,
    find_flaws,
    in_balance_as,
    marked_frames,
    repair,
)
from genmm_addon.core.repair.weight.bodies import with_feet_kept

pytestmark = pytest.mark.filterwarnings("error")

FLIGHTS, STANDS = (frozenset({kind}) for kind in (FlawKind.FLIGHT, FlawKind.BALANCE))


def flown(motion: Motion) -> tuple[float, int]:
    """Return the error of gravity in the flight of a motion, and the number of its frames."""
    center = center_of_mass(motion, find_body_model(motion.skeleton))
    (flight,) = find_flights(motion, center, standing_of(motion))
    heights = center[flight.first : flight.last + 1] @ np.array(motion.skeleton.up)
    return gravity_error(heights, GRAVITY * motion.skeleton.size / jumper().skeleton.size, 30.0), flight.frames


def leaning(share: float) -> Motion:
    """Return the standing jumper, its pelvis moved forward by a share of its size for two seconds, feet in place."""
    motion = jumper().take(np.zeros(120, np.int64))
    time = np.clip(np.minimum(np.arange(120) - 20, 100 - np.arange(120)) / 20, 0.0, 1.0)
    shift = (share * motion.skeleton.size * smoothstep(time))[:, None] * FORWARD
    return with_feet_kept(motion, move_root(motion, 0, shift), standing_of(motion), np.zeros((120, 2, 3)))


def excess(motion: Motion) -> NDArray[np.float64]:
    """Return how far the center of mass is outside of the support at each frame, in sizes."""
    center = center_of_mass(motion, find_body_model(motion.skeleton))
    distance, _ = find_support(motion, standing_of(motion)).outside(center)
    return np.maximum(np.nan_to_num(distance), 0.0) / motion.skeleton.size


def test_true_jumps_and_walks_have_no_flaw() -> None:
    for motion in (jumper(), walker(240), jumper(hovers=True)):
        assert find_flaws(motion, standing_of(motion), OF_WEIGHT) == ()


def test_a_body_that_swings_from_hold_to_hold_has_no_flaw() -> None:
    # A gymnast off the ground for two seconds, whose center of mass rises and sinks slowly.
    held = replace(resample(jumper(), 4 * RATE)[0], frames_per_second=RATE)
    (flight,) = find_flights(held, center_of_mass(held, find_body_model(held.skeleton)), standing_of(held))
    assert flight.frames > 1.5 * RATE
    assert find_flaws(held, standing_of(held), FLIGHTS, GRAVITY) == ()


@pytest.mark.parametrize("share", [0.4, 0.6, 0.8, 1.25, 1.5, 2.5])
@pytest.mark.parametrize("kept", KeptInFlight)
def test_a_flight_of_another_gravity_is_found_and_follows_gravity_afterward(share: float, kept: KeptInFlight) -> None:
    wrong = jumper(share * GRAVITY)
    standing = standing_of(wrong)
    (flaw,) = find_flaws(wrong, standing, FLIGHTS)
    assert flaw.kind is FlawKind.FLIGHT and np.isclose(flaw.amount, share, rtol=0.02)
    made = repair(wrong, [flaw], standing, kept=kept)
    made.check_values("The repaired motion")
    (error, frames), (before, frames_before) = flown(made), flown(wrong)
    assert error < 0.05 < before
    assert find_flaws(made, standing_of(made), FLIGHTS) == ()
    outside = ~marked_frames(wrong, (flaw,))
    assert np.array_equal(made.rotations[outside], wrong.rotations[outside])
    assert np.array_equal(made.translations[outside.any(axis=1)], wrong.translations[outside.any(axis=1)])
    if kept is KeptInFlight.DURATION:
        assert abs(frames - frames_before) <= 2
    else:
        tops = [float(center_of_mass(one, find_body_model(one.skeleton))[:, 2].max()) for one in (wrong, made)]
        assert abs(frames / frames_before - np.sqrt(share)) < 0.25 and abs(tops[1] - tops[0]) < 0.05


@pytest.mark.parametrize("stance", [6, 8, 12])
def test_jumps_played_slowly_become_as_short_as_they_were_with_little_time_between(stance: int) -> None:
    # The poses at equal times before take-off and after landing are the same.
    truth = jumper().take(np.r_[0 : TAKE_OFF + FLIGHT_FRAMES + stance // 2, TAKE_OFF - stance // 2 : FRAMES])
    slow = replace(resample(truth, 1.5 * RATE)[0], frames_per_second=RATE)
    standing = standing_of(slow)
    made = repair(slow, find_flaws(slow, standing, FLIGHTS), standing, kept=KeptInFlight.HEIGHT)
    lengths = [
        [flight.frames for flight in find_flights(one, center_of_mass(one, find_body_model(one.skeleton)), standing)]
        for one in (truth, slow, made)
    ]
    assert np.subtract(lengths[1], lengths[0]).min() >= 6 and np.abs(np.subtract(lengths[2], lengths[0])).max() <= 1
    assert find_flaws(made, standing, FLIGHTS) == ()


@pytest.mark.parametrize("share", [1.5, 2.0])
@pytest.mark.parametrize("stance", [2, 6])
def test_what_is_beside_a_flight_makes_room_for_it_only_without_a_jerk(share: float, stance: int) -> None:
    jumps = jumper(share * GRAVITY)
    jumps = jumps.take(np.r_[0 : TAKE_OFF + FLIGHT_FRAMES + stance // 2, TAKE_OFF - stance // 2 : FRAMES])
    arm, turns = jumps.skeleton.names.index("upper_arm.L"), jumps.rotations.copy()
    turns[:, arm] = turn(FORWARD, 1.3 + np.sin(np.arange(jumps.frames) * np.pi / 4))
    wrong = replace(jumps, rotations=turns)
    standing = standing_of(wrong)
    flaws = find_flaws(wrong, standing, FLIGHTS, GRAVITY)
    made = repair(wrong, flaws, standing, gravity=GRAVITY, kept=KeptInFlight.HEIGHT)
    assert len(flaws) == 2 and find_flaws(made, standing, FLIGHTS, GRAVITY) == ()
    assert joint_accelerations(made).max() < NOTICED * joint_accelerations(wrong).max()


@pytest.mark.parametrize("share", [0.4, 0.5, 0.7])
def test_jumps_played_quickly_are_still_jumps_once_they_are_lower(share: float) -> None:
    truth = jumper()
    quick = resample(replace(truth, frames_per_second=RATE / share), RATE)[0]
    standing = standing_of(quick)
    made = repair(quick, find_flaws(quick, standing, FLIGHTS, GRAVITY), standing, gravity=GRAVITY)
    (before,), (after,) = (
        find_flights(one, center_of_mass(one, find_body_model(one.skeleton)), standing) for one in (quick, made)
    )
    assert before.gravity > 1.9 * GRAVITY and after.gravity == pytest.approx(GRAVITY, rel=0.05)
    assert abs(after.first - before.first) <= 1 and abs(after.last - before.last) <= 1


@pytest.mark.parametrize("share", [0.6, 1.5])
def test_a_height_that_was_scaled_is_mended_to_the_original(share: float) -> None:
    truth = jumper()
    standing, center = standing_of(truth), center_of_mass(truth, find_body_model(truth.skeleton))
    (flight,) = find_flights(truth, center, standing)
    inside = np.arange(flight.first - 1, flight.last + 2)
    lift = np.zeros((FRAMES, 3))
    lift[inside, 2] = (share - 1) * (center[inside, 2] - np.interp(inside, inside[[0, -1]], center[inside[[0, -1]], 2]))
    wrong = move_root(truth, 0, lift)
    made = repair(wrong, find_flaws(wrong, standing, FLIGHTS), standing)
    away = np.linalg.norm(made.pose()[1] - truth.pose()[1], axis=2) / truth.skeleton.size
    assert np.median(away[inside]) < 0.005 and away.max() < 0.03


def test_feet_stay_on_the_ground_before_take_off_and_after_landing() -> None:
    wrong = jumper(0.5 * GRAVITY)
    standing = standing_of(wrong)
    made = repair(wrong, find_flaws(wrong, standing, FLIGHTS), standing)
    for foot in standing.feet:
        path, before = (motion.pose()[1][:, foot.joint] for motion in (made, wrong))
        stands = np.r_[0 : TAKE_OFF + 1, TAKE_OFF + FLIGHT_FRAMES : FRAMES]
        assert np.linalg.norm(path - before, axis=1)[stands].max() < 0.01 * wrong.skeleton.size
        assert path[:, 2].min() > before[:, 2].min() - 0.005 * wrong.skeleton.size


@pytest.mark.parametrize("kept", KeptInFlight)
@pytest.mark.parametrize("share", [0.5, 2.0])
def test_a_hop_too_short_to_be_measured_beside_a_flight_stays_and_the_repair_ends_at_it(
    share: float, kept: KeptInFlight
) -> None:
    landing, lift = TAKE_OFF + FLIGHT_FRAMES, np.zeros((FRAMES, 3))
    hop = slice(landing + 5, landing + 8)
    lift[hop, 2] = 0.08
    wrong = move_root(jumper(share * GRAVITY), 0, lift)
    standing = standing_of(wrong)
    (flaw,) = find_flaws(wrong, standing, FLIGHTS)
    assert flaw.last == hop.start - 1
    made = repair(wrong, [flaw], standing, kept=kept)
    assert flown(made)[0] < 0.05 and find_flaws(made, standing, FLIGHTS) == ()
    away = np.linalg.norm(made.pose()[1] - wrong.pose()[1], axis=2).max(axis=1) / wrong.skeleton.size
    assert away[hop].max() == 0.0 and away[[flaw.first, flaw.last]].max() < 0.01 < away.max()


@pytest.mark.parametrize("kept", KeptInFlight)
def test_the_strength_goes_from_a_wrong_flight_to_a_true_one(kept: KeptInFlight) -> None:
    wrong = jumper(0.5 * GRAVITY)
    standing = standing_of(wrong)
    flaws = find_flaws(wrong, standing, FLIGHTS)
    errors = [flown(repair(wrong, flaws, standing, strength, kept=kept))[0] for strength in (0.0, 0.5, 1.0)]
    assert errors[0] > errors[1] + 0.1 > errors[2] + 0.2


def test_gravity_may_be_given_and_units_do_not_matter() -> None:
    slow = jumper(0.5 * GRAVITY)
    assert find_flaws(slow, standing_of(slow), FLIGHTS, gravity=0.5 * GRAVITY) == ()
    (flaw,) = find_flaws(slow, standing_of(slow), FLIGHTS)
    for factor in (0.01, 100.0):
        other = in_other_units(turned_and_moved(slow, 0.4, (3.0, 1.0, 0.0)), factor)
        (same,) = find_flaws(other, standing_of(other), FLIGHTS)
        assert (same.first, same.last) == (flaw.first, flaw.last) and np.isclose(same.amount, flaw.amount, rtol=1e-2)
        assert flown(repair(other, [same], standing_of(other)))[0] < 0.05


def test_a_body_that_would_topple_stands_over_its_feet_again() -> None:
    wrong = leaning(0.13)
    standing = standing_of(wrong)
    (flaw,) = find_flaws(wrong, standing, STANDS)
    assert flaw.amount > 3 / 170
    made = repair(wrong, [flaw], standing)
    before, after = excess(wrong), excess(made)
    assert before.max() > 0.02 and after.max() < 3 / 170 and after.sum() < 0.25 * before.sum()
    assert find_flaws(made, standing, STANDS) == ()
    outside = ~marked_frames(wrong, (flaw,))
    assert np.array_equal(made.rotations[outside], wrong.rotations[outside])
    hands = [wrong.skeleton.names.index(f"hand.{side}") for side in "LR"]
    ends = [*(foot.joint for foot in standing.feet), *hands]
    moved = np.linalg.norm(made.pose()[1] - wrong.pose()[1], axis=2)[:, ends]
    assert moved.max() < 0.01 * wrong.skeleton.size
    halves = excess(repair(wrong, [flaw], standing, 0.5))
    assert after.sum() < halves.sum() < before.sum()


def test_a_brought_body_is_over_its_feet_where_its_source_is() -> None:
    source, wrong = leaning(0.0), in_other_units(leaning(0.13), 100.0)
    standing = standing_of(wrong)
    made = in_balance_as(source, wrong)
    assert find_flaws(wrong, standing, STANDS) != () == find_flaws(made, standing, STANDS)
    feet = [foot.joint for foot in standing.feet]
    assert np.linalg.norm(made.pose()[1] - wrong.pose()[1], axis=2)[:, feet].max() < 0.01 * wrong.skeleton.size
    arms = [joint for joint, name in enumerate(wrong.skeleton.names) if "arm" in name or "hand" in name]
    assert np.array_equal(made.rotations[:, arms], wrong.rotations[:, arms])
    for same in (leaning(0.13), leaning(0.131)):
        assert in_balance_as(same, wrong) is wrong
    assert in_balance_as(wrong, source) is source
    rooted = replace(wrong, translated=np.zeros(0, np.int64), translations=np.zeros((120, 0, 3), np.float32))
    assert in_balance_as(source, rooted) is rooted


def test_a_body_that_moves_a_foot_may_fall_onto_it() -> None:
    stands = leaning(0.13)
    standing, moves = standing_of(stands), np.zeros((120, 2, 3))
    moves[:, 0] = 0.1 * UPWARD + 0.1 * np.sin(np.arange(120) / 4)[:, None] * FORWARD
    kicks = with_feet_kept(stands, stands, standing, moves)
    rests = with_feet_kept(stands, stands, standing, np.broadcast_to(0.1 * UPWARD, (120, 2, 3)) * [[1], [0]])
    assert excess(kicks).max() > 0.02
    assert find_flaws(rests, standing, STANDS) != () == find_flaws(kicks, standing, STANDS)


def test_a_human_that_is_never_over_its_feet_topples_but_not_a_body_whose_other_foot_is_unknown() -> None:
    wrong = leaning(0.13)
    standing, held = standing_of(wrong), wrong.take(np.full(60, 60))
    (flaw,) = find_flaws(held, standing, STANDS)
    assert find_flaws(repair(held, [flaw], standing), standing, STANDS) == ()
    one_foot = replace(standing, feet=standing.feet[:1], ground=standing.ground[:1])
    assert find_flaws(held, one_foot, STANDS) == () != find_flaws(wrong, one_foot, STANDS)


def test_a_body_far_from_its_feet_is_carried_by_something_else() -> None:
    seated = leaning(0.3)
    assert find_flaws(seated, standing_of(seated), STANDS) == ()


def test_flaws_of_weight_are_repaired_as_a_whole_or_not_at_all() -> None:
    wrong = jumper(0.5 * GRAVITY)
    standing = standing_of(wrong)
    (flaw,) = find_flaws(wrong, standing, FLIGHTS)
    for part in (replace(flaw, joints=flaw.joints[1:]), replace(flaw, last=TAKE_OFF + 3), Flaw(flaw.kind, 0, 9, (0,))):
        assert repair(wrong, [part], standing) is wrong


def test_a_body_without_feet_or_without_a_moving_root_stays_as_it_is() -> None:
    wrong = jumper(0.5 * GRAVITY)
    footless = replace(standing_of(wrong), feet=(), ground=np.zeros(0))
    assert find_flaws(wrong, footless, OF_WEIGHT) == ()
    (flaw,) = find_flaws(wrong, standing_of(wrong), FLIGHTS)
    assert repair(wrong, [flaw], footless) is wrong
    rooted = replace(wrong, translated=np.zeros(0, np.int64), translations=np.zeros((FRAMES, 0, 3), np.float32))
    assert repair(rooted, [flaw], standing_of(wrong)) is rooted
