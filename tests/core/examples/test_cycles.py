# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycles: their definition, results without a cut between rounds, loops of whole rounds, and what stays a take."""

from itertools import combinations

import numpy as np
import pytest
from motions import BIPED, FORWARD, RATE, build_skeleton, pose_channels, turn, walker, walking, waver
from numpy.typing import NDArray

from genmm_addon.core import (
    Constraints,
    Facing,
    InputError,
    Loop,
    Motion,
    PoseConstraint,
    Prepared,
    Settings,
    Synthesis,
    prepare,
    synthesize,
)
from genmm_addon.core.examples import Repetition, is_cycle
from genmm_addon.core.examples.cycles import unrolled
from genmm_addon.core.motion import rotations
from genmm_addon.core.planning.crossfades import plan_crossfades
from genmm_addon.core.planning.segments import Segments
from genmm_addon.core.synthesis.root_trajectory import STEER_SHARE
from genmm_addon.core.synthesis.whole_rounds import is_seamless, without_seamless

Frames = NDArray[np.float64]


def walk_cycle(frames: int = 30, rate: float = RATE, *, repeated: bool = False, turned: float = 0.0) -> Motion:
    """Return one cycle of a walk, 1.3 m long, that turns by `turned` radians; repeated: its first frame ends it too."""
    count = frames + repeated
    phase, yaw = 2 * np.pi * np.arange(count) / frames + 0.4, turned * np.arange(count) / frames
    stride, swing, steps = np.full(count, 0.5), np.full(count, 0.4), np.full(count, 1.3 / frames)
    return walking(phase, stride, swing, yaw, steps, rate)


def uneven_cycle(unevenness: float) -> Motion:
    """Return a cycle of 30 frames whose two steps differ in duration by this share of it."""
    time = 2 * np.pi * np.arange(30) / 30
    # Legs pass each other where the phase is a multiple of half a round.
    phase = time + np.pi * unevenness / 2 * (1 - np.cos(time))
    return walking(phase, np.full(30, 0.5), np.full(30, 0.4), np.zeros(30), np.full(30, 1.3 / 30), RATE)


def prepared_walk(cycle: Motion) -> Prepared:
    """Return a walk prepared with its feet named, since those of the plain biped never stand still."""
    return prepare([cycle], settings=Settings(feet=("foot.L", "foot.R")))


def accelerations(motion: Motion) -> Frames:
    """Return the highest acceleration of each joint."""
    steps = np.diff(motion.pose()[1].astype(np.float64), 2, axis=0)
    return np.asarray(np.linalg.norm(steps, axis=2).max(axis=0))


def steps_of(result: Synthesis, frames: int) -> Frames:
    """Return the source frames that pass from each frame to the next, the last of a cycle leading to its first."""
    return np.asarray(np.diff(result.source_frames[:, 0]) % frames)


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize(("frames", "rate"), [(12, 24.0), (30, 30.0), (60, 60.0), (60, 24.0)])
@pytest.mark.parametrize("turned", [0.0, 0.5])
def test_example_whose_end_leads_to_its_beginning_is_a_cycle(
    frames: int, rate: float, turned: float, repeated: bool
) -> None:
    assert is_cycle(walk_cycle(frames, rate, repeated=repeated, turned=turned))


@pytest.mark.parametrize("facing", Facing)
@pytest.mark.parametrize("length", [0.0, 1.3])
def test_body_turns_no_faster_between_rounds_than_in_a_cycle_that_ends_turned(facing: Facing, length: float) -> None:
    time = np.arange(30) / 30
    cycle = walking(
        2 * np.pi * time + 0.4, np.full(30, 0.5), np.full(30, 0.4), 2.5 * time, np.full(30, length / 30), RATE
    )
    assert is_cycle(cycle)
    prepared = prepare([cycle], settings=Settings(facing=facing))
    fastest = rotations.angle_between(cycle.rotations[1:, 0], cycle.rotations[:-1, 0]).max()
    for seed in range(3):
        turned = synthesize(prepared, 300, seed=seed).motion.rotations[:, 0]
        assert rotations.angle_between(turned[1:], turned[:-1]).max() <= (1.01 + STEER_SHARE) * fastest


