# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves over time for the sample motions: splines through keys, slow drift, and rotations about the body's axes."""

from collections.abc import Sequence

import numpy as np

from ...core import Array, rotations
from ...core.motion import gaussian, monotone_cubic

Keys = Sequence[tuple[float, float | Sequence[float]]]
"""Ascending times, each with one value or several."""

FINE_RATE = 240.0
"""Samples per second at which keyed poses are smoothed."""


def spline_through(times: Array, key_times: Array, values: Array) -> Array:
    """Return a natural cubic spline (C2) through `values` `(N,)` at ascending `key_times` `(N,)`, at `times` `(T,)`."""
    steps = np.diff(key_times)
    slopes = np.diff(values) / steps
    system = np.diag(np.r_[1.0, 2 * (steps[:-1] + steps[1:]), 1.0])
    system += np.diag(np.r_[0.0, steps[1:]], 1) + np.diag(np.r_[steps[:-1], 0.0], -1)
    bends = np.linalg.solve(system, np.r_[0.0, 6 * np.diff(slopes), 0.0])
    left = np.clip(np.searchsorted(key_times, times) - 1, 0, len(steps) - 1)
    step, after = steps[left], times - key_times[left]
    curve = bends[left] / 2 + (bends[left + 1] - bends[left]) / (6 * step) * after
    slope = slopes[left] - step * (2 * bends[left] + bends[left + 1]) / 6
    return np.asarray(values[left] + after * (slope + after * curve))


def softened(curve: Array, deviation: float) -> Array:
    """Return `curve` `(N, ...)`, sampled at FINE_RATE, blurred by a Gaussian of `deviation` seconds."""
    reach = int(np.ceil(3 * deviation * FINE_RATE))
    kernel = gaussian(reach, deviation * FINE_RATE)
    flat = curve.reshape(len(curve), -1)
    padded = np.concatenate((np.repeat(flat[:1], reach, axis=0), flat, np.repeat(flat[-1:], reach, axis=0)))
    blurred = np.stack([np.convolve(column, kernel, mode="valid") for column in padded.T], axis=-1)
    return blurred.reshape(curve.shape)


def poses_through(times: Array, keys: Keys, softness: float = 0.07) -> Array:
    """Return keyed values `(T, C)`, eased between keys and blurred by `softness` seconds to avoid abrupt starts."""
    key_times = np.array([time for time, _ in keys])
    values = np.array([value for _, value in keys], np.float64).reshape(len(keys), -1)
    start, end = times[0] - 1.0, times[-1] + 1.0
    fine = np.arange(start, end, 1 / FINE_RATE)
    curve = softened(monotone_cubic(key_times, values, fine), softness)
    return np.stack([np.interp(times, fine, column) for column in curve.T], axis=-1)


def drift(times: Array, seconds: float, phase: float) -> Array:
    """Return a slow variation between about -1 and 1, with a period of about `seconds`, that never repeats exactly."""
    angle = 2 * np.pi * times / seconds
    return np.asarray(0.6 * np.sin(angle + phase) + 0.4 * np.sin(1.618 * angle + 2.4 * phase))


def turned(yaw: Array | float = 0.0, pitch: Array | float = 0.0, roll: Array | float = 0.0) -> Array:
    """Return quaternions `(T, 4)` that roll to the left, then pitch forward, then yaw to the left, all in degrees."""
    angles = np.broadcast_arrays(*(np.radians(np.atleast_1d(angle)) for angle in (yaw, pitch, roll)))
    axes = np.broadcast_to(np.eye(3)[[2, 0, 1], None], (3, len(angles[0]), 3))
    about_z, about_x, about_y = rotations.from_axis_angle(axes, np.stack(angles))
    return rotations.multiply(about_z, rotations.multiply(about_x, about_y))
