# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplified keys: within their error at every frame, and few."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from genmm_addon.core import InputError
from genmm_addon.core.keys import Curves, Keys, own_keys, shared_keys, shared_keys_at_most
from genmm_addon.core.keys.key_frames import fewest_key_frames
from genmm_addon.core.keys.segment_fit import SampledCurves, fitted_slopes, sampled

values = arrays.arrays(
    np.float64, st.tuples(st.integers(1, 40), st.integers(1, 4)), elements=st.floats(-1e3, 1e3, width=32)
)
bounds = st.floats(1e-3, 1e3)


def rebuilt(keys: Keys, at: np.ndarray) -> np.ndarray:
    """Return the curves that keys give at frames `at`, by Hermite's cubic basis."""
    if len(keys.frames) == 1:
        return np.repeat(keys.values, len(at), axis=0)
    segment = np.clip(np.searchsorted(keys.frames, at, side="right") - 1, 0, len(keys.frames) - 2)
    length = (keys.frames[segment + 1] - keys.frames[segment])[:, None]
    share = (at - keys.frames[segment])[:, None] / length
    start, end = keys.values[segment], keys.values[segment + 1]
    leaving, arriving = keys.leaving[segment], keys.arriving[segment + 1]
    made: np.ndarray = (
        start * (1 + 2 * share) * (1 - share) ** 2
        + end * share**2 * (3 - 2 * share)
        + length * share * (1 - share) ** 2 * leaving
        + length * share**2 * (share - 1) * arriving
    )
    return made


def off(keys: Keys, curves: Curves) -> float:
    frames = np.arange(len(curves.values), dtype=np.float64)
    return float(np.linalg.norm(rebuilt(keys, frames) - curves.values, axis=1).max())


@given(values=values, bound=bounds)
def test_no_frame_is_off_by_more_than_the_bound(values: np.ndarray, bound: float) -> None:
    curves = Curves(values, bound)
    for keys in (shared_keys([curves])[0], own_keys([curves])[0]):
        assert off(keys, curves) <= bound * (1 + 1e-6) + 1e-6


@pytest.mark.slow
@given(values=values, bound=bounds)
def test_the_ends_are_keyed_and_keys_lie_on_the_curves(values: np.ndarray, bound: float) -> None:
    for keys in (shared_keys([Curves(values, bound)])[0], own_keys([Curves(values, bound)])[0]):
        assert keys.frames[0] == 0 and keys.frames[-1] == len(values) - 1
        assert np.array_equal(keys.values, values[keys.frames])


@pytest.mark.slow
@given(one=values, bound=bounds, loose=bounds, seed=st.integers(0, 9))
def test_shared_keys_lie_at_the_same_frames(one: np.ndarray, bound: float, loose: float, seed: int) -> None:
    other = np.random.default_rng(seed).normal(size=(len(one), 2))
    curves = [Curves(one, bound), Curves(other, loose)]
    found = shared_keys(curves)
    if not curves[0].is_still:
        assert np.array_equal(found[0].frames, found[1].frames)
    assert all(off(keys, own) <= own.bound * (1 + 1e-6) + 1e-6 for keys, own in zip(found, curves, strict=True))


def reaches(curves: SampledCurves, first: int, last: int) -> bool:
    """Return whether a segment fits, and so does every shorter one from the same frame; the search stops at a miss."""
    return all(fitted_slopes(curves, first, end) is not None for end in range(first + 1, last + 1))


@given(
    rows=arrays.arrays(np.float64, st.tuples(st.integers(2, 8), st.integers(1, 2)), elements=st.floats(-2.0, 2.0)),
    bound=st.floats(0.01, 1.0),
)
@example(rows=np.array([[0.0], [0.0], [1.0], [1.0], [0.0]]), bound=0.03125)
def test_no_chain_of_segments_has_fewer_keys(rows: np.ndarray, bound: float) -> None:
    curves = sampled(rows, np.array([0]), np.array([bound]))
    last = len(rows) - 1
    fewest = next(
        size + 2
        for size in range(last)
        for between in combinations(range(1, last), size)
        if all(reaches(curves, a, b) for a, b in pairwise((0, *between, last)))
    )
    assert len(fewest_key_frames(curves).frames) == fewest


def test_a_straight_line_and_a_cubic_need_their_ends_alone() -> None:
    frames = np.arange(41.0)
    for curve in (3.0 * frames, (frames / 10.0) ** 3 - 2.0 * (frames / 10.0) ** 2):
        for keys in (shared_keys([Curves(curve[:, None], 0.01)])[0], own_keys([Curves(curve[:, None], 0.01)])[0]):
            assert keys.frames.tolist() == [0, 40]


def test_between_the_frames_a_fast_curve_does_not_swing_out() -> None:
    rows = np.random.default_rng(3).normal(size=(60, 3)).cumsum(axis=0)
    curves = Curves(rows, 0.4)
    keys = own_keys([curves])[0]
    half = np.arange(59) + 0.5
    middles = 0.5 * (rows[1:] + rows[:-1])
    steps = np.linalg.norm(np.diff(rows, axis=0), axis=1)
    swing = np.linalg.norm(rebuilt(keys, half) - middles, axis=1)
    # The cubic through four frames is within a quarter of the largest of three steps from the middle.
    around = np.array([steps[max(at - 1, 0) : at + 2].max() for at in range(len(steps))])
    assert np.all(swing <= 2.0 * curves.bound + 0.1 * steps + 0.25 * around)


