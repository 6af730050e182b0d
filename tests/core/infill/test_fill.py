# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps filled from a library: their ends, the examples found, and the distance to the original."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from motions import turned_and_moved, walker, waver

from genmm_addon.core import InputError, Motion, metrics, resample, rotations
from genmm_addon.core.arrays import Array
from genmm_addon.core.feet.contact_detection import foot_heights
from genmm_addon.core.feet.planting import calmly_eased, firmly_planted
from genmm_addon.core.infill import (
    DurationCosts,
    Timing,
    alternatives,
    choose_duration,
    cost_durations,
    durations_to_compare,
    fill_gap,
)
from genmm_addon.core.library import IndexedMotions, index_motions
from genmm_addon.core.motion import Gap

pytestmark = pytest.mark.filterwarnings("error")

AROUND = 15
"""Known frames on each side of a gap."""


def library() -> list[Motion]:
    return [make(240, seed) for seed in range(8) for make in (walker, waver)]


@pytest.fixture(scope="module")
def prepared() -> IndexedMotions:
    return index_motions(library())


def gap_in(motion: Motion, first: int, frames: int, around: int = AROUND) -> Gap:
    """Return the gap of `frames` frames, from pose to pose, after a frame of a motion."""
    last = first + frames
    return Gap(motion.slice(first + 1 - around, first + 1), motion.slice(last, last + around))


def interpolated(motion: Motion, first: int, frames: int) -> Motion:
    share = np.arange(frames + 1) / frames
    ends = motion.slice(first, first + 1), motion.slice(first + frames, first + frames + 1)
    start, end = (np.repeat(one.rotations, frames + 1, axis=0) for one in ends)
    turns = rotations.slerp(start, end, np.broadcast_to(share[:, None], start.shape[:2])).astype(np.float32)
    way = (ends[1].translations - ends[0].translations) * share[:, None, None]
    channels = motion.slice(first, first + frames + 1).channels()
    return motion.with_channels(
        {**channels, "rotations": turns, "translations": (ends[0].translations + way).astype(np.float32)}
    )


def largest_acceleration(motions: Sequence[Motion]) -> float:
    """Return the largest acceleration of any joint of the motions, in units per squared frame."""
    return max(float(np.linalg.norm(np.diff(one.pose()[1], 2, axis=0), axis=2).max()) for one in motions)


@pytest.mark.parametrize("frames", [2, 3, 16, 31, 61])
def test_the_ends_are_the_poses_of_the_gap(prepared: IndexedMotions, frames: int) -> None:
    gap = gap_in(walker(240, 9), 80, frames)
    for filling in fill_gap(prepared, gap, frames, count=3):
        assert filling.motion.frames == frames + 1
        for pose, given in ((filling.motion.slice(0, 1), gap.before.slice(14, 15)),
                            (filling.motion.slice(frames, frames + 1), gap.after.slice(0, 1))):  # fmt: skip
            assert rotations.angle_between(pose.rotations, given.rotations).max() < 1e-4
            assert np.abs(pose.pose()[1] - given.pose()[1]).max() < 1e-4


@pytest.mark.parametrize("frames", [16, 31, 61])
def test_poses_and_speeds_meet_at_both_ends(prepared: IndexedMotions, frames: int) -> None:
    examples = largest_acceleration(library())
    for first in (30, 77, 120):
        gap = gap_in(walker(240, 9), first, frames)
        filled = fill_gap(prepared, gap, frames)[0].motion
        whole = [*gap.before.pose()[1], *filled.pose()[1][1:-1], *gap.after.pose()[1]]
        moving = np.linalg.norm(np.diff(np.array(whole), 2, axis=0), axis=2)
        seams = [*range(AROUND - 3, AROUND + 1), *range(AROUND + frames - 4, AROUND + frames)]
        assert moving[seams].max() <= 1.1 * examples


def test_gap_in_a_library_clip_is_filled_with_the_original_frames(prepared: IndexedMotions) -> None:
    filling = fill_gap(prepared, gap_in(walker(240, 3), 80, 30), 30)[0]
    assert (filling.clip, filling.first, filling.length) == (6, 80, 30)
    assert metrics.l2_positions(filling.motion, walker(240, 3).slice(80, 111)) < 0.02


