# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures, each compared with a known case or a direct computation."""

from collections.abc import Iterator

import numpy as np
import pytest
from legged import CRAB, still
from motions import RATE, SIDEWAYS, UP, UPWARD, build_skeleton, in_other_units, turn, turned_and_moved, walker, waver

from genmm_addon.core import Motion, Skeleton, metrics, rotations

pytestmark = pytest.mark.filterwarnings("error")


def loose(frames: int, seed: int, joints: int = 3) -> Motion:
    """Return a chain whose joints turn at random."""
    random = np.random.default_rng(seed)
    skeleton = Skeleton(
        tuple(f"joint {number}" for number in range(joints)),
        np.arange(joints) - 1,
        np.tile(np.array([1.0, 0, 0, 0]), (joints, 1)),
        np.tile(np.array([0, 0, 1.0]), (joints, 1)),
        UP,
    )
    turns = rotations.normalize(random.standard_normal((frames, joints, 4)))
    return Motion(skeleton, RATE, turns.astype(np.float32))


def turning(angles: np.ndarray) -> Motion:
    """Return one bone that turns by these angles in radians."""
    skeleton = Skeleton(("bone",), np.array([-1]), np.array([[1.0, 0, 0, 0]]), np.zeros((1, 3)), UP)
    return Motion(skeleton, RATE, turn(SIDEWAYS, angles)[:, None].astype(np.float32))


def point(path: np.ndarray) -> Motion:
    """Return one joint that moves along a path `(T, 3)`."""
    skeleton = Skeleton(("point",), np.array([-1]), np.array([[1.0, 0, 0, 0]]), np.zeros((1, 3)), UP)
    unturned = np.tile(np.array([1, 0, 0, 0], np.float32), (len(path), 1, 1))
    return Motion(skeleton, RATE, unturned, np.array([0]), path[:, None].astype(np.float32))


def distance(one: Motion, frame: int, other: Motion, there: int) -> float:
    """Return the squared distance of two frames: that of rotation matrices, summed over the joints."""
    apart = rotations.to_matrix(one.rotations[frame]) - rotations.to_matrix(other.rotations[there])
    return float(np.sum(apart.astype(np.float64) ** 2))


def window_distances(one: Motion, other: Motion, window: int) -> np.ndarray:
    """Return the mean distance over the frames of all windows of `one` to all windows of `other`."""
    return np.array(
        [
            [
                np.mean([distance(one, first + frame, other, second + frame) for frame in range(window)])
                for second in range(other.frames - window + 1)
            ]
            for first in range(one.frames - window + 1)
        ]
    )


def layouts(frames: int, shortest: int) -> Iterator[list[int]]:
    """Yield all ways to divide `frames` into segments of at least `shortest`."""
    if frames == 0:
        yield []
    for length in range(shortest, frames + 1):
        for rest in layouts(frames - length, shortest):
            yield [length, *rest]


# Coverage of the example, and distance to it


def test_a_copy_covers_its_example_and_leaves_nothing_out() -> None:
    assert metrics.coverage(walker(), walker()) == 1.0
    assert metrics.completeness(walker(), walker()) == pytest.approx(0.0, abs=1e-3)
    assert metrics.local_distance(walker(), walker()) == pytest.approx(0.0, abs=1e-3)
    assert metrics.global_distance(walker(), walker()) == pytest.approx(0.0, abs=1e-3)


def test_a_copy_of_a_part_covers_that_part_alone() -> None:
    example = loose(100, 1)
    part = example.slice(20, 70)
    assert metrics.coverage(part, example) == pytest.approx((50 - 29) / (100 - 29))
    assert metrics.completeness(part, example) > 1.0
    assert metrics.local_distance(part, example) == pytest.approx(0.0, abs=1e-3)


def test_a_result_that_stands_still_is_far_from_complete() -> None:
    frozen = walker().take(np.full(200, 10))
    assert metrics.completeness(frozen, walker()) > 10 * metrics.completeness(walker(400, 1), walker())


def test_completeness_and_local_distance_are_those_counted_out() -> None:
    result, example = loose(9, 1), loose(7, 2)
    apart = window_distances(result, example, 4)
    assert metrics.completeness(result, example, window=4) == pytest.approx(apart.min(axis=0).mean(), rel=1e-4)
    assert metrics.local_distance(result, example, window=4) == pytest.approx(apart.min(axis=1).mean(), rel=1e-4)
    covered = np.mean(apart.min(axis=0) <= apart.min(axis=1).max())
    assert metrics.coverage(result, example, window=4) == pytest.approx(covered)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shortest", [1, 2, 3])
