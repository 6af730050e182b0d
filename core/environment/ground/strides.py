# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths of steps that uneven ground asks for: up and down stairs, one foot stands on each tread."""

import numpy as np

from ...arrays import Float64
from ...feet.footsteps import MOST_RISE
from ...motion.filters import largest_beside
from ...motion.piecewise import pieces
from .footholds import floors_under
from .steps import SHARES
from .surface import Surface

SAMPLE = 0.01
"""Distance between the examined places, as a share of the size: 1.7 cm at human size."""
MOST_SAMPLES = 10
"""Most examined places for each frame: a run has ten at 24 frames per second."""


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