@pytest.mark.slow
def test_gaps_of_unseen_motion_are_filled_far_better_than_by_interpolation(prepared: IndexedMotions) -> None:
    ours, straight = [], []
    for seed in (9, 10, 11):
        for first in (30, 77, 120):
            truth = walker(240, seed).slice(first, first + 32)
            filled = fill_gap(prepared, gap_in(walker(240, seed), first, 31), 31)[0].motion
            ours.append(metrics.l2_positions(filled, truth))
            straight.append(metrics.l2_positions(interpolated(walker(240, seed), first, 31), truth))
    assert np.mean(ours) < 0.6 * np.mean(straight)


def test_alternatives_are_from_distinct_clips_the_best_first(prepared: IndexedMotions) -> None:
    found = fill_gap(prepared, gap_in(walker(240, 9), 80, 31), 31, count=5)
    assert len({filling.clip for filling in found}) == 5
    others = [filling.cost for filling in found[1:]]
    assert others == sorted(others), "the first is the one that most agree with"


@pytest.mark.slow
def test_clips_that_are_left_out_fill_nothing(prepared: IndexedMotions) -> None:
    allowed = np.arange(16) % 2 == 1
    found = fill_gap(prepared, gap_in(walker(240, 9), 80, 31), 31, count=20, allowed=allowed)
    assert {filling.clip for filling in found} == set(range(1, 16, 2))


def test_a_gap_elsewhere_is_filled_in_the_same_way_there(prepared: IndexedMotions) -> None:
    moved = turned_and_moved(walker(240, 9), 2.0, (5.0, -3.0, 0.0))
    here = fill_gap(prepared, gap_in(walker(240, 9), 80, 31), 31)[0].motion
    there = fill_gap(prepared, gap_in(moved, 80, 31), 31)[0].motion
    expected = turned_and_moved(here, 2.0, (5.0, -3.0, 0.0))
    assert np.abs(there.pose()[1] - expected.pose()[1]).max() < 1e-3


@pytest.mark.slow
def test_two_single_poses_of_a_clip_recover_the_motion_between_them(prepared: IndexedMotions) -> None:
    for clip, motion in enumerate(prepared.motions):
        found = fill_gap(prepared, gap_in(motion, 100, 24, around=1), 24)[0]
        assert found.clip == clip, "a lone pose does not stand still: its joints may have any speed"
        there = metrics.l2_positions(found.motion, motion.slice(100, 125))
        assert there < 0.25 * metrics.l2_positions(interpolated(motion, 100, 24), motion.slice(100, 125))


def test_two_single_poses_are_enough(prepared: IndexedMotions) -> None:
    gap = gap_in(walker(240, 9), 80, 31, around=1)
    filled = fill_gap(prepared, gap, 31)[0].motion
    truth = walker(240, 9).slice(80, 112)
    assert metrics.l2_positions(filled, truth) < metrics.l2_positions(interpolated(walker(240, 9), 80, 31), truth)


def test_the_duration_of_a_stretch_of_the_library_is_the_one_it_has_there(prepared: IndexedMotions) -> None:
    found = cost_durations(prepared.index, gap_in(walker(240, 3), 80, 30), range(10, 61, 2))
    assert found.best == 30
    assert len(found.costs) == 26


def test_a_duration_that_no_clip_has_costs_infinitely_much(prepared: IndexedMotions) -> None:
    found = cost_durations(prepared.index, gap_in(walker(240, 9), 80, 30), [30, 500, 100_000])
    assert np.isfinite(found.costs).tolist() == [True, False, False]


