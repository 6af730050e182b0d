# SPDX-License-Identifier: GPL-3.0-or-later
"""Loudness, onsets and beats of sounds that are made by formulas."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bench.motions.sounds import SOUND_RATE, rhythm
from genmm_addon.core.features.sound import find_beats, loudness
from genmm_addon.core.features.sound.envelopes import onset_strength

Array = NDArray[np.float64]


def agreement(found: Array, true: Array) -> float:
    """Return the F-measure of beats within 70 ms (Davies et al. 2009)."""
    near = np.abs(true[:, None] - found) <= 0.07
    return 2.0 * float(min(near.any(axis=1).sum(), near.any(axis=0).sum())) / (len(found) + len(true))


def evenly(tempo: float, seconds: float = 24.0) -> Array:
    return np.arange(0.4, seconds - 0.3, 60.0 / tempo)


@pytest.mark.parametrize("tempo", [70, 84, 97, 110, 124, 140])
@pytest.mark.parametrize(
    "others", [{}, {"noise": 0.1}, {"swing": 0.0}, {"swing": 0.8}], ids=["clean", "noise", "hats", "swing"]
)
def test_beats_of_a_steady_rhythm_are_found(tempo: float, others: dict[str, Any]) -> None:
    true = evenly(tempo)
    assert agreement(find_beats(rhythm(true, 24.0, **others), SOUND_RATE), true) >= 0.95


@pytest.mark.parametrize("tempo", [80, 105, 130])
def test_beats_of_a_drifting_tempo_are_found(tempo: float) -> None:
    times, time = [], 0.4
    while time < 23.5:
        times.append(time)
        time += 60.0 / (tempo * (1.0 + 0.06 * np.sin(2 * np.pi * time / 20.0)))
    true = np.array(times)
    assert agreement(find_beats(rhythm(true, 24.0), SOUND_RATE), true) >= 0.95


def test_beats_follow_a_change_of_tempo() -> None:
    first = np.arange(0.4, 15.0, 60.0 / 100)
    true = np.concatenate((first, np.arange(first[-1] + 60.0 / 120, 29.5, 60.0 / 120)))
    assert agreement(find_beats(rhythm(true, 30.0), SOUND_RATE), true) >= 0.9


@pytest.mark.parametrize("seconds", [20.0, 20.3, 20.6])
def test_beats_of_a_rhythm_that_grows_louder_at_once_are_found(seconds: float) -> None:
    true = np.arange(0.4, seconds - 0.3, 0.5)
    samples = rhythm(true, seconds, noise=0.0)
    samples *= np.where(np.arange(len(samples)) < 10.05 * SOUND_RATE, 0.1, 1.0)
    assert agreement(find_beats(samples, SOUND_RATE), true) >= 0.95


@pytest.mark.parametrize("seconds", [0.0, 0.01, 0.5, 20.0])
def test_silence_has_no_beats(seconds: float) -> None:
    assert not len(find_beats(np.zeros(int(seconds * SOUND_RATE)), SOUND_RATE))


@pytest.mark.parametrize("rate", [8000, 44100, 48000])
def test_the_rate_of_the_samples_does_not_count(rate: int) -> None:
    true = evenly(100)
    samples = rhythm(true, 24.0)
    resampled = np.interp(np.arange(int(24.0 * rate)) / rate, np.arange(len(samples)) / SOUND_RATE, samples)
    assert agreement(find_beats(resampled, rate), true) >= 0.95


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_a_sound_of_a_few_frames_is_no_error(frames: int) -> None:
    samples = rhythm(np.array([0.0]), frames / 24.0)
    assert len(find_beats(samples, SOUND_RATE)) <= 1


@pytest.mark.parametrize("rate", [1, 50, 100, 1000])
def test_a_rate_too_low_for_sound_is_no_error(rate: int) -> None:
    samples = np.random.default_rng(0).standard_normal(20 * rate)
    assert np.isfinite(onset_strength(samples, rate)).all() and np.isfinite(find_beats(samples, rate)).all()


def test_loudness_is_the_root_mean_square_of_spans() -> None:
    samples = np.concatenate((np.zeros(300), np.full(300, 0.5), np.tile([1.0, -1.0], 150)))
    assert loudness(samples, 3).tolist() == [0.0, 0.5, 1.0]


def test_onsets_are_where_notes_begin() -> None:
    strength = onset_strength(rhythm(np.array([1.0, 2.0]), 3.0, noise=0.0), SOUND_RATE)
    assert sorted(np.round(np.argsort(strength)[-2:] / 100.0, 1).tolist()) == [1.0, 2.0]


def test_a_held_tone_and_a_single_drum_have_no_rhythm() -> None:
    tone = np.sin(2 * np.pi * 220 * np.arange(10 * SOUND_RATE) / SOUND_RATE)
    assert len(find_beats(tone, SOUND_RATE)) <= 1
    assert len(find_beats(rhythm(np.array([0.5]), 10.0, noise=0.0), SOUND_RATE)) == 1


def test_a_rhythm_that_ends_has_no_beats_in_the_silence_around_it() -> None:
    true = np.arange(2.0, 7.9, 0.5)
    found = find_beats(rhythm(true, 20.0, noise=0.0), SOUND_RATE)
    assert agreement(found, true) == 1.0
