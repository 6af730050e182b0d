# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters over time, smooth steps, and wrapped angles."""

from functools import lru_cache
from typing import TypeVar

import numpy as np

from ..arrays import Array, Float32, Float64
from .spans import nearest_marks

Numbers = TypeVar("Numbers", float, Array)
Steps = TypeVar("Steps", Float32, Float64)

SMOOTHSTEP_SLOPE = 1.5
"""Ratio of a smooth step's steepest slope to its mean slope: the derivative of 3 x^2 - 2 x^3 at one half."""


def wrap_angle(angles: Numbers) -> Numbers:
    """Return angles in radians, wrapped to the range from -pi up to, but not including, pi."""
    wrapped: Numbers = (angles + np.pi) % (2 * np.pi) - np.pi
    return wrapped


def smoothstep(share: Numbers) -> Numbers:
    """Return the cubic 3 x^2 - 2 x^3, which rises from 0 to 1 with level ends, at shares from 0 to 1.

    >>> smoothstep(np.array([0.0, 0.5, 1.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    step: Numbers = share * share * (3 - 2 * share)
    return step


def to_next(values: Steps) -> Steps:
    """Return the differences `(T, ...)` to the next frame, with the last one repeated.

    >>> to_next(np.array([1.0, 2.0, 4.0])).tolist()
    [1.0, 2.0, 2.0]
    """
    if len(values) < 2:
        return np.zeros_like(values)
    steps = np.diff(values, axis=0)
    return np.concatenate((steps, steps[-1:]))


def means(values: Array) -> Array:
    """Return the means `(...)` along the last axis of values `(..., N)`; faster than NumPy's own for few values.

    >>> means(np.array([[1.0, 2.0], [3.0, 5.0]])).tolist()
    [1.5, 4.0]
    """
    sums = np.add.reduce(values, axis=-1)
    return np.asarray(sums / sums.dtype.type(values.shape[-1]))


@lru_cache(maxsize=64)
def gaussian(reach: int, deviation: float) -> Float64:
    """Return the read-only weights `(2 reach + 1,)` of a Gaussian; deviation: in samples. The weights sum to 1.

    >>> gaussian(2, 1.0).round(2).tolist()
    [0.05, 0.24, 0.4, 0.24, 0.05]
    """
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    bell /= bell.sum()
    bell.flags.writeable = False
    return bell


def smooth(values: Float64, seconds: float, rate: float) -> Float64:
    """Return values `(T, C)` smoothed by a Gaussian whose deviation is `seconds`; the end values are repeated."""
    if not values.any():
        return values
    width = max(1, round(seconds * rate))
    bell = gaussian(2 * width, width)
    at = np.clip(np.arange(-2 * width, len(values) + 2 * width), 0, len(values) - 1)
    return _convolved(values[at], bell)


def _convolved(padded: Array, bell: Float64) -> Float64:
    """Return the columns of values `(T, C)` convolved with a symmetric bell, where it is inside of them."""
    # To correlate with what is symmetric is the same, and has half the overhead for short columns.
    return np.stack([np.correlate(column, bell, "valid") for column in np.ascontiguousarray(padded.T)], axis=1)


def largest_beside(values: Float64, reach: int) -> Float64:
    """Return for each frame the largest of values `(T,)` within `reach` frames of it.

    >>> largest_beside(np.array([0.0, 0.0, 3.0, 0.0, 1.0]), 1).tolist()
    [0.0, 3.0, 3.0, 3.0, 1.0]
    """
    padded = np.pad(values, reach, mode="edge")
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1))


def spread_smoothly(values: Float64, reach: int) -> Float64:
    """Return a smooth curve `(T,)` nowhere below 0 and values `(T,)`, spread over `reach` frames."""
    bell = 1.0 + np.cos(np.pi * np.arange(-reach, reach + 1) / (reach + 1))
    padded = np.pad(np.maximum(values, 0.0), reach, mode="edge")
    return np.asarray(np.convolve(largest_beside(padded, reach), bell / bell.sum(), "valid"))


def smooth_beside(values: Float64, seconds: float, rate: float, weights: Array) -> Float64:
    """Return values `(T, C)` smoothed as by `smooth`, but unchanged where `weights` `(T,)` are 0.

    weights: 0 to 1; the nearer to 0, the more of the smoothing is undone.
    """
    smoothed, fixed = smooth(values, seconds, rate), np.flatnonzero(weights == 0)
    if not len(fixed) or smoothed is values:
        return smoothed
    nearest = nearest_marks(fixed, len(values))
    return np.asarray(smoothed + (1.0 - weights)[:, None] * (values - smoothed)[nearest])


def smooth_line(values: Array, width: float, round_shift: Array | float | None = None) -> Float64:
    """Return values `(F,)` or `(F, 2)` smoothed by a Gaussian; width: its deviation in frames.

    The line is continued beyond its ends by point reflection. round_shift: what one round of a loop adds to the values.
    """
    columns = values.reshape(len(values), -1)
    reach = max(1, round(3 * width))
    bell = gaussian(reach, max(width, 1e-6))
    at = np.arange(-reach, len(values) + reach)
    if round_shift is None:
        inside = np.clip(at, 0, len(values) - 1)
        mirrored = np.clip(2 * inside - at, 0, len(values) - 1)
        padded = 2 * columns[inside] - columns[mirrored]
        padded[reach : reach + len(values)] = columns
    else:
        padded = columns[at % len(values)] + (at // len(values))[:, None] * np.atleast_1d(round_shift)
    return _convolved(padded, bell).reshape(values.shape)
