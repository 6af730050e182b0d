# SPDX-License-Identifier: GPL-3.0-or-later
"""A walk in another walk's style: what it adopts, what it keeps, and what is refused."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from jumps import GRAVITY, jumper
from motions import styled_walks, turned_and_moved, walker, waver

from genmm_addon.core import InputError, Motion, metrics, rotations
from genmm_addon.core.evaluation import center_of_mass, find_body_model, find_flights
from genmm_addon.core.feet import find_feet, ground_heights, label_contacts, standing_of
from genmm_addon.core.library import IndexedMotions, index_motions
from genmm_addon.core.manner import (
    Restyled,
    StyleSettings,
    blend_motions,
    fitting_clips,
    register_motion,
    restyle,
)
from genmm_addon.core.manner.time_map import make_time_map
from genmm_addon.core.motion import joint_accelerations, place_and_heading, resample, sample
from genmm_addon.core.motion.filters import wrap_angle

pytestmark = pytest.mark.filterwarnings("error")


def walk(style: str) -> Motion:
    return styled_walks()[style].slice(0, 240)


@cache
def library(style: str) -> IndexedMotions:
    return index_motions([styled_walks()[style]])


@cache
def restyled(style: str, strength: float = 1.0, keep_timing: bool = True) -> Restyled:
    return restyle(walk("neutral"), library(style), StyleSettings(strength, keep_timing))


def touchdowns(motion: Motion) -> list[tuple[int, int]]:
    feet = find_feet([styled_walks()["neutral"]])
    stands = label_contacts(motion, feet, ground_heights([motion], feet))
    return [
        (foot, int(frame)) for foot, column in enumerate(stands.T) for frame in np.flatnonzero(np.diff(column * 1) > 0)
    ]


def nearest(motion: Motion, style: str) -> float:
    """Return the distance of the motion to the nearest half second of a style."""
    return metrics.local_distance(motion, styled_walks()[style])


@pytest.mark.parametrize("style", ["tired", "proud"])
def test_a_restyled_walk_is_near_to_the_style(style: str) -> None:
    assert nearest(restyled(style).motion, style) < 0.5 * nearest(walk("neutral"), style)


def test_steps_stay_when_they_were() -> None:
    ours, theirs = touchdowns(restyled("tired").motion), touchdowns(walk("neutral"))
    found = [any(foot == other and abs(frame - at) <= 4 for other, at in ours) for foot, frame in theirs]
    assert len(theirs) > 4 and np.mean(found) >= 0.9 and abs(len(ours) - len(theirs)) <= 1


def test_the_way_over_the_ground_is_kept() -> None:
    plan = library("tired").index.space.plan
    place, there = (place_and_heading(motion, plan)[0] for motion in (restyled("tired").motion, walk("neutral")))
    away = np.linalg.norm(place[:, None, :2] - there[None, :, :2], axis=2).min(axis=1)
    walked = np.linalg.norm(place[-1] - place[0]) <= np.linalg.norm(there[-1] - there[0])
    assert walked and away.mean() < 0.02 * walk("neutral").skeleton.size


@pytest.mark.parametrize("away", [0.4, -0.8])
def test_the_body_turns_away_from_its_way_as_in_the_style(away: float) -> None:
    straight = styled_walks()["proud"]
    turned = turned_and_moved(straight, away, (0.0, 0.0, 0.0))
    style = index_motions([replace(turned, translations=straight.translations)])
    headings = [
        place_and_heading(motion, style.index.space.plan)[1]
        for motion in (restyle(walk("neutral"), style).motion, walk("neutral"))
    ]
    assert abs(np.median(wrap_angle(headings[0] - headings[1])) - away) < 0.1


def test_no_strength_is_the_motion_itself_and_more_goes_farther() -> None:
    content = walk("neutral")
    assert np.array_equal(restyled("tired", 0.0).motion.rotations, content.rotations)
    away = [
        float(rotations.angle_between(restyled("tired", strength).motion.rotations, content.rotations).mean())
        for strength in (0.5, 1.0, 1.5)
    ]
    assert away[0] < away[1] < away[2] and away[0] == pytest.approx(away[1] / 2, rel=0.2)


def test_at_the_styles_tempo_it_lasts_as_long_as_the_style_would() -> None:
    kept, free = restyled("tired"), restyled("tired", keep_timing=False)
    assert kept.motion.frames == 240
    rate = register_motion(walk("neutral"), library("tired")).time_map.rate
    assert free.motion.frames == pytest.approx(rate.sum(), rel=0.02)
    assert np.all(np.diff(free.positions) > 0)
    assert kept.tempo == register_motion(walk("neutral"), library("tired")).time_map.usual_rate
    assert free.tempo == 1.0


def test_no_joint_jumps_where_a_short_style_is_repeated() -> None:
    content, clip = walker(240, 0), walker(240, 1).slice(20, 60)
    kept, free = (restyle(content, index_motions([clip]), StyleSettings(keep_timing=keep)) for keep in (True, False))
    mixed = blend_motions(content, index_motions([clip]), 0.5)
    most, *quickest = (joint_accelerations(made.motion).max() for made in (kept, free, mixed))
    # When the style's tempo is taken, frames lie between two of the map's.
    assert free.segments > 2 and max(quickest) < 1.25 * most


def test_between_two_segments_both_go_on_evenly() -> None:
    matched = np.concatenate((np.arange(10, 40), np.arange(100, 140)))
    clips = np.repeat([0, 1], [30, 40])
    limits = np.array([0, 80]), np.array([79, 159])
    time_map = make_time_map(matched, clips, limits, ([], []), np.zeros((70, 0), bool), 30.0)
    positions = np.arange(0, 69, 0.25)
    fine = time_map.at(positions, np.full(len(positions), 0.25))
    shares = np.stack((1 - fine.weights, fine.weights))
    for row in (0, 1):
        shown = np.minimum(shares[row, 1:], shares[row, :-1]) > 0.01
        assert shown.sum() > 60 and np.allclose(np.diff(fine.places[row])[shown], 0.25)
    # The crossfade is one smooth step, steepest in its middle.
    assert np.abs(np.diff(fine.weights)).argmax() == pytest.approx(4 * 29.5, abs=4) and fine.weights[-1] == 1.0


@pytest.mark.parametrize("row", [0, 1])
def test_a_clip_slows_down_where_it_ends_or_begins_within_a_crossfade(row: int) -> None:
    """Either the first clip ends at the crossfade, or the second one begins there."""
    shown = (np.arange(30, 60), np.arange(100, 130)) if row == 0 else (np.arange(30), np.arange(60, 90))
    limits = np.array([0, 60]), np.array([59, 159])
    stands = np.zeros((60, 0), bool)
    time_map = make_time_map(np.concatenate(shown), np.repeat([0, 1], 30), limits, ([], []), stands, 30.0)
    faded = np.flatnonzero((time_map.weights > 0) & (time_map.weights < 1))
    steps = np.diff(time_map.places[row, faded])
    assert steps.min() >= 0.0 and np.abs(np.diff(steps)).max() < 0.4


@pytest.mark.parametrize("pace", [1.0, 1.5, 2.0])
def test_a_style_played_faster_to_keep_the_timing_accelerates_hands_as_recorded_ones(pace: float) -> None:
    slow, style = waver(480, 0), waver(480, 3)
    content = sample(slow, np.arange(0, 479, pace), slow.frames_per_second)
    result = restyle(content, index_motions([style])).motion
    hands = [content.skeleton.names.index(name) for name in ("hand.L", "hand.R")]
    recorded = max(joint_accelerations(one).max() for one in (content, style))
    assert joint_accelerations(result)[:, hands].max() <= 1.2 * recorded


def test_motion_restyled_in_its_style_hardly_changes() -> None:
    content = walk("neutral")
    result = restyle(content, library("neutral")).motion
    assert metrics.l2_positions(result, content) < 0.02 * content.skeleton.size


def test_another_action_is_refused_in_a_sentence_and_its_posture_is_not() -> None:
    content, other = walker(240, 0), index_motions([waver(240, 0)])
    with pytest.raises(InputError, match=r"another action .* Posture Only"):
        restyle(content, other)
    posed = restyle(content, other, StyleSettings(posture_only=True)).motion
    feet = [content.skeleton.names.index(name) for name in ("foot.L", "foot.R")]
    np.testing.assert_allclose(posed.pose()[1][:, feet], content.pose()[1][:, feet], atol=1e-4)


def test_the_clips_of_the_same_action_fit_best() -> None:
    motions = [make(180, seed) for seed in range(3) for make in (waver, walker)]
    found = fitting_clips(walker(200, 7), index_motions(motions))
    assert len(found) and all(number % 2 == 1 for number in found)


@pytest.mark.parametrize("strength", [-0.1, 1.6, float("nan")])
def test_strengths_that_mean_nothing_are_refused(strength: float) -> None:
    with pytest.raises(InputError, match="strength"):
        StyleSettings(strength)


def test_other_rates_and_motions_that_show_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="another frame rate"):
        restyle(resample(walk("neutral"), 24.0)[0], library("tired"))
    with pytest.raises(InputError, match="too few for an action"):
        restyle(walk("neutral").slice(0, 5), library("tired"))


@pytest.mark.parametrize("rate", [0.8, 1.4])
def test_a_jump_shown_at_another_rate_falls_as_it_was_recorded(rate: float) -> None:
    style = jumper()
    content = sample(style, np.arange(0.0, style.frames - 1, rate), style.frames_per_second)
    motion = restyle(content, index_motions([style])).motion
    center = center_of_mass(motion, find_body_model(motion.skeleton))
    [flight] = find_flights(motion, center, standing_of(style))
    assert flight.gravity == pytest.approx(GRAVITY, rel=0.2)
