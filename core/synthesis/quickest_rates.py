# SPDX-License-Identifier: GPL-3.0-or-later
"""Uneven rates, at which a motion is sped up or slowed down most where its joints accelerate least."""

import numpy as np

from ..arrays import Float64
from ..motion.comparing import ROUNDING
from ..motion.motion import Motion
from ..planning.sources import HIGHEST_RATE, LOWEST_RATE


def points_of(motion: Motion) -> Float64:
    """Return the positions `(T, P, 3)` of all joints, and of a point beside each last one, which moves as it turns."""
    orientations, positions = motion.pose()
    last = np.setdiff1d(np.arange(len(motion.skeleton.parents)), motion.skeleton.parents)
    lengths = np.linalg.norm(motion.skeleton.rest_translations[last], axis=1)
    beside = orientations[:, last].mean(axis=3) * np.where(lengths > 0, lengths, 1.0)[:, None]
    return np.concatenate((positions, positions[:, last] + beside), axis=1).astype(np.float64)


def quickest_rates(points: Float64, factor: float) -> Float64:
    """Return the highest rates `(T,)`, at most 2, that raise no point's largest acceleration by more than a factor.

    points: `(T, P, 3)`. Half the square of the rate, u, changes so slowly that 2 u |x''| + |u'| |x'|, above which no
    point accelerates, stays below its limit (time-optimal path parameterization: Bobrow, Dubowsky, Gibson 1985). Rates
    near the ends do not know what is beyond them.
    """
    speeds = np.linalg.norm(np.gradient(points, axis=0), axis=2)
    bends = np.zeros_like(speeds)
    bends[1:-1] = np.linalg.norm(np.diff(points, 2, axis=0), axis=2)
    limits = factor * bends.max(axis=0) + ROUNDING * (bends.max() or 1.0)
    highest = np.minimum((limits / np.maximum(2 * bends, ROUNDING * limits)).min(axis=1), HIGHEST_RATE**2 / 2)
    moved = np.maximum(speeds[1:], speeds[:-1])
    resisted = np.maximum(moved + 2 * np.maximum(bends[1:], bends[:-1]), ROUNDING * limits)
    for at in range(1, len(points)):
        reached = (limits + highest[at - 1] * moved[at - 1]) / resisted[at - 1]
        highest[at] = min(highest[at], reached.min())
    for at in range(len(points) - 2, -1, -1):
        left = (limits + highest[at + 1] * moved[at]) / resisted[at]
        highest[at] = min(highest[at], left.min())
    return np.asarray(np.sqrt(2 * highest))


def rates_of_mean(quickest: Float64, rate: float) -> Float64:
    """Return rates `(N,)` at evenly spaced places, of a given mean over the time in which they are played.

    quickest: `(N,)`, of `quickest_rates`. Above 1, rates are as even as these allow, or if they are not enough, raised
    in proportion, but to no more than 2. Below 1, they are lowest where the quickest are highest.
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
    """Return the quickest rates up to a limit, beyond 2 raised in proportion; or below 1, its quotients by them."""
    if rate < 1:
        return np.clip(limit / quickest, (LOWEST_RATE + rate) / 2, 1.0)
    return np.minimum(quickest * max(limit / HIGHEST_RATE, 1.0), min(limit, HIGHEST_RATE))