def test_the_global_distance_is_the_best_of_all_layouts(seed: int, shortest: int) -> None:
    result, example = loose(7, seed), loose(5, seed + 10)
    best = np.inf
    for lengths in layouts(result.frames, shortest):
        total, first = 0.0, 0
        for length in lengths:
            places = range(example.frames - length + 1)
            sums = [sum(distance(result, first + k, example, place + k) for k in range(length)) for place in places]
            total += min(sums, default=np.inf)
            first += length
        best = min(best, total / result.frames)
    assert metrics.global_distance(result, example, shortest) == pytest.approx(best, rel=1e-4)


def test_motions_shorter_than_a_window_are_compared_as_a_whole() -> None:
    short = loose(5, 3)
    assert metrics.coverage(short, short) == 1.0
    assert metrics.global_distance(short, loose(4, 4)) > 0.0


def test_measures_of_poses_do_not_depend_on_units() -> None:
    ours, theirs = walker(120, 1), walker()
    again = in_other_units(ours, 100.0), in_other_units(theirs, 100.0)
    assert metrics.completeness(*again) == metrics.completeness(ours, theirs)


# Differences between results


def test_equal_results_have_no_diversity() -> None:
    assert metrics.set_diversity([walker(60), walker(60), walker(60)], walker()) == pytest.approx(0.0, abs=1e-6)


def test_results_that_differ_as_the_example_does_over_time_have_a_diversity_of_one() -> None:
    example = loose(400, 5)
    each = [example.take(np.full(3, frame)) for frame in range(400)]
    assert metrics.set_diversity(each, example) == pytest.approx(1.0, rel=1e-3)


# Feet


@pytest.mark.parametrize(("height", "weight"), [(-3.0, 1.0), (0.0, 1.0), (1.0, 2 - 2**0.4), (2.5, 0.0), (10.0, 0.0)])
def test_a_foot_that_slides_near_the_ground_skates_at_its_speed(height: float, weight: float) -> None:
    """For a body 2 m tall, measured as 1.7 m, 0.01 m per frame are 25.5 cm/s."""
    time = np.arange(40)
    path = np.stack((0.006 * time, 0.008 * time, np.full(40, height * 2.0 / 170)), axis=1)
    measured = metrics.foot_skate(point(path), [0], np.zeros(1), 2.0)
    assert measured == pytest.approx(30 * 0.01 * 170 / 2.0 * weight, abs=1e-3)


def test_a_foot_that_stands_or_rises_does_not_skate() -> None:
    rising = np.stack((np.zeros(40), np.zeros(40), 0.001 * np.arange(40)), axis=1)
    assert metrics.foot_skate(point(rising), [0], np.zeros(1), 1.7) == 0.0


def test_the_ground_of_a_foot_is_near_its_lowest_place_in_the_example() -> None:
    heights = np.concatenate((np.full(99, 0.3), [0.1]))
    path = np.stack((np.zeros(100), np.zeros(100), heights), axis=1)
    assert metrics.ground_base(point(path), [0])[0] == pytest.approx(0.3, abs=1e-3)


def test_the_sliding_share_counts_contact_frames_that_move() -> None:
    steps = np.array([0.0, 0.5, 0.02, 0.0, 0.02, 0.02, 0.0, 0.5, 0.5])
    path = np.stack((np.cumsum(steps), np.zeros(9), np.zeros(9)), axis=1)
    contacts = np.array([False] + [True] * 6 + [False] * 2)[:, None]
    assert metrics.sliding_share(point(path), [0], contacts, 0.01) == pytest.approx(3 / 5)
    assert metrics.sliding_share(point(path), [0], contacts, 0.03) == 0.0
    assert metrics.sliding_share(point(path), [0], np.zeros((9, 1), bool), 0.01) == 0.0


# Travel and speeds


def test_drift_is_how_much_wider_a_result_is_along_the_ground_in_sizes_of_the_body() -> None:
    skeleton = build_skeleton(CRAB)
    path = np.linspace(np.zeros(3), np.array([0.3, 0.4, 5.0]), 20)
    wide = still(skeleton, "body", path)
    narrow = wide.slice(0, 1)
    assert metrics.drift(wide, narrow, 0) == pytest.approx(0.5 / skeleton.size, rel=1e-5)
    assert metrics.drift(narrow, wide, 0) == metrics.drift(wide, wide, 0) == 0.0


def test_ratios_of_an_example_to_itself_are_one() -> None:
    assert metrics.speed_ratios(walker(), walker()) == (1.0, 1.0)
    assert metrics.acceleration_ratios(walker(), walker()) == (1.0, 1.0)


def test_a_motion_twice_as_fast_has_twice_the_speed_and_four_times_the_acceleration() -> None:
    time = np.arange(400) / RATE
    slow, fast = (
        point(np.stack((np.sin(rate * time), np.zeros(400), np.zeros(400)), axis=1)) for rate in (np.pi, 2 * np.pi)
    )
    assert metrics.speed_ratios(fast, slow) == pytest.approx((2.0, 2.0), rel=2e-2)
    assert metrics.acceleration_ratios(fast, slow) == pytest.approx((4.0, 4.0), rel=2e-2)