def swinging(left: Frames, right: Frames) -> Motion:
    """Return a motion whose forearms are turned by these angles, in radians."""
    skeleton = build_skeleton(BIPED)
    turns = {"forearm.L": turn(FORWARD, left), "forearm.R": turn(FORWARD, right)}
    return Motion(skeleton, RATE, pose_channels(skeleton, turns, len(left)))


def test_first_step_may_be_longer_than_those_at_the_ends_if_it_is_as_calm_as_others() -> None:
    phase = 2 * np.pi * (np.arange(14) + 0.5) / 14
    bound = swinging(0.8 * np.cos(phase), 0.4 * np.tanh(4 * np.sin(phase)))
    assert is_cycle(bound) and not is_cycle(bound.slice(0, 12))
    share = np.arange(26) / 25
    for left_over, closes in ((0.04, True), (0.1, False)):
        gesture = 0.8 * np.sin(np.pi * share) ** 4 + left_over * share**2 * (3 - 2 * share)
        assert is_cycle(swinging(gesture, np.zeros(26))) == closes


def test_hit_out_of_rest_is_a_take_and_one_that_is_wound_up_for_is_a_cycle() -> None:
    back = 0.62 * (1 + np.cos(np.linspace(0, np.pi, 28)[1:])) / 2
    for steps, closes in (([0.3, 0.3, 0.02], False), ([0.02, 0.1, 0.2, 0.2, 0.1], True)):
        hit = np.concatenate(([0.0], np.cumsum(steps), back))
        assert is_cycle(swinging(hit, np.zeros(len(hit)))) == closes


def test_cycle_may_change_its_direction_at_once_where_it_repeats() -> None:
    assert is_cycle(swinging(0.8 * np.abs(np.sin(np.pi * np.arange(20) / 20)), np.zeros(20)))


def test_frame_that_leads_slowly_to_the_first_is_not_the_first_once_more() -> None:
    phase = 2 * np.pi * (np.arange(20) + 0.5) / 20
    [_], [frames] = unrolled([swinging(0.8 * np.cos(phase), 0.1 * np.sin(phase))])
    assert frames == 20


@pytest.mark.parametrize("frames", [24, 30, 40])
@pytest.mark.parametrize("missing", [1, 2])
def test_frames_that_are_missing_at_the_end_of_a_walk_are_replaced(frames: int, missing: int) -> None:
    whole = walk_cycle(frames)
    cut = whole.slice(0, frames - missing)
    [motion], [length] = unrolled([cut])
    assert length == frames and is_cycle(cut) and not is_cycle(whole.slice(0, frames - 5))
    assert (accelerations(motion) <= 1.2 * accelerations(cut) + 1e-6).all()
    assert rotations.angle_between(motion.rotations[:frames], whole.rotations).max() < 0.06
    assert np.isclose(np.linalg.norm(motion.translations[frames, 0] - motion.translations[0, 0]), 1.3, rtol=0.02)


@pytest.mark.parametrize("missing", [4, 5])
def test_a_cycle_that_lacks_more_frames_than_may_be_added_closes_as_calmly_as_these_allow(missing: int) -> None:
    phase = 2 * np.pi * np.arange(30 - missing) / 30
    swing = swinging(0.8 * np.cos(phase), 0.2 * np.sin(phase))
    assert not is_cycle(swing)
    [rounds], [length] = unrolled([swing], [Repetition.CYCLE])
    alone = accelerations(swing.take(np.tile(np.arange(swing.frames), 3))).max()
    assert length == swing.frames + 2 and accelerations(rounds).max() < 0.6 * alone


def test_a_bounce_keeps_its_frames_however_abruptly_it_turns_back() -> None:
    bounce = swinging(0.8 * np.abs(np.sin(np.pi * np.arange(20) / 20)), np.zeros(20))
    assert unrolled([bounce] * 2, [Repetition.AUTOMATIC, Repetition.CYCLE])[1].tolist() == [20.0, 20.0]


def test_end_from_which_frames_that_replace_missing_ones_would_jerk_is_one_of_a_take() -> None:
    phase = 2 * np.pi * np.arange(28) / 30 + np.pi / 2
    for jerk, closes in ((0.0, True), (0.03, False)):
        assert is_cycle(swinging(0.8 * np.cos(phase), jerk * np.linspace(0, 1, 28) ** 4)) == closes


