# SPDX-License-Identifier: GPL-3.0-or-later
"""Accents of the motion that fall on beats."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from motions import walker, waver
from numpy.typing import NDArray

from genmm_addon.core import Constraints, InputError, Loop, OnBeat, Synthesis, prepare, synthesize
from genmm_addon.core.constraints.constraint import Task
from genmm_addon.core.constraints.follow.accents import accents
from genmm_addon.core.constraints.follow.beats import FASTEST, SLOWEST, map_onto_beats

FRAMES = 300
Array = NDArray[np.float64]


def on_beat(beats: Array, seed: int = 0, **others: object) -> Synthesis:
    constraints = Constraints(others=(OnBeat(beats),), **others)  # type: ignore[arg-type]
    return synthesize(prepare([walker(360)]), FRAMES, seed=seed, constraints=constraints)


def hits(beats: Array, found: NDArray[np.int64]) -> float:
    """Return the share of beats with an accent within two frames."""
    return float((np.abs(beats[:, None] - found).min(axis=1) <= 2).mean())


def interval() -> float:
    """Return the frames from accent to accent of the examples."""
    return float(np.median(np.diff(accents(walker(360)))))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("tempo", [0.85, 0.92, 1.0, 1.1, 1.17])
def test_accents_fall_on_beats_of_a_similar_tempo(tempo: float, seed: int) -> None:
    beats = np.arange(7.0, FRAMES, interval() * tempo)
    result = on_beat(beats, seed)
    free = synthesize(prepare([walker(360)]), FRAMES, seed=seed)
    found = accents(result.motion)
    assert hits(beats, found) >= 0.8
    assert hits(beats, found) > hits(beats[:-1] + np.diff(beats) / 2, found) + 0.3
    assert hits(beats, found) >= hits(beats, accents(free.motion))


@pytest.mark.parametrize("seed", range(3))
def test_accents_follow_a_tempo_that_changes(seed: int) -> None:
    first = np.arange(5.0, FRAMES / 2, interval() * 1.08)
    beats = np.concatenate((first, np.arange(first[-1] + interval() * 0.95, FRAMES, interval() * 0.95)))
    assert hits(beats, accents(on_beat(beats, seed).motion)) > 0.75


def test_a_loop_stays_a_loop_on_the_beat() -> None:
    beats = np.arange(4.0, FRAMES, interval())
    result = on_beat(beats, loop=Loop.TRAVEL)
    assert result.loop is not None
    assert hits(beats, accents(result.motion)) > 0.6


def test_the_result_counts_the_beats_with_an_accent() -> None:
    beats = np.arange(7.0, FRAMES, interval())
    result = on_beat(beats)
    found = round(hits(beats, accents(result.motion)) * len(beats))
    (match,) = result.followed
    assert (match.beats, match.accented) == (len(beats), found)


def test_beats_before_and_after_the_result_do_not_count() -> None:
    beats = np.arange(7.0, FRAMES, interval() * 1.1)
    inside, beyond = on_beat(beats), on_beat(np.concatenate(([-9.0, -3.0], beats, [FRAMES + 5.0, FRAMES + 20.0])))
    assert inside.followed == beyond.followed
    assert np.array_equal(inside.motion.rotations, beyond.motion.rotations)
    with pytest.raises(InputError, match="fewer than two beats"):
        on_beat(np.array([5.0, FRAMES + 5.0]))


@pytest.mark.parametrize("beats", [[], [4.0], [4.0, 4.0], [9.0, 3.0]], ids=str)
def test_fewer_than_two_beats_are_refused(beats: list[float]) -> None:
    with pytest.raises(InputError, match="fewer than two beats"):
        OnBeat(np.array(beats))


def test_accents_are_where_the_body_rests() -> None:
    wave = waver(240)
    found = accents(wave)
    steps = np.linalg.norm(np.diff(wave.pose()[1], axis=0), axis=2).mean(axis=1)
    assert len(found) and steps[found - 1].mean() < steps.mean()


@given(
    beats=st.lists(st.integers(1, 198), min_size=1, max_size=30, unique=True),
    found=st.lists(st.integers(1, 218), max_size=40, unique=True),
    planned=st.integers(175, 230),
)
def test_a_time_map_stays_in_the_plan_and_its_rates_in_range(beats: list[int], found: list[int], planned: int) -> None:
    times = map_onto_beats(
        np.array(sorted(beats), float), np.array(sorted(found), float), np.zeros(0), 200, planned, 1.0, 10.0
    )
    assert abs(times[0]) < 1e-9 and times[-1] <= planned - 1.0 + 1e-6
    rates = np.diff(times)
    assert rates.min() >= SLOWEST - 1e-6 and rates.max() <= FASTEST + 1e-6


def test_only_a_fixed_end_keeps_its_time() -> None:
    beats, found = np.array([60.0, 120.0, 180.0]), np.array([52.0, 104.0, 156.0])
    free, fixed = (map_onto_beats(beats, found, np.array(frames), 200, 200, 0.0, 0.0) for frames in ([], [199.0]))
    assert free[[60, 120, 180]].tolist() == found.tolist() and free[-1] < 199.0 == fixed[-1]


@given(st.lists(st.integers(5, 194), min_size=1, max_size=20, unique=True), st.integers(0, 2**16))
def test_accents_within_the_range_of_rates_all_reach_their_beats(beats: list[int], seed: int) -> None:
    ordered = np.array(sorted(beats), np.float64)
    rates = np.random.default_rng(seed).uniform(0.95, 1.05, 199)
    passed = np.concatenate(([0.0], np.cumsum(rates)))
    passed *= 199.0 / passed[-1]
    found = np.interp(ordered, np.arange(200), passed)
    times = map_onto_beats(ordered, found, np.zeros(0), 200, 200, 0.0, 0.0)
    assert np.allclose(times[ordered.astype(int)], found)


@pytest.mark.parametrize("width", [0.0, 4.0, 40.0])
def test_fixed_frames_keep_their_time(width: float) -> None:
    beats, found = np.array([50.0, 100.0, 150.0]), np.array([53.0, 104.0, 147.0])
    times = map_onto_beats(beats, found, np.array([75.0, 120.0]), 200, 200, 1.0, width)
    assert times[[0, 75, 120]] == pytest.approx([0.0, 75.0, 120.0], abs=1e-9)


def test_rates_change_smoothly() -> None:
    beats = np.arange(20.0, 199.0, 20.0)
    early_and_late = beats + np.resize([-1.5, 1.5], len(beats))
    jumping, smooth = (map_onto_beats(beats, early_and_late, np.zeros(0), 200, 200, 0.0, width) for width in (0.0, 8.0))
    jumps = [float(np.abs(np.diff(times, 2)).max()) for times in (jumping, smooth)]
    assert jumps[0] > 0.2 and jumps[1] < 0.03
    assert np.abs(smooth[beats.astype(int)] - early_and_late).max() < 2.0


@pytest.mark.parametrize(("tempo", "pace"), [(0.8, FASTEST), (1.0, 1.0), (1.25, SLOWEST)])
def test_the_pace_goes_up_to_the_limits_of_rates(tempo: float, pace: float) -> None:
    walk = walker(360)
    beats = np.arange(7.0, FRAMES, float(np.median(np.diff(accents(walk)))) * tempo)
    rates = OnBeat(beats).bound(Task(prepare([walk]), FRAMES)).rates
    assert rates is not None and rates == pytest.approx(np.full(FRAMES, pace), abs=0.01)
