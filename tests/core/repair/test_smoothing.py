# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters as wide as the noise requires: each signal gets the one with the least estimated error of all."""

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core.motion import gaussian
from genmm_addon.core.repair.smoothing import WIDTHS, noise_levels, smoothed

Float64 = NDArray[np.float64]

FRAMES, INNER = 300, slice(40, 260)
"""Number of frames, and those that the ends of no filter reach."""


def signals() -> Float64:
    """Return slow and quick waves `(T, 12, 3)`, each without noise and with more and more."""
    random, time = np.random.default_rng(3), np.arange(FRAMES)
    waves = np.sin(time[:, None, None] / np.array([40.0, 12.0, 4.0])[:, None] + np.arange(3))
    noise = random.normal(0.0, 1.0, (FRAMES, 4, 3, 3)) * np.array([0.0, 0.01, 0.2, 2.0])[:, None, None]
    return np.asarray((waves[:, None] + noise).reshape(FRAMES, 12, 3))


def test_each_signal_gets_the_filter_that_promises_the_least_error() -> None:
    values = signals()
    noise, made = noise_levels(values[INNER]), smoothed(values, INNER)
    for index in range(values.shape[1]):
        least, best = 3 * noise[index] ** 2, values[INNER, index]
        for width in WIDTHS:
            reach = round(3 * width)
            bell, around = gaussian(reach, width), values[INNER.start - reach : INNER.stop + reach, index]
            filtered = np.stack([np.convolve(column, bell, "valid") for column in around.T], axis=1)
            missed = np.square(values[INNER, index] - filtered).sum(axis=1).mean()
            estimated = missed + 3 * noise[index] ** 2 * (2 * bell.max() - 1)
            if estimated < least:
                least, best = estimated, filtered
        assert np.isclose(made.risk[index], max(least, 0.0), rtol=1e-9, atol=1e-15)
        assert np.allclose(made.values[INNER, index], best, rtol=0.0, atol=1e-12)


def test_noise_of_one_signal_changes_no_other() -> None:
    values = signals()
    louder = values.copy()
    louder[:, 0] += np.random.default_rng(4).normal(0.0, 1.0, (FRAMES, 3))
    assert np.allclose(smoothed(values).values[:, 1:], smoothed(louder).values[:, 1:], rtol=0.0, atol=1e-12)


def test_a_quick_movement_stays_within_filtered_noise() -> None:
    time, kick = np.arange(FRAMES), slice(140, 161)
    truth = np.zeros((FRAMES, 1, 3))
    truth[:, 0, 0] = np.exp(-0.5 * ((time - 150) / 2.0) ** 2)
    values = truth + np.random.default_rng(5).normal(0.0, 0.02, truth.shape)
    errors = [np.square(signal - truth).sum(axis=2)[:, 0] for signal in (values, smoothed(values).values)]
    (noisy, filtered), quiet = errors, slice(10, 120)
    assert filtered[kick].mean() < noisy[kick].mean()
    assert filtered[quiet].mean() < 0.5 * noisy[quiet].mean()