def test_one_jump_shows_in_the_largest_speed() -> None:
    path = np.stack((0.01 * np.arange(100), np.zeros(100), np.zeros(100)), axis=1)
    jumping = path.copy()
    jumping[50:, 0] += 0.04
    assert metrics.speed_ratios(point(jumping), point(path))[1] == pytest.approx(5.0, rel=1e-3)


def test_ratios_to_an_example_that_does_not_move_are_one() -> None:
    assert metrics.speed_ratios(walker(), walker().take(np.full(20, 3))) == (1.0, 1.0)


def test_transitions_are_counted_where_the_source_does_not_continue() -> None:
    examples = np.array([0, 0, 0, 1, 1, 1, 1])
    frames = np.array([3.0, 4.0, 5.0, 6.0, 7.0, 2.0, 3.0])
    assert metrics.transitions(examples, frames) == 2
    assert metrics.transitions(np.zeros(4, np.int64), np.arange(4) * 4.0, step=4.0) == 0


# In-betweening


def test_a_motion_is_at_no_distance_from_itself() -> None:
    assert metrics.l2_positions(walker(), walker()) == 0.0
    assert metrics.l2_quaternions(walker(), walker()) == pytest.approx(0.0, abs=1e-6)
    assert metrics.npss(walker(), walker()) == pytest.approx(0.0, abs=1e-9)


def test_l2p_of_a_moved_motion_is_how_far_it_was_moved() -> None:
    moved = turned_and_moved(walker(), 0.0, (0.3, 0.4, 0.0))
    assert metrics.l2_positions(moved, walker()) == pytest.approx(0.5, rel=1e-4)


def test_l2q_of_a_turned_bone_is_the_chord_of_half_its_angle() -> None:
    still_bone, turned_bone = turning(np.zeros(20)), turning(np.full(20, 1.2))
    assert metrics.l2_quaternions(turned_bone, still_bone) == pytest.approx(2 * np.sin(1.2 / 4), rel=1e-4)


def test_l2q_does_not_see_the_sign_of_a_quaternion() -> None:
    one = turning(np.linspace(0.0, 1.0, 20))
    opposed = one.with_channels({**one.channels(), "rotations": -one.rotations})
    assert metrics.l2_quaternions(opposed, one) == pytest.approx(0.0, abs=1e-6)
    # Half turns about axes 2 degrees apart, whose matrices give quaternions of opposite signs.
    angles = np.radians([44.0, 46.0])
    half = [
        one.with_channels({**one.channels(), "rotations": turn(axis, np.full((20, 1), np.pi)).astype(np.float32)})
        for axis in np.stack((np.cos(angles), np.zeros(2), -np.sin(angles)), axis=1)
    ]
    assert metrics.l2_quaternions(*half) == pytest.approx(2 * np.sin(np.radians(4.0) / 4), rel=1e-2)


def test_npss_sees_another_frequency_and_not_a_shift_in_time() -> None:
    time = np.arange(120) / 120
    angles = [
        0.5 * np.sin(2 * np.pi * (cycles * time + shift)) for cycles, shift in ((4, 0.0), (4, 0.25), (5, 0), (9, 0))
    ]
    wave, shifted, near, far = map(turning, angles)
    assert metrics.npss(shifted, wave) == pytest.approx(0.0, abs=1e-4)
    assert 0.0 < 10 * metrics.npss(shifted, wave) < metrics.npss(near, wave) < metrics.npss(far, wave)


def test_npss_weighs_a_joint_by_its_power() -> None:
    time = np.arange(60) / 60
    strong, weak = 0.8 * np.sin(2 * np.pi * 3 * time), 0.01 * np.sin(2 * np.pi * 3 * time)
    truth = loose(60, 0, 2)

    def of(first: np.ndarray, second: np.ndarray) -> Motion:
        told = np.stack((turn(SIDEWAYS, first), turn(UPWARD, second)), axis=1).astype(np.float32)
        return truth.with_channels({**truth.channels(), "rotations": told})

    other = np.sin(2 * np.pi * 8 * time)
    wrong_weak, wrong_strong = of(strong, 0.01 * other), of(0.8 * other, weak)
    assert metrics.npss(wrong_weak, of(strong, weak)) < 0.01 * metrics.npss(wrong_strong, of(strong, weak))


def test_measures_stay_finite_for_a_motion_that_stands_still() -> None:
    frozen = waver().take(np.full(40, 3))
    assert metrics.npss(frozen, frozen) == pytest.approx(0.0, abs=1e-9)
    assert metrics.set_diversity([frozen, frozen], frozen) == 0.0
    assert metrics.coverage(frozen, frozen) == 1.0
