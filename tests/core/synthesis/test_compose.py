# SPDX-License-Identifier: GPL-3.0-or-later
"""Composition: the examples' own frames, crossfades at transitions, and a root that is led back."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motions import RATE, UP, MotionMaker, walker, waver, whirler, with_foot_controls

from genmm_addon.core import Prepared, prepare, rotations
from genmm_addon.core.motion.channels import root_columns, root_track
from genmm_addon.core.motion.root_motion import RootTrack, integrate
from genmm_addon.core.planning.crossfades import (
    LONGEST_CROSSFADE_SECONDS,
    SHORTEST_CROSSFADE_SECONDS,
    Crossfades,
    plan_crossfades,
)
from genmm_addon.core.planning.segments import Segments
from genmm_addon.core.synthesis.crossfade import assemble
from genmm_addon.core.synthesis.root_trajectory import STEER_SHARE, anchor

few = settings(max_examples=25, deadline=None)
WALK, WAVE = prepare([walker()]), prepare([waver()])
TWO = prepare([walker(), walker(150, seed=3)])


def cut_at(*starts_and_sources: tuple[int, int], frames: int) -> Segments:
    starts, sources = np.array(starts_and_sources).T
    return Segments(starts, sources, frames)


def crossfades_of(prepared: Prepared, segments: Segments) -> Crossfades:
    return plan_crossfades(
        segments, prepared.bounds, prepared.examples.channels, prepared.examples.speeds, prepared.frames_per_second
    )


@st.composite
def random_runs(draw: st.DrawFn) -> Segments:
    """Return random segments of the two walks, each of a visible length."""
    starts, sources, frames = [], [], 0
    for _ in range(draw(st.integers(1, 5))):
        length = draw(st.integers(1, 80))
        example = draw(st.integers(0, 1))
        source = draw(st.integers(int(TWO.bounds.starts[example]), int(TWO.bounds.ends[example]) - length))
        starts.append(frames)
        sources.append(source)
        frames += length
    return Segments(np.array(starts), np.array(sources), frames)


def test_without_a_cut_the_examples_frames_come_out_as_they_are() -> None:
    segments = cut_at((0, 30), frames=100)
    crossfades = crossfades_of(WALK, segments)
    channels = assemble(WALK.examples, segments, crossfades)
    assert len(crossfades.frames) == 0
    assert np.array_equal(channels.orientations, WALK.examples.channels.orientations[30:130])
    assert np.array_equal(channels.linear, WALK.examples.channels.linear[30:130])


@few
@given(segments=random_runs())
def test_frames_outside_fades_equal_the_example(segments: Segments) -> None:
    crossfades = crossfades_of(TWO, segments)
    channels = assemble(TWO.examples, segments, crossfades)
    own = np.setdiff1d(np.arange(segments.frames), crossfades.frames)
    assert np.array_equal(channels.orientations[own], TWO.examples.channels.orientations[segments.source_frames()[own]])
    assert np.array_equal(channels.linear[own], TWO.examples.channels.linear[segments.source_frames()[own]])


@few
@given(segments=random_runs())
def test_no_frame_is_faded_twice_and_none_from_outside_its_example(segments: Segments) -> None:
    crossfades = crossfades_of(TWO, segments)
    assert len(np.unique(crossfades.frames)) == len(crossfades.frames)
    assert np.all((crossfades.frames >= 0) & (crossfades.frames < segments.frames))
    assert np.all((crossfades.weights >= 0) & (crossfades.weights <= 1))
    shown = TWO.bounds.example_of(segments.source_frames()[crossfades.frames])
    before, after = TWO.bounds.example_of(crossfades.before), TWO.bounds.example_of(crossfades.after)
    assert np.all((shown == before) | (shown == after))


@few
@given(segments=random_runs())
def test_a_fade_grows_steadily_and_passes_one_half_at_a_cut(segments: Segments) -> None:
    crossfades = crossfades_of(TWO, segments)
    assert set(crossfades.starts[1:]) >= set(np.flatnonzero(np.diff(crossfades.weights) < 0) + 1)
    for start, end in itertools.pairwise([*crossfades.starts, len(crossfades.frames)]):
        weights = crossfades.weights[start:end]
        half = int(np.searchsorted(weights, 0.5))
        assert crossfades.frames[start] + half in segments.starts[1:]
        assert weights[half - 1 : half + 1].sum() == pytest.approx(1, abs=1e-6)


@few
@given(segments=random_runs())
def test_faded_orientations_stay_unit(segments: Segments) -> None:
    channels = assemble(TWO.examples, segments, crossfades_of(TWO, segments))
    assert np.linalg.norm(channels.orientations, axis=-1) == pytest.approx(1, abs=1e-5)


def test_a_fade_between_equal_poses_of_opposite_signs_takes_the_short_way() -> None:
    whirl = prepare([whirler()])
    arm = whirler().skeleton.names.index("upper_arm.L")
    turned = whirler().rotations[:, arm] @ whirler().rotations[60, arm]
    arrive = 61 + int(np.argmin(turned[61:200]))
    assert turned[arrive] < -0.95, "half a turn of the quaternion is a whole one of the arm"
    segments = cut_at((0, 20), (41, arrive + 1), frames=75)
    crossfaded = assemble(whirl.examples, segments, crossfades_of(whirl, segments)).orientations[:, arm]
    own = rotations.angle_between(whirler().rotations[1:, arm], whirler().rotations[:-1, arm]).max()
    assert rotations.angle_between(crossfaded[1:], crossfaded[:-1]).max() < 1.5 * own


def test_a_fade_lasts_a_third_of_a_second_to_two_seconds() -> None:
    easy, hard = cut_at((0, 0), (100, 100), frames=200), cut_at((0, 0), (100, 115), frames=200)
    lengths = [len(crossfades_of(WALK, segments).frames) / RATE for segments in (easy, hard)]
    assert lengths[0] == pytest.approx(SHORTEST_CROSSFADE_SECONDS, abs=1 / RATE)
    assert SHORTEST_CROSSFADE_SECONDS < lengths[1] <= LONGEST_CROSSFADE_SECONDS + 1 / RATE


def test_a_fade_leaves_half_of_a_short_run_to_one_that_needs_about_as_long() -> None:
    segments = cut_at((0, 0), (100, 130), (106, 106), frames=200)
    crossfades = crossfades_of(WALK, segments)
    assert set(crossfades.frames.tolist()) <= set(range(97, 109))


@pytest.mark.parametrize("make", [walker, waver, with_foot_controls])
def test_a_root_told_in_columns_is_the_same_root(make: MotionMaker) -> None:
    prepared = prepare([make()])
    track = prepared.examples.tracks[0]
    again = root_track(root_columns(track), track.body, track, prepared.root)
    for name in ("velocity", "yaw_rate", "offset", "body"):
        assert getattr(again, name) == pytest.approx(getattr(track, name))
    walked = integrate(again, UP)
    assert walked.ground == pytest.approx(track.ground, abs=1e-3)
    assert rotations.angle_between(walked.heading, track.heading).max() < 2e-3


def led_back(segments: Segments) -> tuple[RootTrack, RootTrack]:
    """Return the wave's root along segments, free and led back."""
    shown, track = segments.source_frames(), WAVE.examples.tracks[0]
    walked = integrate(
        replace(track, velocity=track.velocity[shown], yaw_rate=track.yaw_rate[shown], heading=track.heading[shown]), UP
    )
    walked = replace(walked, ground=walked.ground - walked.ground[0] + track.ground[shown[0]])
    return walked, anchor(
        walked, track.ground[shown], segments, crossfades_of(WAVE, segments), WAVE.examples.highest_root_speed
    )


