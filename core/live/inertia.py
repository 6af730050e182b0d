# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertia: differences that die out, and speeds that follow what is wanted, without a jump in speed.

Differences decay by the quintic of inertialization (Bollo: High Performance Animation in Gears of War 4, 2018); what is
wanted is followed by critically damped springs (Holden: Spring-It-On, 2021).
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

STEEPEST_START, STEEPEST_SPEED = 5.77, 3.94
"""Largest accelerations, over a time of 1, of a difference that begins at 1, and of one with a speed of 1."""


@dataclass(frozen=True, eq=False)
class Decay:
    """Differences of C columns that become nothing.

    start, speed: `(..., C)` the differences at the beginning, and how much they change a frame there. frames: `(...)`
    how long they last, or as many as there are differences; since: the same, frames since they began.
    """

    start: Float64
    speed: Float64
    frames: NDArray[np.floating] | float
    since: NDArray[np.floating] | float = 0.0

    def next(self) -> "Decay":
        """Return the same differences a frame later."""
        return replace(self, since=self.since + 1.0)

    def now(self) -> Float64:
        """Return the differences `(..., C)` as they are by now."""
        frames, since = np.asarray(self.frames, np.float64), np.asarray(self.since, np.float64)
        if np.ndim(self.start) > frames.ndim or since.ndim > frames.ndim:
            frames, since = frames[..., None], since[..., None]
        share = np.minimum(since / frames, 1.0)
        rest = (1.0 - share) ** 3
        pose = rest * (1.0 + 3.0 * share + 6.0 * share * share)
        return np.asarray(self.start * pose + self.speed * (frames * share * rest * (1.0 + 3.0 * share)))

    def begun_anew(self, begun: NDArray[np.bool_], other: "Decay") -> "Decay":
        """Return these differences, and others where they begin anew `(R,)`, a truth value for each row."""
        rows = begun.reshape(-1, *([1] * (self.start.ndim - 1)))
        return Decay(
            np.where(rows, other.start, self.start),
            np.where(rows, other.speed, self.speed),
            np.where(begun, other.frames, self.frames),
            np.where(begun, other.since, self.since),
        )

    def rest(self) -> Float64:
        """Return the sum `(C,)` of the differences of all frames to come; of one beginning only."""
        count = int(max(float(self.frames) - float(self.since), 0.0))
        return np.asarray(replace(self, since=self.since + 1.0 + np.arange(count)).now().sum(axis=0))


def calm_frames(away: Float64, speed: Float64, most: float) -> Float64:
    """Return how many frames `(...)` a difference has to last so that nothing accelerates by more than `most` a frame
    squared; away, speed: `(...)` lengths of it and of its change a frame at its beginning.
    """
    fast, far = STEEPEST_SPEED * speed, STEEPEST_START * away
    return np.asarray((fast + np.sqrt(fast**2 + 4.0 * most * far)) / (2.0 * most))


def braking(way: float | NDArray[np.floating], most: float | NDArray[np.floating]) -> Float64:
    """Return the speeds `(...)`, a step, from which what brakes by `most` a step squared stops after a way."""
    return np.asarray(np.sqrt(0.25 * most * most + 2.0 * most * way) - 0.5 * most)


@dataclass(frozen=True, eq=False)
class Spring:
    """A value `(...)` that follows a goal, and how fast it changes a second."""

    value: Float64
    speed: Float64

    def toward(self, goal: Float64, half_life: float, seconds: float) -> "Spring":
        """Return the spring after a time with a goal; half_life: seconds in which half of the way is gone."""
        damping, gap, rate = self._pulled(goal, half_life)
        rest = np.exp(-damping * seconds)
        return Spring(rest * (gap + rate * seconds) + goal, rest * (self.speed - rate * damping * seconds))

    def way(self, goal: Float64, half_life: float, seconds: Float64) -> Float64:
        """Return the integral `(S, ...)` of the value over times `(S,)` from now on, with the same goal."""
        damping, gap, rate = self._pulled(goal, half_life)
        times = seconds.reshape(-1, *([1] * np.ndim(gap)))
        rest = np.exp(-damping * times)
        gone = rate / damping**2 + gap / damping - rest * (rate / damping**2 + (gap + rate * times) / damping)
        return np.asarray(gone + goal * times)

    def _pulled(self, goal: Float64, half_life: float) -> tuple[float, Float64, Float64]:
        damping, gap = 2.0 * np.log(2.0) / half_life, self.value - goal
        return damping, gap, self.speed + gap * damping
