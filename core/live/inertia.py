# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertia: differences that decay, and values that follow a goal, without jumps in speed.

Differences decay by the quintic of inertialization (Bollo: High Performance Animation in Gears of War 4, 2018); goals
are followed by critically damped springs (Holden: Spring-It-On, 2021).
"""

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, Float64, Mask

STEEPEST_START, STEEPEST_SPEED = 5.77, 3.94
"""Largest accelerations, over a time of 1, of a difference that begins at 1, and of one that begins with speed 1."""


@dataclass(frozen=True, eq=False)
class Decay:
    """Differences of C columns that decay to 0.

    start, speed: `(..., C)` the differences at the beginning, and their change per frame there. frames: number of
    frames of the decay, one or `(...)`. since: number of frames since its beginning, likewise.
    """

    start: Float64
    speed: Float64
    frames: Array | float
    since: Array | float = 0.0

    def next(self) -> "Decay":
        """Return the differences one frame later."""
        return replace(self, since=self.since + 1.0)

    def now(self) -> Float64:
        """Return the present differences `(..., C)`."""
        frames, since = np.asarray(self.frames, np.float64), np.asarray(self.since, np.float64)
        if np.ndim(self.start) > frames.ndim or since.ndim > frames.ndim:
            frames, since = frames[..., None], since[..., None]
        share = np.minimum(since / frames, 1.0)
        remaining = (1.0 - share) ** 3
        pose = remaining * (1.0 + 3.0 * share + 6.0 * share * share)
        return np.asarray(self.start * pose + self.speed * (frames * share * remaining * (1.0 + 3.0 * share)))

    def replaced_where(self, begun: Mask, other: "Decay") -> "Decay":
        """Return these differences, replaced by others in the rows of a mask `(R,)`."""
        rows = begun.reshape(-1, *([1] * (self.start.ndim - 1)))
        return Decay(
            np.where(rows, other.start, self.start),
            np.where(rows, other.speed, self.speed),
            np.where(begun, other.frames, self.frames),
            np.where(begun, other.since, self.since),
        )

    def rest(self) -> Float64:
        """Return the sum `(C,)` of the differences at all frames to come, of a decay with one beginning."""
        count = int(max(float(self.frames) - float(self.since), 0.0))
        return np.asarray(replace(self, since=self.since + 1.0 + np.arange(count)).now().sum(axis=0))


def calm_frames(away: Float64, speed: Float64, most: float) -> Float64:
    """Return the number of frames `(...)` of a decay that accelerates by at most `most`, per frame squared.

    away, speed: `(...)` lengths of the difference, and of its change per frame, at the beginning.
    """
    fast, far = STEEPEST_SPEED * speed, STEEPEST_START * away
    return np.asarray((fast + np.sqrt(fast**2 + 4.0 * most * far)) / (2.0 * most))


def braking(distance: float | Array, most: float | Array) -> Float64:
    """Return the speeds `(...)` per step from which braking by `most` per step squared stops within a distance."""
    return np.asarray(np.sqrt(0.25 * most * most + 2.0 * most * distance) - 0.5 * most)


@dataclass(frozen=True, eq=False)
class Spring:
    """A value `(...)` that follows a goal, and its speed per second."""

    value: Float64
    speed: Float64

    def toward(self, goal: Float64, half_life: float, seconds: float) -> "Spring":
        """Return the spring after a time with a goal; half_life: seconds in which half of the distance is covered."""
        damping, gap, rate = self._pulled(goal, half_life)
        remaining = np.exp(-damping * seconds)
        return Spring(remaining * (gap + rate * seconds) + goal, remaining * (self.speed - rate * damping * seconds))

    def integral(self, goal: Float64, half_life: float, seconds: Float64) -> Float64:
        """Return the integral `(S, ...)` of the value over times `(S,)` from now, with the same goal."""
        damping, gap, rate = self._pulled(goal, half_life)
        times = seconds.reshape(-1, *([1] * np.ndim(gap)))
        remaining = np.exp(-damping * times)
        gone = rate / damping**2 + gap / damping - remaining * (rate / damping**2 + (gap + rate * times) / damping)
        return np.asarray(gone + goal * times)

    def _pulled(self, goal: Float64, half_life: float) -> tuple[float, Float64, Float64]:
        damping, gap = 2.0 * np.log(2.0) / half_life, self.value - goal
        return damping, gap, self.speed + gap * damping