@pytest.mark.slow
def test_a_larger_bound_needs_no_more_keys() -> None:
    rows = np.cumsum(np.random.default_rng(1).normal(size=(200, 4)), axis=0)
    counts = [len(shared_keys([Curves(rows, bound)])[0].frames) for bound in (0.1, 0.5, 1.0, 2.0, 5.0)]
    assert counts == sorted(counts, reverse=True) and counts[-1] < counts[0]


def test_an_extreme_is_keyed_rather_than_the_frame_beside_it() -> None:
    frames = np.arange(21.0)
    bounce = np.abs(frames - 10.0)[:, None]
    assert 10 in shared_keys([Curves(bounce, 0.3)])[0].frames


@pytest.mark.parametrize(
    ("curves", "words"),
    [
        ([Curves(np.zeros((3, 1)), 1.0), Curves(np.zeros((4, 1)), 1.0)], "same number of frames"),
        ([Curves(np.zeros((0, 1)), 1.0)], "same number of frames"),
        ([Curves(np.zeros((3, 1)), 0.0)], "above 0"),
        ([Curves(np.array([[0.0], [np.nan], [1.0]]), 1.0)], "not a number"),
    ],
)
def test_invalid_curves_are_refused(curves: list[Curves], words: str) -> None:
    for simplify in (shared_keys, own_keys):
        with pytest.raises(InputError, match=words):
            simplify(curves)


@pytest.mark.slow
@given(count=st.integers(3, 13), seed=st.integers(0, 9))
@settings(max_examples=25)
def test_no_more_keys_than_asked_for_and_more_of_them_are_nearer(count: int, seed: int) -> None:
    values = np.cumsum(np.random.default_rng(seed).normal(size=(20, 3)), axis=0)
    curves = Curves(values, bound=0.1)
    few, many = (shared_keys_at_most([curves], number)[0] for number in (count, 2 * count))
    assert len(few.frames) <= count
    assert off(many, curves) <= off(few, curves) + 1e-9


def test_required_frames_get_keys() -> None:
    frames = np.arange(120.0)
    curves = Curves(np.stack((np.sin(0.11 * frames), np.cos(0.07 * frames)), axis=1), bound=0.01)
    required = np.zeros(120, bool)
    required[[17, 40, 71, 95]] = True
    plain, chosen = shared_keys([curves])[0], shared_keys([curves], required)[0]
    assert required[chosen.frames].sum() == 4 > required[plain.frames].sum()
    assert len(chosen.frames) <= len(plain.frames) + 4
    assert off(chosen, curves) <= 0.01 * (1 + 1e-6)


def held_wave(trembling: float) -> np.ndarray:
    """Return a move, a hold of 200 frames that trembles, and a move back, for two curves."""
    move = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, 21))
    wave = np.concatenate((move, np.ones(200), move[::-1]))
    noise = np.random.default_rng(1).uniform(-trembling, trembling, (len(wave), 2))
    return np.stack((wave, 2.0 * wave), axis=1) + noise


@pytest.mark.parametrize("trembling", [0.0, 0.004])
def test_a_hold_is_two_equal_keys_whatever_its_length(trembling: float) -> None:
    curves = Curves(held_wave(trembling), bound=0.02)
    keys = shared_keys([curves], shortest_still=6)[0]
    long = [row for row in np.flatnonzero(keys.stepped) if keys.frames[row + 1] - keys.frames[row] > 180]
    assert len(long) == 1 and len(keys.frames) <= 8
    assert np.array_equal(keys.values[long[0]], keys.values[long[0] + 1])
    assert off(keys, curves) <= 0.02 * (1 + 1e-6)


def test_slow_motion_is_not_held() -> None:
    keys = shared_keys([Curves(np.linspace(0.0, 1.0, 300)[:, None], bound=0.02)], shortest_still=15)[0]
    assert not keys.stepped.any()


def test_a_hold_ends_where_a_frame_is_required() -> None:
    required = np.zeros(242, bool)
    required[100] = True
    keys = shared_keys([Curves(held_wave(0.0), bound=0.02)], required, shortest_still=6)[0]
    assert 100 in keys.frames


@given(values=values, bound=bounds, shortest=st.integers(1, 6), seed=st.integers(0, 9))
def test_with_holds_no_frame_is_off_by_more_than_the_bound(
    values: np.ndarray, bound: float, shortest: int, seed: int
) -> None:
    required = np.random.default_rng(seed).random(len(values)) < 0.1
    keys = shared_keys([Curves(values, bound)], required, shortest)[0]
    assert off(keys, Curves(values, bound)) <= bound * (1 + 1e-6) + 1e-6
    if not Curves(values, bound).is_still:
        assert set(np.flatnonzero(required)) <= set(keys.frames)
