# SPDX-License-Identifier: GPL-3.0-or-later
"""Segments with a rate and weighted sources: poses between frames, travel, feet, and recorded values."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from legged import compass, places_of
from measures import is_sound
from motions import FORWARD, RATE, SIDEWAYS, Array, MotionMaker, place_channels, pose_channels, turn, walker

from genmm_addon.core import (
    Constraints,
    InputError,
    Loop,
    Motion,
    Prepared,
    Settings,
    Synthesis,
    prepare,
    rotations,
    synthesize,
)
from genmm_addon.core.constraints.constraint import Constraint, Settled, Task
from genmm_addon.core.examples.part_plans import PartPlan
from genmm_addon.core.examples.speeds import Speeds
from genmm_addon.core.examples.transition_costs import Bounds
from genmm_addon.core.motion.channels import Channels
from genmm_addon.core.planning.crossfades import plan_crossfades
from genmm_addon.core.planning.segments import Segments
from genmm_addon.core.planning.sources import AddedSource
from genmm_addon.core.synthesis import synthesis_arrays
from genmm_addon.core.synthesis.compose import compose
from genmm_addon.core.synthesis.crossfade import assemble, both_sides
from genmm_addon.core.synthesis.foot_plan import Steps, plan_steps

STEP, TURN = 0.02, 0.01
"""Distance in units, and angle in radians of an arm, that the steady motion moves in each frame."""
FRAMES = 60
RATES = (0.5, 0.8, 1.0, 1.5, 2.0)
at_every_rate = pytest.mark.parametrize("rate", RATES)
FREE_FEET = Settings(foot_locking=False)


def steady(frames: int = 200, lift: float = 0.0) -> Motion:
    """Return a body that glides and turns an arm at constant speeds; lift: of the other arm, in radians."""
    skeleton, time = walker().skeleton, np.arange(frames)
    turns = {"upper_arm.L": turn(SIDEWAYS, TURN * time), "upper_arm.R": turn(FORWARD, np.full(frames, lift))}
    path = np.zeros((frames, 3))
    path[:, 1] = STEP * time
    return Motion(
        skeleton,
        RATE,
        pose_channels(skeleton, turns, frames),
        np.array([skeleton.names.index("hips")]),
        place_channels(skeleton, "hips", path),
    )


@cache
def prepared_of(make: MotionMaker = steady) -> Prepared:
    return prepare([make()], settings=FREE_FEET)


@cache
def two_lifts() -> Prepared:
    """Return the preparation of two steady motions that differ in one arm only."""
    return prepare([steady(), steady(lift=1.0)], settings=FREE_FEET)


def segment(source: float, rate: float = 1.0, frames: int = FRAMES, added: tuple[AddedSource, ...] = ()) -> Segments:
    rates = None if rate == 1.0 else np.full(frames, rate)
    return Segments(np.array([0]), np.array([source]), frames, rates, added)


def composed(ready: Prepared, segments: Segments) -> Synthesis:
    return compose(Task(ready, segments.frames), [segments])


def traveled(motion: Motion) -> float:
    hips = motion.pose()[1][:, 0]
    return float(np.linalg.norm(hips[-1] - hips[0]))


def angle_of(motion: Motion, joint: str) -> Array:
    """Return the angle of a joint since the first frame."""
    own = motion.rotations[:, motion.skeleton.names.index(joint)]
    return np.asarray(rotations.angle_between(own, own[:1]))


@at_every_rate
def test_a_steady_motion_at_a_rate_moves_and_turns_at_that_rate(rate: float) -> None:
    motion = composed(prepared_of(), segment(10, rate)).motion
    assert traveled(motion) == pytest.approx(rate * STEP * (FRAMES - 1), rel=1e-4)
    assert angle_of(motion, "upper_arm.L") == pytest.approx(rate * TURN * np.arange(FRAMES), abs=1e-3)


@at_every_rate
def test_a_walk_goes_the_same_way_at_any_rate(rate: float) -> None:
    ready, frames = prepared_of(walker), 80
    own = composed(ready, segment(20, 1.0, frames))
    other = composed(ready, segment(20, rate, round((frames - 1) / rate) + 1))
    passed = rate * (other.motion.frames - 1) / (frames - 1)
    assert traveled(other.motion) == pytest.approx(passed * traveled(own.motion), rel=0.02)


def test_half_the_rate_shows_the_examples_frames_and_smooth_curves_between_them() -> None:
    recorded, body = walker(), slice(1, None)
    ready = prepare([recorded.take(np.arange(0, recorded.frames, 2))])
    shown = composed(ready, segment(20, 0.5)).motion.rotations[:, body]
    truth = recorded.rotations[40 : 40 + FRAMES, body]
    assert rotations.angle_between(shown[::2], truth[::2]).max() < 1e-3
    half = np.full(truth[2::2].shape[:2], 0.5, np.float32)
    straight = rotations.slerp(truth[:-2:2], truth[2::2], half)
    between = truth[1:-1:2]
    off, straight_off = (rotations.angle_between(poses, between).max() for poses in (shown[1:-1:2], straight))
    assert off < 0.5 * straight_off


def test_a_rate_of_one_told_frame_by_frame_is_the_plain_segment() -> None:
    ready = prepared_of(walker)
    segments = Segments(np.array([0, 50]), np.array([20, 120]), 100)
    told = replace(segments, rates=np.ones(100))
    own, other = composed(ready, segments), composed(ready, told)
    assert np.abs(own.motion.rotations - other.motion.rotations).max() < 1e-5
    assert np.abs(own.motion.translations - other.motion.translations).max() < 1e-4
    assert np.array_equal(own.source_frames, other.source_frames)


def test_a_rate_that_changes_passes_the_frames_that_it_adds_up_to() -> None:
    rates = np.linspace(0.5, 2.0, FRAMES)
    segments = replace(segment(10), rates=rates)
    assert np.diff(segments.positions()) == pytest.approx(rates[:-1])
    motion = composed(prepared_of(), segments).motion
    assert traveled(motion) == pytest.approx(STEP * rates[:-1].sum(), rel=1e-4)


@pytest.mark.parametrize(("first", "second"), [(0.5, 2.0), (2.0, 0.5), (1.0, 0.5)])
def test_crossfades_of_segments_at_rates_are_smooth(first: float, second: float) -> None:
    rates = np.repeat([first, second], [50, 40])
    segments = Segments(np.array([0, 50]), np.array([10, 100]), 90, rates)
    motion = composed(prepared_of(), segments).motion
    steps = np.linalg.norm(np.diff(motion.pose()[1][:, 0], axis=0), axis=1)
    low, high = STEP * min(first, second), STEP * max(first, second)
    assert steps.min() > 0.98 * low and steps.max() < 1.02 * high
    crossfaded = plan_crossfades(segments, *_crossfading(prepared_of())).frames
    assert np.abs(np.diff(steps)).max() < 2.5 * (high - low) / len(crossfaded) + 1e-6
    turned = rotations.angle_between(motion.rotations[1:], motion.rotations[:-1]).max(axis=1)
    gap = abs(TURN * (100 - (10 + first * 50)))
    assert turned.max() < TURN * max(first, second) + 2.0 * gap / len(crossfaded)


def _crossfading(ready: Prepared) -> tuple[Bounds, Channels, Speeds, float]:
    examples = ready.examples
    return examples.bounds, examples.channels, examples.speeds, examples.frames_per_second


def test_at_the_edges_of_a_crossfade_nothing_jumps() -> None:
    """Outside of its crossfade each segment shows its own poses at its own rate, and in the crossfade the two meet."""
    ready = prepared_of(walker)
    segments = Segments(np.array([0, 50]), np.array([20.5, 120.25]), 100, np.repeat([0.7, 1.3], 50))
    crossfades = plan_crossfades(segments, *_crossfading(ready))
    shown = assemble(ready.examples, segments, crossfades)
    alone = assemble(
        ready.examples, segments, plan_crossfades(Segments(np.array([0]), np.array([0]), 1), *_crossfading(ready))
    )
    apart = rotations.angle_between(shown.orientations, alone.orientations).max(axis=1)
    calm = np.setdiff1d(np.arange(100), crossfades.frames)
    assert apart[calm].max() < 1e-3
    edges = crossfades.frames[[0, -1]]
    assert apart[edges].max() < 0.05 * apart.max() + 1e-3


@pytest.mark.parametrize("rates", [None, np.ones(120)])
@pytest.mark.parametrize("places", [(60, 70), (50, 60), (56, 60, 66)])
def test_a_crossfade_reaches_over_short_segments_beside_it(places: tuple[int, ...], rates: Array | None) -> None:
    """An arm goes from one height to another as calmly where a segment beside the transition lasts only some frames."""
    walk, arm = walker(), walker().skeleton.names.index("upper_arm.R")
    lifted = walk.rotations.copy()
    lifted[:, arm] = rotations.multiply(turn(FORWARD, np.full(walk.frames, 1.0)), lifted[:, arm])
    ready = prepare([walk, replace(walk, rotations=lifted)], settings=FREE_FEET)
    starts = np.array([0, *places])
    later = np.where(starts < 60, 1, np.where(starts > 60, walk.frames + 1, walk.frames))
    one, several = (
        composed(ready, Segments(begins, begins + sources, 120, rates)).motion.rotations[:, arm]
        for begins, sources in ((np.array([0, 60]), np.array([0, walk.frames])), (starts, np.where(starts, later, 0)))
    )
    calm, short = (rotations.angle_between(poses[1:], poses[:-1]).max() for poses in (one, several))
    assert short < 1.2 * calm
    assert rotations.angle_between(one, several).max() < 0.1


@pytest.mark.parametrize("rates", [None, np.ones(120)])
def test_beyond_an_end_a_movement_slows_down_steadily_to_rest(rates: Array | None) -> None:
    """An arm that turns at a constant speed to the end does not stop within a frame when a crossfade goes on."""
    ready = prepared_of()
    segments = Segments(np.array([0, 60]), np.array([140, 0]), 120, rates)
    crossfades = plan_crossfades(segments, *_crossfading(ready))
    arm = ready.motions[0].skeleton.names.index("upper_arm.L")
    before, after = both_sides(ready.examples, crossfades, slice(None))
    for angles in (_turned(before.orientations[:, arm]), _turned(after.orientations[::-1, arm])):
        steps, changes = np.diff(angles), np.diff(angles, 2)
        assert steps[:10] == pytest.approx(TURN, rel=1e-2) and steps[-5:] == pytest.approx(0.0, abs=1e-5)
        assert changes.max() < 1e-4 and changes.min() > -0.2 * TURN
        assert angles[-1] > angles[len(angles) // 2] + 2 * TURN


def _turned(orientations: Array) -> Array:
    """Return the angles `(X,)` between orientations `(X, 4)` and the first."""
    return np.asarray(rotations.angle_between(orientations, orientations[:1]), np.float64)


def added(position: float, weight: float, frames: int = FRAMES) -> AddedSource:
    return AddedSource(position + np.arange(frames, dtype=np.float64), np.full(frames, weight))


def test_of_two_sources_one_without_weight_is_not_there() -> None:
    ready = two_lifts()
    other = int(ready.bounds.starts[1]) + 10
    for weight, source in ((0.0, 10), (1.0, other)):
        both, one = composed(ready, segment(10, added=(added(other, weight),))), composed(ready, segment(source))
        assert np.abs(both.motion.rotations - one.motion.rotations).max() < 1e-6
        assert both.motion.translations == pytest.approx(one.motion.translations, abs=1e-4)


@pytest.mark.parametrize("weight", [0.25, 0.5, 0.9])
def test_two_aligned_motions_give_the_pose_between_them(weight: float) -> None:
    ready = two_lifts()
    other = int(ready.bounds.starts[1]) + 10
    motion = composed(ready, segment(10, added=(added(other, weight),))).motion
    joint = motion.skeleton.names.index("upper_arm.R")
    low, high = (one.rotations[10 : 10 + FRAMES, joint] for one in ready.motions)
    between = rotations.slerp(low, high, np.full(FRAMES, weight, np.float32))
    assert rotations.angle_between(motion.rotations[:, joint], between).max() < 1e-3
    assert rotations.angle_between(motion.rotations[:, joint], low) == pytest.approx(np.full(FRAMES, weight), abs=1e-3)
    assert traveled(motion) == pytest.approx(STEP * (FRAMES - 1), rel=1e-4)


def test_the_weights_of_three_sources_are_shares_of_their_mean() -> None:
    ready = prepare([steady(), steady(lift=0.6), steady(lift=0.9)], settings=FREE_FEET)
    starts = ready.bounds.starts
    sources = (added(int(starts[1]) + 10, 0.3), added(int(starts[2]) + 10, 0.2))
    motion = composed(ready, segment(10, added=sources)).motion
    joint = motion.skeleton.names.index("upper_arm.R")
    lifted = rotations.angle_between(motion.rotations[:, joint], ready.motions[0].rotations[10 : 10 + FRAMES, joint])
    # About one axis, the spherical mean is the mean of the angles.
    assert lifted == pytest.approx(np.full(FRAMES, 0.3 * 0.6 + 0.2 * 0.9), abs=1e-3)


def test_two_sources_at_other_rates_travel_at_the_mean_of_them() -> None:
    ready = two_lifts()
    own = segment(10, 0.5)
    quick = AddedSource(int(ready.bounds.starts[1]) + 5 + 1.5 * np.arange(FRAMES), np.full(FRAMES, 0.5))
    motion = composed(ready, replace(own, added=(quick,))).motion
    assert traveled(motion) == pytest.approx(STEP * (FRAMES - 1), rel=1e-3)


def steps_of(ready: Prepared, segments: Segments) -> Steps:
    return plan_steps(
        ready.example_feet,
        ready.planning,
        ready.examples,
        [segments],
        [plan_crossfades(segments, *_crossfading(ready))],
    )


@at_every_rate
def test_feet_stand_as_long_as_the_rate_says(rate: float) -> None:
    ready = prepare([compass()])
    segments = segment(20, rate, 80)
    steps = plan_steps(
        ready.example_feet,
        ready.planning,
        ready.examples,
        [segments],
        [plan_crossfades(segments, *_crossfading(ready))],
    )
    places = segments.positions()
    before, after = (ready.example_feet.contacts[side(places).astype(int)] for side in (np.floor, np.ceil))
    assert np.array_equal(steps.contacts[before == after], before[before == after])
    whole = segments.positions() % 1 == 0
    own = ready.example_feet.heights[segments.positions()[whole].astype(int)]
    assert steps.heights[whole] == pytest.approx(own)
    fastest = np.abs(np.diff(ready.example_feet.heights, axis=0)).max()
    assert np.abs(np.diff(steps.heights, axis=0)).max() <= rate * fastest + 1e-6


@pytest.mark.parametrize("rate", [0.5, 0.8, 1.5])
def test_feet_that_stand_stay_where_they_are_at_any_rate(rate: float) -> None:
    ready = prepare([compass()])
    segments = segment(20, rate, 80)
    motion = compose(Task(ready, 80), [segments]).motion
    steps = plan_steps(
        ready.example_feet,
        ready.planning,
        ready.examples,
        [segments],
        [plan_crossfades(segments, *_crossfading(ready))],
    )
    slid = np.linalg.norm(np.diff(places_of(motion), axis=0), axis=2)
    stands = steps.contacts[1:] & steps.contacts[:-1]
    assert slid[stands].mean() < 0.1 * slid[~stands].mean()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (segment(10, 0.4), "0.5 to 2"),
        (segment(10, 2.5), "0.5 to 2"),
        (segment(190, 1.5, 60), "outside its example"),
        (segment(10, added=(added(180, 0.5),)), "outside its example"),
        (segment(10, added=(added(20, 0.7), added(30, 0.7))), "weights"),
    ],
    ids=["slow", "quick", "end", "other end", "weights"],
)
def test_impossible_sources_are_rejected_with_one_sentence(wrong: Segments, said: str) -> None:
    with pytest.raises(InputError, match=said):
        composed(prepared_of(), wrong)


def test_sources_are_recorded_with_their_rates_and_weights() -> None:
    ready = two_lifts()
    plain = composed(ready, segment(10))
    assert plain.source_rates is None and plain.weighted_sources is None
    timed = composed(ready, segment(10, 0.5))
    assert timed.source_frames[:, 0] == pytest.approx(10 + 0.5 * np.arange(FRAMES))
    assert np.all(timed.source_rates == 0.5) and timed.weighted_sources is None
    other = int(ready.bounds.starts[1]) + 30
    both = composed(ready, segment(10, added=(added(other, 0.7),)))
    assert (both.source_examples == 1).all()
    assert both.source_frames[:, 0] == pytest.approx(30 + np.arange(FRAMES))
    assert both.weighted_sources is not None
    assert both.weighted_sources.weights[:, 0] == pytest.approx(np.tile([0.3, 0.7], (FRAMES, 1)))
    assert np.array_equal(both.weighted_sources.examples[:, 0], np.tile([0, 1], (FRAMES, 1)))


def test_file_stores_rates_and_weights_only_when_used() -> None:
    ready = two_lifts()
    plain = synthesis_arrays(composed(ready, segment(10)), 0)
    assert not set(plain) & {"source_rates", "weighted_examples", "weighted_frames", "source_weights"}
    both = synthesis_arrays(composed(ready, segment(10, 0.5, added=(added(40, 0.4),))), 0)
    assert both["source_rates"].shape == (FRAMES, 1)
    assert both["weighted_frames"].shape == both["source_weights"].shape == (FRAMES, 1, 2)


@dataclass(frozen=True)
class AtRate(Constraint):
    """A constraint that shows the first example in one piece at a rate."""

    rate: float

    def settled(self, task: Task, plan: PartPlan, settled: Settled, reach: int) -> Settled:
        return Settled(segment(10, self.rate, task.frames), np.array([True]))


@pytest.mark.parametrize("loop", [Loop.OFF, Loop.TRAVEL, Loop.IN_PLACE])
def test_a_constraint_may_time_a_synthesis_and_a_loop_of_it(loop: Loop) -> None:
    ready = prepare([walker()])
    result = synthesize(ready, 120, constraints=Constraints(others=(AtRate(0.5),), loop=loop), seed=1)
    assert is_sound(result.motion)
    assert result.source_frames[:120, 0] == pytest.approx(10 + 0.5 * np.arange(120))
    assert result.motion.frames == (120 if loop is Loop.OFF else 121)
    assert loop is Loop.OFF or result.source_frames[120, 0] == 10