def test_takes_are_not_cycles() -> None:
    skeleton, share = build_skeleton(BIPED), np.arange(20) / 20
    assert not is_cycle(walk_cycle(30).slice(0, 22))
    for angle in (share, share**8, (share == share[-1]).astype(np.float64)):
        assert not is_cycle(Motion(skeleton, RATE, pose_channels(skeleton, {"forearm.L": turn(FORWARD, angle)}, 20)))
    assert not any(is_cycle(walker(frames, seed)) for frames in (30, 60, 100, 240) for seed in range(4))
    assert not is_cycle(waver(240))
    broken = walk_cycle()
    broken.rotations[3, 2] = np.nan
    assert not is_cycle(broken)


@pytest.mark.parametrize(("rate", "made_at"), [(30.0, 30.0), (24.0, 30.0), (60.0, 30.0), (60.0, 60.0)])
def test_results_of_a_cycle_repeat_it_without_a_cut(rate: float, made_at: float) -> None:
    frames = round(rate)
    cycle = walk_cycle(frames, rate)
    prepared = prepare([cycle], frames_per_second=made_at)
    highest = accelerations(prepared.motions[0])
    for seed in range(4):
        result = synthesize(prepared, round(5 * made_at), seed=seed)
        assert np.allclose(steps_of(result, frames), rate / made_at, atol=0.01)
        assert result.source_frames.min() >= 0 and result.source_frames.max() < frames
        assert (accelerations(result.motion) <= 1.2 * highest + 1e-6).all()
        ground = result.motion.translations[:, 0]
        assert np.isclose(np.linalg.norm(ground[-1] - ground[0]), 1.3 * 5, rtol=0.05)


@pytest.mark.parametrize("unevenness", [0.02, 0.04, 0.1])
def test_steps_of_seeds_differ_in_pace_as_much_as_the_two_steps_of_the_cycle(unevenness: float) -> None:
    prepared = prepared_walk(uneven_cycle(unevenness))
    highest, every = accelerations(prepared.motions[0]), list[Frames]()
    for seed in range(4):
        result = synthesize(prepared, 150, seed=seed)
        passed = steps_of(result, 30)
        assert np.abs(passed - 1).max() <= min(unevenness, 0.049) + 0.002
        assert np.abs(np.diff(passed)).max() < 0.02
        assert (accelerations(result.motion) <= 1.2 * highest + 1e-6).all()
        every.append(passed)
    assert min(np.ptp(passed) for passed in every) > 0.5 * min(unevenness, 0.049)
    assert all(np.abs(one - other).max() > 0.005 for one, other in combinations(every, 2))


def test_steps_of_an_even_cycle_all_have_its_own_pace() -> None:
    for cycle in (walk_cycle(30), uneven_cycle(0.005)):
        prepared = prepared_walk(cycle)
        assert all(synthesize(prepared, 150, seed=seed).source_rates is None for seed in range(3))


@pytest.mark.parametrize("loop", [Loop.TRAVEL, Loop.IN_PLACE])
@pytest.mark.parametrize("frames", [45, 150, 250])
def test_loop_of_steps_that_differ_in_pace_holds_whole_rounds(loop: Loop, frames: int) -> None:
    prepared = prepared_walk(uneven_cycle(0.04))
    for seed in range(3):
        result = synthesize(prepared, frames, constraints=Constraints(loop=loop), seed=seed)
        passed = steps_of(result, 30)
        rate = passed.mean()
        assert np.isclose(passed.sum(), 30 * round(passed.sum() / 30), atol=0.01)
        assert (accelerations(result.motion) <= max(rate**2, 1.0) * 1.2 * accelerations(prepared.motions[0])).all()
        turned = rotations.angle_between(result.motion.rotations[0, 1:], result.motion.rotations[-1, 1:])
        assert turned.max() < 1e-3


@pytest.mark.parametrize("frames", [20, 150, 1000])
def test_result_of_a_cycle_in_place_shows_its_own_poses(frames: int) -> None:
    cycle = walk_cycle(31)
    still = cycle.with_channels({**cycle.channels(), "translations": 0 * cycle.translations})
    prepared = prepare([still])
    for seed in range(3):
        result = synthesize(prepared, frames, seed=seed)
        own = prepared.motions[0].rotations[np.rint(result.source_frames[:, 0]).astype(np.int64)]
        assert rotations.angle_between(result.motion.rotations, own).max() < 1e-3


