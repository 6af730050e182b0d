# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps over uneven ground: shortened where a step of its full length would climb, or go down, too far."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .footholds import STEP_UP
from .surface import Surface

Float64 = NDArray[np.float64]

MOST_RISE = 0.13
"""A step goes up or down by this share of the size at most: one stair of 15 cm is 0.09 at human size, two are 0.17.
With two stairs a step, knees of recorded walks accelerate up to 1.9 times as much as on flat ground."""
SHARES = np.linspace(1.0, 0.2, 17)
"""Shares of its own length that a step is tried with, longest first."""


@dataclass(frozen=True, eq=False)
class Shifts:
    """Moves along the ground that shorten steps: of N stances `(N, 2)`, and at the first and last frame `(2, 2)`."""

    stances: Float64
    ends: Float64

    @property
    def length(self) -> float:
        """Return how much farther or less far the body comes in the whole."""
        return float(np.linalg.norm(self.ends[1] - self.ends[0]))


def no_shifts(count: int) -> Shifts:
    """Return the shifts of stances that stay where they are.

    >>> no_shifts(3).length
    0.0
    """
    return Shifts(np.zeros((count, 2)), np.zeros((2, 2)))


def shorten_steps(
    surface: Surface,
    places: Float64,
    frames: NDArray[np.int64],
    travel: Float64,
    level: float,
    size: float,
    fixed: tuple[int, float] | None = None,
) -> Shifts:
    """Return the shifts of stances, one after another, with which no step climbs too far.

    places: `(N, 2)` where the feet stand on flat ground, at `frames` `(N,)`; travel: `(T, 2)` the way of the body along
    the ground; level: the height of the flat ground. fixed: a frame at which the body stays where it is, and how much
    higher the ground is there; steps are shortened from there on, both ways. A step that is too high at any length
    stays as it is.
    """
    start, height = 0, level
    if fixed is not None:
        start, height = int(np.argmin(np.abs(frames - fixed[0]))), level + fixed[1]
    earlier, later = slice(start, None, -1), slice(start, None)
    back, back_shares = _one_after_another(surface, places[earlier], travel[frames[earlier]], height, size)
    on, on_shares = _one_after_another(surface, places[later], travel[frames[later]], height, size)
    shifts = np.concatenate((back[:0:-1], on))
    shares = np.concatenate((back_shares[::-1], on_shares)) if len(places) > 1 else np.ones(1)
    # Before the first stance and after the last one the body goes on as in the steps beside.
    first, last = (1.0 - shares[[0, -1]])[:, None] * (travel[frames[[0, -1]]] - travel[[0, -1]])
    return Shifts(shifts, np.stack((shifts[0] + first, shifts[-1] + last)))


def _one_after_another(
    surface: Surface, places: Float64, travel: Float64, height: float, size: float
) -> tuple[Float64, Float64]:
    """Return the shifts `(N, 2)` of stances in an order, the first of which stays, and the shares `(N - 1,)` of steps.

    travel: `(N, 2)` where the body is at each stance; height: of the ground at the first one.
    """
    ways = np.diff(travel, axis=0)
    shares, shifts = np.ones(len(ways)), np.zeros_like(places)
    before = _floor(surface, places[:1], height, size)[0]
    before = height if np.isnan(before) else before
    for number, way in enumerate(ways):
        tried = shifts[number] - (1.0 - SHARES[:, None]) * way
        heights = _floor(surface, places[number + 1] + tried, before, size)
        climbs = np.abs(np.where(np.isnan(heights), np.inf, heights) - before)
        chosen = int(np.argmin(np.maximum(climbs, MOST_RISE * size)))
        shifts[number + 1], shares[number] = tried[chosen], SHARES[chosen]
        before = before if np.isnan(heights[chosen]) else float(heights[chosen])
    return shifts, shares


def _floor(surface: Surface, places: Float64, before: float, size: float) -> Float64:
    """Return the floor `(K,)` that is stepped onto at each place `(K, 2)` from the height `before`; nan for none."""
    return surface.heights(places, np.full(len(places), before + STEP_UP * size))
