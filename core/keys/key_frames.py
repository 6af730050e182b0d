# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames to key: as few as possible, with a fitted segment or a hold between neighbors."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Float64, Indices, Mask
from .segment_fit import SampledCurves, fitted_slopes

LONGEST_SEGMENT = 80
"""Longest moving segment, in frames. It bounds the computing time; holds may be longer."""
PREFERRED_COUNTS = 0.2
"""Reduction of a key's cost, 1, at the end of a hold, and at a frame at which every curve has an extreme: one of five
such keys may be unnecessary."""


@dataclass(frozen=True, eq=False)
class KeyPoses:
    """Frames to key.

    frames: `(K,)` ascending, the first and the last of the curves among them. stepped: `(K,)` whether the pose of each
    is held until the next.
    """

    frames: Indices
    stepped: Mask


def fewest_key_frames(curves: SampledCurves, required: Mask | None = None, shortest_still: int = 0) -> KeyPoses:
    """Return the fewest frames to key, all `required` among them, preferring extremes of the curves and ends of holds.

    required: mask `(T,)` of frames that get a key, such as those at which a foot lands. shortest_still: least frames of
    a hold, in which every curve stays within its bound of the first pose; 0 is without holds. The result is the
    cheapest chain of segments, by dynamic programming (Plass and Stone 1983, section 4).
    """
    last_frame = len(curves.values) - 1
    stops = np.append(np.flatnonzero(required) if required is not None else [], last_frame).astype(np.int64)
    still = _still_stretches(curves, stops, shortest_still) if shortest_still else {}
    chains = _Chains(1.0 - PREFERRED_COUNTS * extremes(curves))
    for first in range(last_frame):
        stop = int(stops[np.searchsorted(stops, first, side="right")])
        for kind in chains.kinds_at(first):
            start = curves.values[chains.begin_of_stillness(first)] if kind else None
            for last in range(first + 1, min(stop, first + LONGEST_SEGMENT) + 1):
                if fitted_slopes(curves, first, last, start) is None:
                    break
                chains.offer((first, kind), (last, 0))
        end = still.get(first, first)
        for last in range(max(first + shortest_still, end - shortest_still), end + 1) if end > first else ():
            chains.offer((first, 0), (last, 1))
    return chains.cheapest()


class _Chains:
    """The cheapest chain of segments to each frame, of those that end with a moving segment (0) and with a hold (1)."""

    def __init__(self, costs: Float64) -> None:
        self._costs = np.stack((costs, np.full_like(costs, 1.0 - PREFERRED_COUNTS)))
        self._totals = np.full((2, len(costs)), np.inf)
        self._totals[0, 0] = 0.0
        self._before = np.zeros((2, len(costs), 2), np.int64)

    def kinds_at(self, frame: int) -> list[int]:
        """Return the kinds of chains to continue at a frame: a hold only if it is cheaper than motion."""
        moving, still = self._totals[:, frame].tolist()
        return [0, 1] if still < moving else [0]

    def begin_of_stillness(self, frame: int) -> int:
        """Return the first frame of the hold with which a chain to `frame` ends."""
        return int(self._before[1, frame, 0])

    def offer(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Continue the chain at `start` to `end`, each a frame and a kind, if that is cheaper than what is known."""
        (first, kind), (last, next_kind) = start, end
        total = self._totals[kind, first] + self._costs[next_kind, last]
        if total < self._totals[next_kind, last]:
            self._totals[next_kind, last], self._before[next_kind, last] = total, start

    def cheapest(self) -> KeyPoses:
        """Return the frames of the cheapest chain to the last frame."""
        frame, kind = self._totals.shape[1] - 1, int(np.argmin(self._totals[:, -1]))
        frames, stepped = [frame], [False]
        while frame:
            stepped.append(kind == 1)
            frame, kind = self._before[kind, frame].tolist()
            frames.append(frame)
        return KeyPoses(np.array(frames[::-1]), np.array(stepped[::-1]))


def _still_stretches(curves: SampledCurves, stops: Indices, shortest: int) -> dict[int, int]:
    """Return the frames at which holds may begin, each with the last frame of the longest hold from there.

    No hold continues beyond one of `stops`. Of a long hold, only beginnings near its first frame are returned.
    """
    ends: dict[int, int] = {}
    first = 0
    while first < stops[-1]:
        end = _end_of_stillness(curves, first, stops)
        if end - first < shortest:
            first += 1
            continue
        for begin in range(first, min(first + shortest, end)):
            reached = _end_of_stillness(curves, begin, stops)
            if reached - begin >= shortest:
                ends[begin] = reached
        first = end
    return ends


def _end_of_stillness(curves: SampledCurves, first: int, stops: Indices) -> int:
    """Return the last frame, up to the next stop, until which every curve stays within its bound of a frame."""
    stop, last, step = int(stops[np.searchsorted(stops, first, side="right")]), first, 1
    while last < stop:
        rows = slice(last + 1, min(last + step, stop) + 1)
        left = (curves.lengths(curves.values[rows] - curves.values[first]) > curves.bounds).any(axis=1)
        if left.any():
            return last + int(np.argmax(left))
        last, step = rows.stop - 1, 2 * step
    return last


def few_key_frames(curves: SampledCurves) -> KeyPoses:
    """Return few frames to key, the first and the last among them, without holds; each is as long as it fits."""
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
    return KeyPoses(np.array(chosen), np.zeros(len(chosen), bool))


def extremes(curves: SampledCurves) -> Float64:
    """Return the share `(T,)` of curves with an extreme at each frame, weighted by their range in error bounds."""
    steps = np.diff(curves.values, axis=0)
    widths = np.diff(np.append(curves.firsts, curves.values.shape[1]))
    weights = np.ptp(curves.values, axis=0) / np.repeat(curves.bounds, widths)
    shares = np.zeros(len(curves.values))
    if weights.sum() > 0.0:
        shares[1:-1] = (steps[1:] * steps[:-1] < 0.0) @ (weights / weights.sum())
    return shares