@pytest.mark.parametrize(("frames", "rate", "made_at"), [(25, 24.0, 30.0), (45, 24.0, 30.0), (31, 30.0, 24.0)])
def test_rounds_between_two_frames_show_no_cut(frames: int, rate: float, made_at: float) -> None:
    prepared = prepare([walk_cycle(frames, rate)], frames_per_second=made_at)
    highest = accelerations(prepared.motions[0])
    for seed in range(3):
        result = synthesize(prepared, 400, seed=seed)
        assert np.allclose(steps_of(result, frames), rate / made_at, atol=1e-3)
        assert (accelerations(result.motion) <= 1.05 * highest + 1e-6).all()


def test_step_to_the_same_moment_of_another_round_is_no_transition() -> None:
    examples = prepare([walk_cycle(30), walker(120)]).examples
    take = int(examples.bounds.starts[1])
    starts = np.array([0, 20, 40, 60, 80, 100])
    # On in the round before, a frame too early, into the take, on in it, and back by 30 frames of it.
    sources = np.array([70, 60, 49, take + 50, take + 70, take + 60])
    segments = Segments(starts, sources, 120)
    assert is_seamless(segments, examples).tolist() == [False, True, False, False, False, False]
    assert without_seamless(segments, examples).starts.tolist() == [0, 40, 60, 80, 100]
    planned = plan_crossfades(
        segments, examples.bounds, examples.channels, examples.speeds, RATE, is_seamless(segments, examples)[1:]
    )
    assert not np.isin(np.arange(10, 31), planned.frames).any() and 40 in planned.frames


def test_last_frame_that_repeats_the_first_is_left_out() -> None:
    result = synthesize(prepare([walk_cycle(30, repeated=True)]), 150, seed=2)
    assert np.allclose(steps_of(result, 30), 1.0)
    assert result.source_frames.max() == 29


def test_rounds_of_a_turning_cycle_go_on_turning() -> None:
    result = synthesize(prepare([walk_cycle(30, turned=0.5)]), 150)
    heading = result.motion.rotations[:, 0].astype(np.float64)
    turned = np.unwrap(2 * np.arctan2(heading[:, 3], heading[:, 0]))
    assert np.isclose(turned[-1] - turned[0], 0.5 * 149 / 30, atol=0.1)


def test_cycle_that_closes_roughly_shows_no_jump_between_rounds() -> None:
    cycle = walk_cycle(32)
    rough = cycle.slice(0, 31)
    assert is_cycle(rough)
    repeated = prepare([rough]).motions[0]
    assert (accelerations(repeated) <= 1.5 * accelerations(cycle)).all()


@pytest.mark.parametrize("loop", [Loop.TRAVEL, Loop.IN_PLACE])
@pytest.mark.parametrize("frames", [30, 45, 100, 150, 250])
def test_loop_of_a_cycle_holds_whole_rounds_and_closes(loop: Loop, frames: int) -> None:
    cycle = walk_cycle(32)
    prepared = prepare([cycle])
    for seed in range(3):
        result = synthesize(prepared, frames, constraints=Constraints(loop=loop), seed=seed)
        passed = steps_of(result, 32)
        assert np.allclose(passed, passed.mean(), atol=0.02)
        assert np.isclose(passed.sum() % 32, 0.0, atol=0.01) or np.isclose(passed.sum() % 32, 32.0, atol=0.01)
        rate = float(passed.mean())
        assert (result.source_rates is None) == np.isclose(rate, 1.0)
        assert result.source_rates is None or np.allclose(result.source_rates, rate, atol=0.02)
        assert any(f"{100 * rate:.0f} % of its speed" in note for note in result.notes) != np.isclose(rate, 1.0)
        assert (accelerations(result.motion) <= max(rate**2, 1.0) * 1.2 * accelerations(prepared.motions[0])).all()


@pytest.mark.parametrize("loop", [Loop.TRAVEL, Loop.IN_PLACE])
@pytest.mark.parametrize(
    ("frames", "fitting"), [(24, "32"), (45, "32 or 64"), (60, "32 or 64"), (70, "64 or 96"), (150, "128 or 160")]
)
def test_loop_is_rather_slower_than_noticeably_quick_and_tells_the_lengths_that_fit(
    loop: Loop, frames: int, fitting: str
) -> None:
    prepared = prepare([walk_cycle(32)])
    highest = accelerations(prepared.motions[0])
    for seed in range(3):
        result = synthesize(prepared, frames, constraints=Constraints(loop=loop), seed=seed)
        rate = float(steps_of(result, 32).mean())
        assert rate >= 0.5 and (rate**2 <= 1.2 or frames < 32)
        assert frames < 32 or (accelerations(result.motion) <= 1.2 * highest + 1e-6).all()
        assert any(f"; loops of {fitting} frames play at its own speed." in note for note in result.notes)