# Each cut displaces the root, since the segments are from moments with different leans.
LEANING = cut_at((0, 20), (80, 40), (150, 10), (230, 60), frames=300)


def test_a_character_that_stays_ends_where_the_example_stands() -> None:
    walked, back = led_back(LEANING)
    last = WAVE.examples.tracks[0].ground[LEANING.source_frames()[-1]]
    assert np.linalg.norm(walked.ground[-1] - last) > 0.01
    assert back.ground[-1] == pytest.approx(last, abs=1e-3)


def test_a_character_that_stays_is_led_to_where_the_example_stands() -> None:
    walked, back = led_back(LEANING)
    places = WAVE.examples.tracks[0].ground[LEANING.source_frames()]
    assert np.abs(back.ground - places).mean() < np.abs(walked.ground - places).mean()


def test_a_character_that_stays_is_led_back_no_faster_than_it_moves() -> None:
    _, back = led_back(LEANING)
    assert np.linalg.norm(np.diff(back.ground, axis=0), axis=1).max() <= 1.2 * WAVE.examples.highest_root_speed


def test_between_fades_a_character_that_stays_is_led_back_slowly() -> None:
    walked, back = led_back(LEANING)
    change = np.linalg.norm(np.diff(back.ground - walked.ground, axis=0), axis=1)
    calm = np.setdiff1d(np.arange(299), crossfades_of(WAVE, LEANING).frames)
    assert change[calm].max() <= 2 * STEER_SHARE * WAVE.examples.highest_root_speed


def test_character_already_in_place_is_not_moved() -> None:
    walked, back = led_back(cut_at((0, 0), frames=240))
    assert back.ground == pytest.approx(walked.ground, abs=1e-4)


def test_one_frame_stays_where_it_is() -> None:
    walked, back = led_back(cut_at((0, 50), frames=1))
    assert np.array_equal(back.ground, walked.ground)
