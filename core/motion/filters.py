# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters over time."""

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]


def smooth(values: Float64, seconds: float, rate: float) -> Float64:
    """Values `(T, 3)` spread over time by a bell of about that width to each side."""
    if not values.any():
        return values
    width = max(1, round(seconds * rate))
    bell = np.exp(-0.5 * (np.arange(-2 * width, 2 * width + 1) / width) ** 2)
    padded = np.concatenate((np.repeat(values[:1], 2 * width, 0), values, np.repeat(values[-1:], 2 * width, 0)))
    return np.stack([np.convolve(padded[:, axis], bell / bell.sum(), "valid") for axis in range(3)], axis=1)