def strike(frames: int = 40) -> Motion:
    """Return a cycle in place that raises both forearms for a moment, and is calm for the rest."""
    angles = 0.8 * np.sin(np.pi * np.arange(frames) / frames) ** 8
    return swinging(angles, 0.5 * angles)


@pytest.mark.parametrize(("frames", "rounds"), [(50, 1), (60, 2), (64, 2), (90, 2), (98, 3), (104, 3)])
def test_loop_is_quicker_where_its_cycle_is_calm_rather_than_slow(frames: int, rounds: int) -> None:
    prepared = prepare([strike()], repetitions=[Repetition.CYCLE])
    highest = accelerations(prepared.motions[0])
    for seed in range(3):
        result = synthesize(prepared, frames, constraints=Constraints(loop=Loop.TRAVEL), seed=seed)
        passed = steps_of(result, 40)
        assert passed.sum() == pytest.approx(40 * rounds, abs=0.01)
        assert (accelerations(result.motion) <= 1.2 * highest + 1e-6).all()


def test_loop_slower_than_its_cycle_strikes_as_quickly() -> None:
    prepared = prepare([strike()], repetitions=[Repetition.CYCLE])
    hand = prepared.motions[0].skeleton.names.index("hand.L")
    speeds = []
    for motion in (prepared.motions[0], synthesize(prepared, 50, constraints=Constraints(loop=Loop.TRAVEL)).motion):
        steps = np.linalg.norm(np.diff(motion.pose()[1][:, hand], axis=0), axis=1)
        speeds.append(steps.max())
    assert speeds[1] > 0.9 * speeds[0]


@pytest.mark.parametrize("frames", [48, 52])
def test_loop_of_very_different_steps_stays_within_the_limits_of_rates(frames: int) -> None:
    prepared = prepared_walk(uneven_cycle(0.5))
    for seed in range(20):
        result = synthesize(prepared, frames, constraints=Constraints(loop=Loop.TRAVEL), seed=seed)
        assert steps_of(result, 30).min() >= 0.49


def posed_at(prepared: Prepared, frames: int, poses: dict[int, int], seed: int = 0) -> Synthesis:
    """Return a result with poses of the cycle's rounds at some frames."""
    pinned = PoseConstraint.at(prepared.motions[0], frames, poses)
    return synthesize(prepared, frames, constraints=Constraints(poses=pinned), seed=seed)


@pytest.mark.parametrize(
    ("poses", "slowest", "quickest"),
    [
        ({50: 12}, 1.0, 1.0),
        ({20: 3, 110: 33, 170: 63}, 1.0, 1.0),  # as the cycle goes on by itself
        ({20: 0, 80: 8, 150: 20}, 1.0, 1.2),
        ({20: 0, 80: 22, 150: 50}, 0.83, 1.0),
        ({40: 5, 100: 20}, 0.75, 1.25),  # half a round aside within two
    ],
)
def test_rounds_pass_poses_of_the_cycle_at_a_pace_that_changes_little(
    poses: dict[int, int], slowest: float, quickest: float
) -> None:
    prepared = prepare([walk_cycle(30)])
    highest, source = accelerations(prepared.motions[0]), prepared.motions[0].rotations[:, 1:]
    for seed in range(3):
        result = posed_at(prepared, 200, poses, seed)
        passed = steps_of(result, 30)
        assert slowest - 0.01 <= passed.min() and passed.max() <= quickest + 0.01
        assert (accelerations(result.motion) <= 1.2 * quickest**2 * highest + 1e-6).all()
        for frame, pose in poses.items():
            assert rotations.angle_between(result.motion.rotations[frame, 1:], source[pose]).max() < 1e-3