def test_feet_are_as_high_as_played_where_enough_is_known_beside_the_gap_to_tell_the_ground(
    prepared: IndexedMotions,
) -> None:
    # Between poses of longer legs, eased in over the whole gap, feet would go through the ground.
    motion, standing = walker(240, 3), prepared.standing
    gap = gap_in(motion, 60, 60)
    played = motion.slice(60, 121)
    down = 0.05 * np.sin(np.pi * np.arange(61) / 60)[:, None, None] * np.array([0.0, 0.0, 1.0])
    sunk = replace(played, translations=played.translations - down)
    lowest = [(foot_heights(one, standing.feet) - standing.ground).min() for one in (played, sunk)]
    assert lowest[1] < lowest[0] - 0.02
    firm = firmly_planted(standing, played, sunk, gap)
    assert firm is not None
    above = foot_heights(firm, standing.feet) - foot_heights(played, standing.feet)
    assert above[10:-10].min() > -0.02
    single = Gap(gap.before.slice(14, 15), gap.after.slice(0, 1))
    assert firmly_planted(standing, played, sunk, single) is None


def test_the_same_gap_is_filled_the_same(prepared: IndexedMotions) -> None:
    gap = gap_in(waver(240, 9), 80, 31)
    one, other = (fill_gap(prepared, gap, 31)[0].motion for _ in range(2))
    assert np.array_equal(one.rotations, other.rotations)


def test_impossible_gaps_are_rejected_with_one_sentence(prepared: IndexedMotions) -> None:
    gap = gap_in(walker(240, 9), 80, 31)
    with pytest.raises(InputError, match="at least two frames"):
        fill_gap(prepared, gap, 1)
    with pytest.raises(InputError, match="as long as the gap of 400 frames"):
        fill_gap(prepared, gap, 400)
    with pytest.raises(InputError, match="needs a pose on each side"):
        Gap(gap.before.slice(0, 0), gap.after)
    with pytest.raises(InputError, match="another frame rate"):
        fill_gap(prepared, gap_in(resample(walker(240, 9), 24.0)[0], 80, 31), 31)
    with pytest.raises(InputError, match="durations above zero"):
        cost_durations(prepared.index, gap, [])


def test_a_single_clip_offers_other_places_of_it() -> None:
    one = index_motions([walker(400, 3)])
    found = fill_gap(one, gap_in(walker(240, 9), 80, 31), 31, count=4)
    starts = sorted(filling.first for filling in found)
    assert len(starts) == 4 and min(np.diff(starts)) >= 15


@pytest.mark.slow
def test_alternatives_differ_by_half_of_their_motion(prepared: IndexedMotions) -> None:
    found = list(itertools.islice(alternatives(prepared, gap_in(walker(240, 9), 80, 31), 31), 3))
    assert len(found) == 3
    assert found[0].cost == fill_gap(prepared, gap_in(walker(240, 9), 80, 31), 31)[0].cost
    for one, other in itertools.combinations(found, 2):
        places = [filling.motion.pose()[1] for filling in (one, other)]
        bodies = [place - place[:, :1] for place in places]
        own = min(float(np.linalg.norm(body - body.mean(axis=0), axis=2).mean()) for body in bodies)
        assert np.linalg.norm(bodies[0] - bodies[1], axis=2).mean() >= 0.4 * own


def test_words_for_durations_choose_among_those_that_are_as_good() -> None:
    found = DurationCosts(np.arange(10, 70, 10), np.array([9.0, 1.2, 1.0, 1.4, 1.6, 9.0]))
    words = (Timing.FAST, Timing.AUTOMATIC, Timing.MEDIUM, Timing.SLOW)
    assert [choose_duration(found, word) for word in words] == [20, 30, 30, 40]
    with pytest.raises(InputError, match="long enough"):
        choose_duration(DurationCosts(np.array([10]), np.array([np.inf])), Timing.FAST)


def test_duration_of_the_range_is_among_those_compared() -> None:
    for frames in (2, 7, 31, 300):
        durations = durations_to_compare(frames, 30.0)
        assert frames in durations and durations == sorted(durations) and durations[0] >= 2


