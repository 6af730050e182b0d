# SPDX-License-Identifier: GPL-3.0-or-later
"""Stops and starts too hard for the feet that stand: found, mended over a longer time, and nothing else changed."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from jumps import GRAVITY, jumper
from motions import FORWARD, RATE, in_other_units, turned_and_moved, walker
from numpy.typing import NDArray
from whole_repairs import check_repaired_whole

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import Motion
from genmm_addon.core.evaluation import center_of_mass, find_body_model, find_support
from genmm_addon.core.feet import move_root, standing_of
from genmm_addon.core.feet.contact_detection import label_contacts
from genmm_addon.core.feet.planting import Standing
from genmm_addon.core.repair import OF_WEIGHT, FlawKind, find_flaws, marked_frames, repair
from genmm_addon.core.repair.weight import braking
from genmm_addon.core.repair.weight.bodies import carried_along, with_feet_kept

pytestmark = pytest.mark.filterwarnings("error")

BRAKING = frozenset({FlawKind.BRAKING})
FRAMES, STOP, LONGEST = 120, 60, 12
HEEL, WINDOW = -0.1, 0.3
"""Place behind the ankles from which a standing body falls forward, in meters, and the time of a push, in seconds."""


def stopping(speed: float = 0.8, frames: int = 1) -> Motion:
    """Return a biped that falls forward from rest like a pendulum, over feet that stay, and stops within some frames.

    speed: before the stop, in meters per second.
    """
    stands = jumper().take(np.zeros(FRAMES, np.int64))
    frequency = np.sqrt(GRAVITY / center_of_mass(stands, find_body_model(stands.skeleton))[0, 2])
    time, seconds = (np.arange(FRAMES) - STOP) / RATE, frames / RATE
    share = np.clip(time / seconds, 0.0, 1.0)
    path = (
        HEEL + speed / frequency * np.exp(frequency * np.minimum(time, 0.0)) + speed * seconds * (share - share**2 / 2)
    )
    standing = standing_of(stands)
    free = replace(standing, knees=replace(standing.knees, acceleration=np.full(2, np.inf)))
    return with_feet_kept(stands, move_root(stands, 0, path[:, None] * FORWARD), free, np.zeros((FRAMES, 2, 3)))


def stopped_walk(style: str = "GenMM Walk") -> Motion:
    """Return a walk of the sample character that stands still from one frame to the next."""
    return sample_motions(RATE)[style].take(np.r_[0:21, np.full(30, 21)])


def started_walk(style: str = "GenMM Walk") -> Motion:
    """Return a walk of the sample character that begins at full speed, in the middle of a step."""
    return sample_motions(RATE)[style].take(np.r_[np.full(30, 35), 35:95])


def hardest(motion: Motion) -> float:
    """Return the largest change of the velocity of the center of mass along the ground over 0.1 s, in sizes per s."""
    center = center_of_mass(motion, find_body_model(motion.skeleton))[:, :2]
    speeds = np.diff(center, axis=0) * RATE
    return float(np.linalg.norm(speeds[3:] - speeds[:-3], axis=1).max()) / motion.skeleton.size


def worst(motion: Motion) -> float:
    """Return the largest amount of the stops and starts of a motion; 0 if it has no such flaw."""
    return max((flaw.amount for flaw in find_flaws(motion, standing_of(motion), BRAKING)), default=0.0)


def away(motion: Motion, other: Motion) -> NDArray[np.float64]:
    """Return how far joints are from their places in another motion `(T, J)`, in sizes."""
    return np.asarray(np.linalg.norm(motion.pose()[1] - other.pose()[1], axis=2) / motion.skeleton.size)


def test_walks_stands_jumps_and_gentle_stops_have_no_flaw() -> None:
    motions = [jumper(), walker(240), jumper(hovers=True), stopping(0.4), stopping(0.6, LONGEST)]
    for motion in [*motions, *sample_motions(RATE).values()]:
        assert worst(motion) == 0.0


def test_a_hard_stop_is_found_and_takes_longer_afterward() -> None:
    wrong = stopping()
    standing = standing_of(wrong)
    (flaw,) = find_flaws(wrong, standing, BRAKING)
    assert flaw.first < STOP < flaw.last and flaw.amount > 0.15
    made = repair(wrong, [flaw], standing)
    made.check_values("The repaired motion")
    assert worst(made) == 0.0 and hardest(made) < 0.8 * hardest(wrong)
    moved = away(made, wrong)
    assert moved[:, [foot.joint for foot in standing.feet]].max() < 0.01 and moved.max() < 0.1
    outside = ~marked_frames(wrong, (flaw,))
    assert np.array_equal(made.rotations[outside], wrong.rotations[outside])
    assert np.array_equal(made.translations[outside.any(axis=1)], wrong.translations[outside.any(axis=1)])


def test_stops_of_bodies_on_more_than_two_feet_are_left_alone() -> None:
    wrong = stopping()
    standing = standing_of(wrong)
    assert find_flaws(wrong, standing, BRAKING)
    four = replace(standing, feet=(*standing.feet, *standing.feet), ground=np.tile(standing.ground, 2))
    assert find_flaws(wrong, four, BRAKING) == ()


def test_the_faster_the_body_and_the_shorter_its_stop_the_larger_the_flaw() -> None:
    assert 0.0 < worst(stopping(0.8)) < worst(stopping(0.9)) < worst(stopping(1.0))
    assert worst(stopping(0.9, 3)) > worst(stopping(0.9, 6)) > worst(stopping(0.9, LONGEST))


def test_a_pendulum_pushed_from_as_far_outside_brakes_as_much() -> None:
    wrong = stopping()
    center, steps = center_of_mass(wrong, find_body_model(wrong.skeleton)), 300
    distance, _ = find_support(wrong, standing_of(wrong)).outside(center)
    toes, square = center[-1, 1] - distance[-1], GRAVITY / center[STOP, 2]
    velocity = np.gradient(center[:, 1]) * RATE

    def reached(frame: int, pushed: float) -> float:
        place, speed = center[frame, 1], velocity[frame]
        for _ in range(steps):
            speed += square * (place - pushed) * WINDOW / steps
            place += speed * WINDOW / steps
        return float(place + speed / np.sqrt(square))

    pushes = []
    for frame in range(STOP - 5, STOP + 1):
        later = frame + round(WINDOW * RATE)
        aim = center[later, 1] + velocity[later] / np.sqrt(square)
        at_toes, beyond = reached(frame, toes), reached(frame, toes + 1.0)
        pushes.append((aim - at_toes) / (beyond - at_toes))
    assert worst(wrong) == pytest.approx(max(pushes) / wrong.skeleton.size, rel=0.03)


@pytest.mark.parametrize("style", ["GenMM Walk", "GenMM Walk Proud"])
@pytest.mark.parametrize("made_hard", [stopped_walk, started_walk])
def test_a_walk_that_stops_or_starts_at_once_is_found_and_mended(
    style: str, made_hard: Callable[[str], Motion]
) -> None:
    wrong = made_hard(style)
    standing = standing_of(wrong)
    flaws = find_flaws(wrong, standing, BRAKING)
    made = repair(wrong, flaws, standing)
    assert worst(wrong) > 0.15 and worst(made) == 0.0 and hardest(made) < hardest(wrong)
    stands = label_contacts(wrong, standing.feet, standing.ground)
    assert away(made, wrong)[:, [foot.joint for foot in standing.feet]][stands].max() < 0.02
    assert away(made, wrong).max() < 0.15


@pytest.mark.slow
def test_the_repair_never_makes_a_stop_harder() -> None:
    generator = np.random.default_rng(4)
    for _ in range(8):
        wrong = stopping(float(generator.uniform(0.7, 1.2)), int(generator.integers(1, 6)))
        wrong = wrong.slice(int(generator.integers(0, 40)), int(generator.integers(STOP + 11, FRAMES)))
        standing = standing_of(wrong)
        flaws = find_flaws(wrong, standing, BRAKING)
        made = repair(wrong, flaws, standing, float(generator.uniform(0.2, 1.0)))
        made.check_values("The repaired motion")
        assert worst(made) <= worst(wrong)
        assert made is wrong or worst(made) < worst(wrong)


def test_a_stop_is_not_mended_if_the_pelvis_gives_way_with_a_jerk(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = stopping()
    flaws = find_flaws(wrong, standing_of(wrong), BRAKING)

    def with_jerk(
        motion: Motion, standing: Standing, moves: NDArray[np.float64], with_companions: NDArray[np.float64]
    ) -> Motion:
        moves = moves.copy()
        moves[5, 2] -= 0.008
        return carried_along(motion, standing, moves, with_companions)

    monkeypatch.setattr(braking, "carried_along", with_jerk)
    assert repair(wrong, flaws, standing_of(wrong)) is wrong


def test_the_strength_goes_from_a_hard_stop_to_a_soft_one() -> None:
    wrong = stopping()
    standing = standing_of(wrong)
    flaws = find_flaws(wrong, standing, BRAKING)
    changes = [hardest(repair(wrong, flaws, standing, strength)) for strength in (0.0, 0.5, 1.0)]
    assert changes[0] > 1.05 * changes[1] > 1.1 * changes[2]


def test_units_directions_and_given_gravity_do_not_matter() -> None:
    wrong = stopping()
    (flaw,) = find_flaws(wrong, standing_of(wrong), BRAKING)
    for factor in (0.01, 100.0):
        other = in_other_units(turned_and_moved(wrong, 0.4, (3.0, 1.0, 0.0)), factor)
        standing = standing_of(other)
        (same,) = find_flaws(other, standing, BRAKING)
        assert abs(same.first - flaw.first) <= 1 and abs(same.last - flaw.last) <= 1
        assert np.isclose(same.amount, flaw.amount, rtol=0.05)
        (given,) = find_flaws(other, standing, BRAKING, gravity=GRAVITY * factor)
        assert np.isclose(given.amount, flaw.amount, rtol=0.05)
        # Where all is heavier, the feet push harder.
        assert find_flaws(other, standing, BRAKING, gravity=4 * GRAVITY * factor) == ()
        assert worst(repair(other, [same], standing)) == 0.0


def test_a_stop_that_leaves_the_body_off_balance_is_repaired_as_a_whole() -> None:
    wrong = stopped_walk()
    standing = standing_of(wrong)
    made = repair(wrong, find_flaws(wrong, standing, OF_WEIGHT), standing)
    assert find_flaws(made, standing, BRAKING) == ()


def test_stops_are_repaired_as_a_whole_or_not_at_all() -> None:
    check_repaired_whole(stopping(), BRAKING, (90, 110))


@pytest.mark.parametrize("frames", range(1, 14))
def test_motions_of_few_frames_have_no_flaw_and_no_error(frames: int) -> None:
    short = stopping().slice(STOP - 2, STOP - 2 + frames)
    assert worst(short) == 0.0 or frames > 10
