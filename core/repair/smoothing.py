# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaussian filters over time, each as wide as the noise of its signal requires.

The width has the least estimated error (Stein's unbiased risk estimate: Stein 1981), so that a signal without noise
does not change. The noise is measured by high differences in time, of which motion has little.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Float64
from ..motion.filters import gaussian, smooth, smooth_line

WIDTHS = (0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0)
"""Deviations of the filters to choose from, in frames; no filter is a choice as well."""
ORDER, WHITE = 4, 70.0
"""Order of the differences by which noise is measured, and their variance for white noise of variance one."""
UPPER_QUARTILE = 4.108
"""Upper quartile of the sum of the squares of three normal variables of variance one. The median of short signals is
often so low by chance that noise passes for motion; the mean counts every step of a walk as noise."""
END_WIDTHS = 2.0
"""Length of the line through the first or the last values that replaces these, in deviations of the filter. With noise
of 1.4 degrees, the first frame's error fell from 1.5 to 1.2 cm at human size; a line of 6 deviations cuts corners."""


@dataclass(frozen=True, eq=False)
class Smoothed:
    """Filtered signals `values` `(T, K, C)`.

    noise: `(K,)` deviation of each number before the filter. risk: `(K,)` estimated squared error that remains, summed
    over the C numbers.
    """

    values: Float64
    noise: Float64
    risk: Float64


def noise_levels(values: Float64) -> Float64:
    """Return the deviation `(K,)` of white noise in signals `(T, K, C)`, one for all C numbers of a signal.

    >>> noise_levels(np.zeros((20, 2, 3))).tolist()
    [0.0, 0.0]
    """
    if len(values) <= ORDER:
        return np.zeros(values.shape[1])
    squares = np.square(np.diff(values, ORDER, axis=0)).sum(axis=2) / WHITE
    # A turn has three independent numbers, also as a quaternion of four.
    return np.asarray(np.sqrt(np.quantile(squares, 0.75, axis=0) / UPPER_QUARTILE * 3 / values.shape[2]))


def smoothed(values: Float64, measured: slice = slice(None), wider: float = 1.0) -> Smoothed:
    """Return signals `(T, K, C)`, each after the filter with the least estimated error.

    Where that filter would take more from a quick movement than from the noise, a narrower one is used, or none.
    measured: the frames at which noise and error are measured. wider: factor on the width of the filter that is used.

    >>> smoothed(np.ones((20, 2, 3))).noise.tolist()
    [0.0, 0.0]
    """
    frames, numbers = len(values), values.shape[2]
    noise = noise_levels(values[measured])
    # Without a filter all of the noise remains.
    risk, left, best = numbers * noise**2, np.arange(len(noise)), np.zeros(len(noise))
    for width in WIDTHS:
        if 3 * width > frames or not len(left):
            break
        given = values[:, left]
        misfit = np.square(given - _filtered(given, width))[measured].sum(axis=2).mean(axis=0)
        estimated = misfit + numbers * noise[left] ** 2 * (2 * _own_share(width) - 1)
        better = estimated < risk[left]
        risk[left[better]], best[left[better]] = estimated[better], width
        # A wider filter misses the signal by at least as much.
        left = left[misfit - numbers * noise[left] ** 2 < risk[left]]
    return Smoothed(_filtered_by_each(values, noise, best, wider), noise, np.maximum(risk, 0.0))


def _filtered_by_each(values: Float64, noise: Float64, widths: Float64, wider: float) -> Float64:
    """Return signals `(T, K, C)` after filters of some widths `(K,)`, or narrower ones where these would do harm.

    noise: `(K,)` deviation of each number. wider: factor on all widths. A filter does harm at frames at which its
    estimated error, averaged over a few frames, exceeds the noise.
    """
    made, waiting = values.copy(), np.broadcast_to(widths > 0, values.shape[:2]).copy()
    for width in reversed(WIDTHS):
        some = np.flatnonzero(waiting.any(axis=0) & (width <= widths))
        if not len(some):
            continue
        given, used = values[:, some], min(wider * width, len(values) / 3)
        filtered, variance = _filtered(given, used), values.shape[2] * noise[some] ** 2
        misfit = smooth(np.square(given - filtered).sum(axis=2), 1.5 * ORDER, 1.0)
        safe = waiting[:, some] & (misfit <= 2 * variance * (1 - _own_share(used)))
        waiting[:, some] &= ~safe
        made[:, some] += smooth(safe.astype(np.float64), ORDER / 2, 1.0)[..., None] * (filtered - given)
    return made


def _own_share(width: float) -> float:
    """Return the weight of a value in its own filtered value."""
    return float(gaussian(round(3 * width), width).max())


def _filtered(values: Float64, width: float) -> Float64:
    """Return signals after a Gaussian filter, which otherwise keeps the noise of the first and the last value."""
    frames = min(len(values), max(round(END_WIDTHS * width), 2) + 1)
    line = np.linalg.pinv(np.stack((np.ones(frames), np.arange(frames)), axis=1))[0]
    ended = values.copy()
    ended[0] = np.tensordot(line, values[:frames], axes=1)
    ended[-1] = np.tensordot(line, values[::-1][:frames], axes=1)
    return smooth_line(ended, width).reshape(values.shape).astype(np.float64)
