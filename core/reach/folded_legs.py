# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs that a body on its way down would fold up: their feet, in flight, go along with the hips."""

import numpy as np
from numpy.typing import NDArray

from ..feet.two_bone_ik import Leg
from ..motion import rotations
from ..motion.filters import largest_beside, smooth, smoothstep

Float64 = NDArray[np.float64]

MOST_FOLDED = 0.5
"""A hip and its foot come no nearer to each other than this share of the leg's length, or than they were: a knee bent
by 120 degrees, as a quick runner's is."""
STANDS, FLIES = 0.3, 1.0
"""A foot slower than this stays, a faster one may go along, in sizes of the skeleton per second ..."""
LEFT_ABOVE = 0.25
"""... down to this share of its height above where it is lowest."""
GOING_SECONDS = 0.07
"""It goes along and comes back so gradually: by a Gaussian of this deviation, in seconds."""


def moves_along(leg: Leg, now: Leg, up: Float64, rate: float, size: float) -> Float64:
    """Return the moves `(T, 3)` of a leg's foot, off its own place, with the hip that has moved.

    leg: as it was, now: with its hip moved. A foot that stays while the hip comes down to it would throw its
    knee about.
    """
    hips, feet = leg.positions[:, leg.hip].astype(np.float64), leg.positions[:, leg.end].astype(np.float64)
    shifts = now.positions[:, now.hip] - hips
    least = np.minimum(np.linalg.norm(feet - hips, axis=1), MOST_FOLDED * leg.reach)
    lacking = _shares_to(feet - hips - shifts, shifts, least)
    if not lacking.any():
        return np.zeros_like(shifts)
    speeds = rotations.lengths(np.gradient(feet, axis=0)) * rate / size
    flying = smoothstep(np.clip((speeds - STANDS) / (FLIES - STANDS), 0.0, 1.0))
    room = (1.0 - LEFT_ABOVE) * (feet @ up - (feet @ up).min())
    most = np.minimum(1.0, room / np.maximum(-(shifts @ up), 1e-12 * size))
    wide = largest_beside(lacking, max(1, round(GOING_SECONDS * rate)))
    shares = smooth(wide[:, None], GOING_SECONDS, rate)[:, 0]
    return np.asarray((np.minimum(shares, np.where(shifts @ up < 0.0, most, 1.0)) * flying)[:, None] * shifts)


def _shares_to(ways: Float64, shifts: Float64, least: Float64) -> Float64:
    """Return the shares `(T,)` of shifts that bring the lengths of ways back to what they are at least."""
    squares, along = np.sum(shifts**2, axis=1), np.sum(ways * shifts, axis=1)
    short = np.maximum(least**2 - np.sum(ways**2, axis=1), 0.0)
    root = np.sqrt(along**2 + squares * short)
    return np.asarray(np.where(short > 0.0, np.clip((root - along) / np.maximum(squares, 1e-12), 0.0, 1.0), 0.0))
