# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps over uneven ground, shortened where a step of full length would climb or descend too far.

Up and down stairs, one foot stands on each tread.
"""

from dataclasses import dataclass

import numpy as np

from ...arrays import Float64, Int64, Mask
from ...feet.footsteps import MOST_RISE
from ...motion.filters import largest_beside
from ...motion.piecewise import pieces
from .footholds import STEP_UP, floors_under
from .surface import Surface

SHARES = np.linspace(1.0, 0.2, 17)
"""Shares of its full length that are tried for a step, longest first."""
SAMPLE = 0.01
"""Distance between the examined places, as a share of the size: 1.7 cm at human size."""
MOST_SAMPLES = 10
"""Most examined places for each frame: a run has ten at 24 frames per second."""


@dataclass(frozen=True, eq=False)
class Shifts:
    """Moves along the ground that shorten steps: `(N, 2)` of N stances, and `(2, 2)` at the first and last frame."""

    stances: Float64
    ends: Float64

    @property
    def length(self) -> float:
        """Return the change of the body's travel, from the first frame to the last."""
        return float(np.linalg.norm(self.ends[1] - self.ends[0]))


def no_shifts(count: int) -> Shifts:
    """Return the shifts of stances that are not moved.

    >>> no_shifts(3).length
    0.0
    """
    return Shifts(np.zeros((count, 2)), np.zeros((2, 2)))


@dataclass(frozen=True, eq=False)
class FixedPlace:
    """A place where the body stays.

    frame: the frame at which it stays there. higher: additional height of the ground there. lasting: `(N,)` the stances
    that last then.
    """

    frame: int
    higher: float
    lasting: Mask


def shorten_steps(
    surface: Surface,
    places: Float64,
    frames: Int64,
    travel: Float64,
    level: float,
    size: float,
    fixed: FixedPlace | None = None,
) -> Shifts:
    """Return the shifts of stances, made one after another, so that no step climbs too far.

    places: `(N, 2)` of the feet on flat ground. frames: `(N,)` at which they stand there. travel: `(T, 2)` the body's
    path along the ground. level: the height of the flat ground. fixed: steps are shortened from this place on, forward
    and backward. A step that is too high at any length has the length at which it climbs least.
    """
    if fixed is None:
        earliest = latest = np.zeros(2)
        first, last, height = 0, 0, level
    else:
        first, last, earliest, latest = _beside(surface, places, frames, travel, level, size, fixed)
        height = level + fixed.higher
    earlier, later = slice(first, None, -1), slice(last, None)
    back, back_shares = _one_after_another(surface, places[earlier], travel[frames[earlier]], height, size, earliest)
    on, on_shares = _one_after_another(surface, places[later], travel[frames[later]], height, size, latest)
    shifts = np.concatenate((back[::-1], on[last == first :]))
    shares = np.concatenate((back_shares[::-1], on_shares)) if len(back_shares) + len(on_shares) else np.ones(1)
    # Before the first stance and after the last one the body moves as in the nearest step.
    ends = (1.0 - shares[[0, -1]])[:, None] * (travel[frames[[0, -1]]] - travel[[0, -1]])
    return Shifts(shifts, shifts[[0, -1]] + ends)


def _beside(
    surface: Surface,
    places: Float64,
    frames: Int64,
    travel: Float64,
    level: float,
    size: float,
    fixed: FixedPlace,
) -> tuple[int, int, Float64, Float64]:
    """Return the stance at a fixed frame, twice, or the stances before and after it; and the shifts of both.

    A foot that stands at that frame stays. In flight, the step over the frame is shortened on both sides of it.
    """
    last, stays = int(np.count_nonzero(frames < fixed.frame)), np.zeros(2)
    if fixed.lasting.any() or last in (0, len(frames)):
        away = np.where(fixed.lasting | ~fixed.lasting.any(), np.abs(frames - fixed.frame), np.iinfo(np.int64).max)
        nearest = int(np.argmin(away))
        return nearest, nearest, stays, stays
    displacements = travel[frames[[last - 1, last]]] - travel[fixed.frame]
    tried = -(1.0 - SHARES[:, None, None]) * displacements
    heights = [_floor(surface, places[last - 1 + side] + tried[:, side], level + fixed.higher, size) for side in (0, 1)]
    climbs = np.abs(heights[1] - heights[0])
    chosen = int(np.argmin(np.maximum(np.where(np.isnan(climbs), np.inf, climbs), MOST_RISE * size)))
    return last - 1, last, tried[chosen, 0], tried[chosen, 1]


