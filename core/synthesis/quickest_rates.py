# SPDX-License-Identifier: GPL-3.0-or-later
"""Uneven rates, at which a motion is played quicker where its joints accelerate little, and slower where they do so."""

import numpy as np
from numpy.typing import NDArray

from ..motion.comparing import ROUNDING
from ..planning.sources import HIGHEST_RATE, LOWEST_RATE

Float64 = NDArray[np.float64]


def quickest_rates(positions: Float64, factor: float) -> Float64:
    """Return the highest rates `(T,)`, at most 2, that increase no joint's largest acceleration by more than a factor.

    positions: `(T, J, 3)`. Half the square of the rate, u, changes along the path so that each joint accelerates by
    at most 2 u |x''| + |u'| |x'|, which stays below its limit (time-optimal path parameterization: Bobrow, Dubowsky and
    Gibson 1985). Rates near the ends lack what is beyond them.
    """
    speeds = np.linalg.norm(np.gradient(positions, axis=0), axis=2)
    bends = np.zeros_like(speeds)
    bends[1:-1] = np.linalg.norm(np.diff(positions, 2, axis=0), axis=2)
    limits = factor * bends.max(axis=0) + ROUNDING * np.abs(positions).max()
    highest = np.minimum((limits / np.maximum(2 * bends, ROUNDING * limits)).min(axis=1), HIGHEST_RATE**2 / 2)
    moved = np.maximum(speeds[1:], speeds[:-1])
    resisted = np.maximum(moved + 2 * np.maximum(bends[1:], bends[:-1]), ROUNDING * limits)
    for at in range(1, len(positions)):
        reached = (limits + highest[at - 1] * moved[at - 1]) / resisted[at - 1]
        highest[at] = min(highest[at], reached.min())
    for at in range(len(positions) - 2, -1, -1):
        left = (limits + highest[at + 1] * moved[at]) / resisted[at]
        highest[at] = min(highest[at], left.min())
    return np.sqrt(2 * highest)


def rates_of_mean(quickest: Float64, rate: float) -> Float64:
    """Return the most even rates `(N,)` that play evenly spaced places at a mean rate, and accelerate joints little.

    quickest: `(N,)`, of `quickest_rates`. Above it, all are raised in proportion; none exceeds 2. Below the motion's
    own speed, it is slowed down where it could be played quickest.

    >>> quickest = np.array([1.1, 1.1, 1.4, 1.7])
    >>> rates_of_mean(quickest, 1.2).round(2).tolist()
    [1.1, 1.1, 1.32, 1.32]
    >>> rates_of_mean(quickest, 0.9).round(2).tolist()
    [1.0, 1.0, 0.88, 0.77]
    """
    low, high = 0.0, 2 * HIGHEST_RATE
    while high - low > ROUNDING:
        middle = (low + high) / 2
        low, high = (middle, high) if mean_rate(_limited(quickest, middle, rate)) < rate else (low, middle)
    return _limited(quickest, high, rate)


def mean_rate(rates: Float64) -> float:
    """Return the mean rate over the time in which evenly spaced places are played at some rates `(N,)`."""
    return float(1.0 / np.mean(1.0 / rates))


def _limited(quickest: Float64, limit: float, rate: float) -> Float64:
    """Return the rates up to a limit, and in proportion to it if none exceeds 2; or at most as it is to the quickest."""
    if rate < 1:
        return np.clip(limit / quickest, (LOWEST_RATE + rate) / 2, 1.0)
    return np.minimum(quickest * max(limit / HIGHEST_RATE, 1.0), min(limit, HIGHEST_RATE))
