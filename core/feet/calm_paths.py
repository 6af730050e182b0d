# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of joints, smoothed only where they accelerate more than those of the examples."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from ..arrays import Array, Float32, Float64, Int64, Mask
from ..motion import rotations
from ..motion.bvh.numbers import DEFAULT_RATE
from ..motion.filters import largest_beside, smooth_beside

Values = TypeVar("Values", bound=Array)

ALLOWED = 1.1
"""Largest acceleration of a joint that nobody notices, as a multiple of the largest of such a joint in the examples."""
NOTICED = 1.2
"""Factor over the largest value in the examples that is noticed: of an acceleration, of the distance that a standing
foot drags, of the time without a planted foot; and of one loop's speed over another's. Fillings may accelerate up to
it: with ALLOWED instead, feet stand up to the ends in fewer fillings, and slid more than twice as fast in one of three
alternatives for a gap."""
ROUNDS = 20
"""Largest number of times that a path is smoothed where it accelerates too much."""
FRAME_SECONDS = 1.0 / DEFAULT_RATE
"""Duration, in seconds, of a frame of most recordings: the deviation of the Gaussian of each round (a larger one would
flatten the swings of a run, whose strides last half a second), and the time in which a foot that lands or lifts off
touches the ground."""
BESIDE_SECONDS = 0.4
"""Time, in seconds, on either side of such a frame that is recomputed in each round; the outer half only provides
neighbors for the smoothing. Other frames are examined once."""


@dataclass(frozen=True, eq=False)
class QuickFrames:
    """Frames of a motion near those at which a joint accelerates too much.

    frames: `(K,)`, ascending. inner: mask `(K,)` of the frames that count: stretches that are neighbors here are far
    apart in time, so values at their edges are meaningless. limit: the largest acceleration allowed, in units per frame
    squared. weights: `(K,)`, 0 at frames at which nothing may change. rate: frames per second.
    """

    frames: Int64
    inner: Mask
    limit: float
    weights: Array
    rate: float

    def acceleration_ratios(self, path: Float64) -> Float64:
        """Return the accelerations `(K,)` on a path `(K, 3)` over the limit; 0 at frames that do not count."""
        return np.where(self.inner, accelerations(path) / self.limit, 0.0)


@dataclass(eq=False)
class LeastAccelerations:
    """The least accelerations so far, over the limit, in each stretch of some frames `(K,)`."""

    frames: Int64
    least: Float64 = field(init=False)

    def __post_init__(self) -> None:
        self._firsts = np.flatnonzero(np.diff(self.frames, prepend=-2) > 1)
        self.least = np.full(len(self._firsts), np.inf)

    def lowered(self, ratios: Float64) -> Mask:
        """Return a mask `(K,)` of the stretches whose accelerations `(K,)` are smaller than before, and record them."""
        most = np.maximum.reduceat(ratios, self._firsts)
        is_lower = np.repeat(most < self.least, np.diff(np.append(self._firsts, len(ratios))))
        self.least = np.minimum(self.least, most)
        return np.asarray(is_lower)


def quick_frames(path: Float64, limit: float, weights: Array | None, rate: float) -> QuickFrames | None:
    """Return the frames near those at which a path `(T, 3)` accelerates more than the limit; None if there are none.

    weights: `(T,)`, see QuickFrames; None is 1.
    """
    limit = max(limit, 1e-12)
    too_quick = accelerations(path) > limit
    if not too_quick.any():
        return None
    frames, inner = beside(too_quick, rate)
    return QuickFrames(frames, inner, limit, np.ones(len(frames)) if weights is None else weights[frames], rate)


def calmed(
    values: Values,
    quick: QuickFrames,
    path_of: Callable[[Values], Float64],
    smoothed: Callable[[Values, Float64], Values],
) -> Values:
    """Return values `(K, ...)` smoothed where they accelerate too much; a stretch that smoothing does not calm is kept.

    path_of: returns the path `(K, 3)` of the joint that the values move. smoothed: returns the values smoothed once,
    by shares `(K, 1)` of the frames.
    """
    best, least = values.copy(), LeastAccelerations(quick.frames)
    for _ in range(ROUNDS):
        ratios = quick.acceleration_ratios(path_of(values))
        calmer = least.lowered(ratios)
        best[calmer] = values[calmer]
        if least.least.max() <= 1.0:
            break
        values = smoothed(values, around(ratios > 1.0, quick.rate)[:, None])
    return best


def calm_path(path: Float64, quick: QuickFrames, within: Callable[[Float64], Float64]) -> Float64:
    """Return a path `(K, 3)` smoothed where it accelerates too much, see calmed.

    within: returns the nearest admissible path, such as a knee's at a constant distance from its hip.
    """
    along = np.linspace(0.0, 1.0, len(path))[:, None]

    def smoothed(now: Float64, share: Float64) -> Float64:
        # Smoothing repeats the end values, which would hold up a traveling body; so the line between them is left out.
        line = now[0] + along * (now[-1] - now[0])
        return within(now + share * (smooth_beside(now - line, FRAME_SECONDS, quick.rate, quick.weights) + line - now))

    return calmed(path, quick, lambda now: now, smoothed)


def smoothed_turns(turns: Float32, share: Float64, quick: QuickFrames) -> Float32:
    """Return the rotations `(K, J, 4)` smoothed once, by shares `(K, 1)` of the frames, see calmed."""
    continuous: Array = rotations.make_continuous(turns)
    columns = continuous.reshape(len(continuous), -1).astype(np.float64)
    smooth = smooth_beside(columns, FRAME_SECONDS, quick.rate, quick.weights)
    calm = rotations.normalize((columns + share * (smooth - columns)).reshape(continuous.shape))
    changed, smoothed = np.flatnonzero((share[:, 0] > 0) & (quick.weights > 0)), turns.copy()
    smoothed[changed] = calm[changed]
    return smoothed


def beside(too_quick: Mask, rate: float) -> tuple[Int64, Mask]:
    """Return the frames `(K,)` near those marked in `too_quick` `(T,)`, and a mask `(K,)` without the edges."""
    far, near = (max(1, round(seconds * rate)) for seconds in (BESIDE_SECONDS, BESIDE_SECONDS / 2))
    marked = too_quick.astype(np.float64)
    frames = np.flatnonzero(largest_beside(marked, far))
    return frames, largest_beside(marked, near)[frames] > 0


def around(too_quick: Mask, rate: float, seconds: float = 2 * FRAME_SECONDS) -> Float64:
    """Return the share `(T,)` by which frames are smoothed: 1 near those that are too quick, less farther away.

    seconds: the time to either side that is smoothed; the default is as far as one round of smoothing reaches.
    """
    reach = max(1, round(seconds * rate))
    around = 1.0 - np.abs(np.arange(-reach, reach + 1)) / (reach + 1)
    return np.asarray(np.minimum(2 * np.convolve(too_quick, around)[reach : reach + len(too_quick)], 1.0))


def accelerations(path: Float64) -> Float64:
    """Return the accelerations `(T,)` on a path `(T, 3)`, or the largest on several `(T, N, 3)`; 0 at the ends."""
    lengths = np.zeros(len(path))
    if len(path) > 2:
        steps = path[1:] - path[:-1]
        changes = rotations.lengths(steps[1:] - steps[:-1])
        lengths[1:-1] = changes if changes.ndim == 1 else changes.max(axis=1)
    return lengths