def test_a_clip_no_longer_than_the_gap_meets_the_speeds_at_both_ends() -> None:
    motion = walker(120, 3)
    gap = gap_in(motion, 40, 30)
    filled = fill_gap(index_motions([motion.slice(40, 71)]), gap, 30)[0].motion
    whole = motion.with_channels(
        {
            name: np.concatenate((getattr(gap.before, name)[:-1], values, getattr(gap.after, name)[1:]))
            for name, values in filled.channels().items()
        }
    )
    # With the clip's last pose repeated beyond its end, as if the body stood there, it was 5.7 times.
    assert largest_acceleration([whole]) <= 1.5 * largest_acceleration([motion])


def test_feet_ease_only_toward_the_end_that_needs_it_and_no_longer() -> None:
    laid = walker(61, 3)
    foot = laid.rotations.shape[1] - 1
    turn = rotations.from_axis_angle(np.tile([1.0, 0.0, 0.0], (61, 1)), np.full(61, 0.4))
    turned = laid.rotations.copy()
    turned[:, foot] = rotations.multiply(turned[:, foot], turn)
    firm = replace(laid, rotations=turned.astype(np.float32))

    def quickest(motion: Motion) -> tuple[float, float]:
        # The last pose asks for feet as in the filling, up to five frames before it.
        beside = rotations.angle_between(motion.rotations[-6], laid.rotations[-6])
        return 0.0, float(beside.max())

    for limit, frames in ((0.5, 0), (0.35, 7.5), (0.25, 12)):
        eased = calmly_eased(laid, firm, quickest, limit)
        assert eased is not None
        away = rotations.angle_between(eased.rotations[:, foot], laid.rotations[:, foot])
        assert np.allclose(away[1:31], 0.4, atol=1e-3), "the other end stays firm"
        assert np.flatnonzero(away > 0.399)[-1] == 60 - int(np.ceil(frames))
    assert calmly_eased(laid, firm, lambda _: (0.0, 1.0), 0.5) is None


def with_arm_turned(motion: Motion, angles: Array) -> Motion:
    """Return a motion with the left upper arm turned by an angle, in radians, at each frame."""
    channels, arm = motion.channels(), motion.skeleton.names.index("upper_arm.L")
    axes = np.broadcast_to((1.0, 0.0, 0.0), (motion.frames, 3))
    turned = channels["rotations"].copy()
    turned[:, arm] = rotations.multiply(turned[:, arm], rotations.from_axis_angle(axes, angles))
    return motion.with_channels({**channels, "rotations": rotations.make_continuous(turned).astype(np.float32)})


def test_clips_that_turn_a_joint_in_opposite_ways_are_not_averaged() -> None:
    motion, frames = walker(120, 3), np.arange(120)
    turn = 2.5 * np.where(np.abs(frames - 60) < 25, np.cos((frames - 60) / 50 * np.pi), 0.0)
    clips = [with_arm_turned(motion, sign * turn) for sign in (1.0, -1.0)]
    filled = fill_gap(index_motions(clips), Gap(motion.slice(16, 31), motion.slice(90, 105)), 60)[0].motion
    assert largest_acceleration([filled]) < 1.1 * largest_acceleration(clips)


def test_a_joint_half_a_turn_away_from_the_examples_does_not_seem_to_whirl() -> None:
    motion = walker(120, 3)
    # At one pose the shorter way is to the left, at the next one to the right.
    around = with_arm_turned(motion, np.pi + 0.02 * (np.arange(120) - 39.5))
    filled = fill_gap(index_motions([motion]), Gap(around.slice(26, 41), around.slice(79, 94)), 39)[0].motion
    assert largest_acceleration([filled]) < 1.2 * largest_acceleration([motion, around])


def test_a_joint_that_is_much_faster_before_the_gap_slows_down_over_longer() -> None:
    still = walker(1, 3).take(np.zeros(120, np.int64))
    quick = with_arm_turned(still, 0.3 * np.arange(120))
    filled = fill_gap(index_motions([still]), Gap(quick.slice(6, 21), still.slice(51, 66)), 30)[0].motion
    before = [*quick.slice(6, 21).pose()[1], *filled.pose()[1][1:]]
    assert np.linalg.norm(np.diff(before, 2, axis=0), axis=2).max() < 1.2 * largest_acceleration([quick])