def test_pose_that_the_cycle_does_not_show_bends_its_rounds_and_cuts_none() -> None:
    prepared = prepare([walk_cycle(30)])
    cycle = prepared.motions[0]
    arm = cycle.skeleton.names.index("upper_arm.L")
    raised = cycle.take(np.array([12]))
    turned = turn(FORWARD, np.array([1.2])).astype(np.float32)
    raised.rotations[:, arm] = rotations.multiply(turned, raised.rotations[:, arm])
    for seed in range(3):
        pinned = PoseConstraint.at(raised, 200, {100: 0})
        result = synthesize(prepared, 200, constraints=Constraints(poses=pinned), seed=seed)
        assert np.allclose(steps_of(result, 30), 1.0)
        assert rotations.angle_between(result.motion.rotations[100, arm], raised.rotations[0, arm]) < 1e-3
        away = rotations.angle_between(
            result.motion.rotations[:, arm], cycle.rotations[np.rint(result.source_frames[:, 0]).astype(int), arm]
        )
        assert np.abs(np.diff(away)).max() < 0.2 and away[[20, 180]].max() < 1e-3
        legs = [number for number, name in enumerate(cycle.skeleton.names) if "thigh" in name or "shin" in name]
        highest = accelerations(cycle)
        assert (accelerations(result.motion)[legs] <= 1.2 * highest[legs] + 1e-6).all()


def test_poses_that_no_pace_reaches_are_met_all_the_same() -> None:
    prepared = prepare([walk_cycle(30)])
    for poses in ({30: 12, 31: 28}, {0: 3, 199: 3}, {30: 12, 36: 2, 37: 20}):
        result = posed_at(prepared, 200, poses)
        for frame, pose in poses.items():
            at_pose = prepared.motions[0].rotations[pose, 1:]
            assert rotations.angle_between(result.motion.rotations[frame, 1:], at_pose).max() < 1e-3


def test_feet_that_stand_in_a_cycle_do_not_slide_to_a_pose() -> None:
    phase = 2 * np.pi * np.arange(40) / 40
    nod = swinging(0.4 * np.sin(phase), 0.4 * np.cos(phase))
    prepared = prepare([nod], settings=Settings(feet=("foot.L", "foot.R")), repetitions=[Repetition.CYCLE])
    moved = prepared.motions[0].take(np.array([7]))
    names = moved.skeleton.names
    moved.rotations[:, names.index("thigh.L")] = turn(FORWARD, np.array([0.25])).astype(np.float32)
    result = synthesize(prepared, 160, constraints=Constraints(poses=PoseConstraint.at(moved, 160, {80: 0}))).motion
    foot = result.pose()[1][60:101, names.index("foot.L")]
    assert np.linalg.norm(foot - foot[20], axis=1).max() < 0.02
    assert rotations.angle_between(result.rotations[80], moved.rotations[0]).max() < 1e-3


def test_cycles_at_rates_of_billions_stay_small() -> None:
    [motion], _ = unrolled([walk_cycle(rate=1e9)], [Repetition.CYCLE])
    assert motion.frames <= 101 * 30


def test_choice_decides_whether_an_example_repeats() -> None:
    cycle, take = walk_cycle(), walker(60)
    assert prepare([cycle], repetitions=[Repetition.TAKE]).motions[0].frames == 30
    assert prepare([take]).motions[0].rotations is take.rotations
    forced = prepare([take, cycle], repetitions=[Repetition.CYCLE, Repetition.AUTOMATIC])
    assert [motion.frames for motion in forced.motions] == [248, 180], (
        "two frames calm the first one's jump to its start"
    )
    with pytest.raises(InputError, match="repetitions must hold one for each of the 1 examples, not 2"):
        prepare([cycle], repetitions=[Repetition.TAKE] * 2)


def test_takes_are_prepared_as_before_beside_cycles() -> None:
    take = walker(120)
    prepared = prepare([take, walk_cycle()])
    assert prepared.motions[0].rotations is take.rotations and prepared.examples.rounds.tolist() == [np.inf, 30.0]
    result = synthesize(prepared, 200, seed=1)
    of_cycle = result.source_examples[:, 0] == 1
    assert result.source_frames[of_cycle].max(initial=0) < 30


def test_small_bounce_in_place_stays_in_place() -> None:
    cycle = walk_cycle(30)
    bob = cycle.translations - cycle.translations * FORWARD.astype(np.float32)
    still = cycle.with_channels({**cycle.channels(), "translations": bob})
    result = synthesize(prepare([still]), 300, seed=3)
    assert np.abs(result.motion.translations[:, 0] * FORWARD).max() < 1e-3