def _one_after_another(
    surface: Surface, places: Float64, travel: Float64, height: float, size: float, first: Float64
) -> tuple[Float64, Float64]:
    """Return the shifts `(N, 2)` of stances in an order, and the shares `(N - 1,)` of the steps between them.

    travel: `(N, 2)` place of the body at each stance. height: of the ground near the first stance. first: its shift
    `(2,)`.
    """
    displacements = np.diff(travel, axis=0)
    shares, shifts = np.ones(len(displacements)), np.zeros_like(places)
    shifts[0] = first
    before = _floor(surface, places[:1] + first, height, size)[0]
    before = height if np.isnan(before) else before
    for number, displacement in enumerate(displacements):
        tried = shifts[number] - (1.0 - SHARES[:, None]) * displacement
        heights = _floor(surface, places[number + 1] + tried, before, size)
        climbs = np.abs(np.where(np.isnan(heights), np.inf, heights) - before)
        chosen = int(np.argmin(np.maximum(climbs, MOST_RISE * size)))
        shifts[number + 1], shares[number] = tried[chosen], SHARES[chosen]
        before = before if np.isnan(heights[chosen]) else float(heights[chosen])
    return shifts, shares


def _floor(surface: Surface, places: Float64, before: float, size: float) -> Float64:
    """Return the floor `(K,)` at each place `(K, 2)`, stepped onto from the height `before`; nan if there is none."""
    return surface.heights(places, np.full(len(places), before + STEP_UP * size))


def step_lengths(surface: Surface, places: Float64, level: float, size: float, full: float) -> Float64 | None:
    """Return the longest step `(F,)` at each place of a route that climbs no more than MOST_RISE, or else the least.

    None if steps of full length do so everywhere. places: `(F, 2)` of the body along the ground. level: the height of
    the ground at the first place. full: at most the size.
    """
    along = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))))
    count = min(int(along[-1] / (SAMPLE * size)), MOST_SAMPLES * len(places)) + 1
    if count < 2:
        return None
    seen, spacing = np.linspace(0.0, along[-1], count), along[-1] / (count - 1)
    sampled = np.stack([np.interp(seen, along, places[:, axis]) for axis in (0, 1)], axis=1)
    floors = _floors(surface, sampled, level, size)
    longest, shortest = max(int(full / spacing), 1), max(int(SHARES[-1] * full / spacing), 1)
    single = largest_beside(_climbs(floors, shortest), longest)
    limit = np.maximum(MOST_RISE * size, single)
    lengths, without = np.full(count, shortest * spacing), np.ones(count, bool)
    for window in range(longest, shortest, -1):
        fits = without & (_climbs(floors, window) <= limit + 1e-9 * size)
        lengths[fits] = full if window == longest else window * spacing
        without &= ~fits
        if not without.any():
            break
    return None if (lengths >= full).all() else np.asarray(np.interp(along, seen, lengths))


def _floors(surface: Surface, places: Float64, level: float, size: float) -> Float64:
    """Return the heights `(N,)` of the floor along places `(N, 2)`; over a hole, that before it."""
    floors = np.full(len(places), level)
    for block in pieces(len(places), int(np.diff(surface.starts).max(initial=1))):
        found = floors_under(surface, places[block], level, np.zeros(len(places[block])), size)
        known = np.maximum.accumulate(np.where(np.isnan(found), -1, np.arange(len(found))))
        floors[block] = np.where(known < 0, level, found[known])
        level = float(floors[block][-1])
    return floors


def _climbs(floors: Float64, window: int) -> Float64:
    """Return the largest rise or fall `(N,)` in steps of `window` places, among the steps over each place."""
    if window >= len(floors):
        return np.full(len(floors), np.ptp(floors))
    padded = np.pad(np.abs(floors[window:] - floors[:-window]), window)
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, window + 1).max(axis=1))
