# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames to key: as few as possible, with a fitted segment between neighbors."""

import numpy as np
from numpy.typing import NDArray

from .segment_fit import SampledCurves, fitted_slopes

Frames = NDArray[np.int64]

LONGEST_SEGMENT = 80
"""Longest segment, in frames. It bounds the computing time; even a still pose has a key this often."""
PREFERRED_COUNTS = 0.2
"""Reduction of a key's cost, 1, at a preferred frame, and at one at which every curve has an extreme: one of five such
keys may be unnecessary."""


def fewest_key_frames(curves: SampledCurves, preferred: NDArray[np.bool_] | None = None) -> Frames:
    """Return the fewest frames to key, the first and the last among them, preferring extremes of the curves.

    preferred: mask `(T,)` of preferred frames, such as those at which a foot lands. The result is the cheapest chain of
    segments, by dynamic programming (Plass and Stone 1983, section 4).
    """
    frames = len(curves.values)
    shares = extremes(curves) if preferred is None else np.maximum(extremes(curves), preferred)
    costs = 1.0 - PREFERRED_COUNTS * shares
    totals = np.full(frames, np.inf)
    totals[0] = 0.0
    before = np.zeros(frames, np.int64)
    for first in range(frames - 1):
        for last in range(first + 1, min(frames, first + LONGEST_SEGMENT + 1)):
            if fitted_slopes(curves, first, last) is None:
                break
            total = totals[first] + costs[last]
            if total < totals[last]:
                totals[last], before[last] = total, first
    chosen = [frames - 1]
    while chosen[-1]:
        chosen.append(int(before[chosen[-1]]))
    return np.array(chosen[::-1])


def few_key_frames(curves: SampledCurves) -> Frames:
    """Return few frames to key, the first and the last among them; each segment is as long as it can be fitted."""
    last_frame = len(curves.values) - 1
    chosen = [0]
    while chosen[-1] < last_frame:
        first = chosen[-1]
        reached, missed = first + 1, min(first + LONGEST_SEGMENT, last_frame) + 1
        step = 2
        while reached + step < missed:
            if fitted_slopes(curves, first, reached + step) is None:
                missed = reached + step
            else:
                reached, step = reached + step, 2 * step
        while missed - reached > 1:
            middle = (reached + missed) // 2
            if fitted_slopes(curves, first, middle) is None:
                missed = middle
            else:
                reached = middle
        chosen.append(reached)
    return np.array(chosen)


def extremes(curves: SampledCurves) -> NDArray[np.float64]:
    """Return the share `(T,)` of curves with an extreme at each frame, weighted by their range in error bounds."""
    steps = np.diff(curves.values, axis=0)
    widths = np.diff(np.append(curves.firsts, curves.values.shape[1]))
    weights = np.ptp(curves.values, axis=0) / np.repeat(curves.bounds, widths)
    shares = np.zeros(len(curves.values))
    if weights.sum() > 0.0:
        shares[1:-1] = (steps[1:] * steps[:-1] < 0.0) @ (weights / weights.sum())
    return shares
