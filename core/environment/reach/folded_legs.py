# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs that would fold up under a lowered body: their feet, in flight, move with the hips."""

import numpy as np

from ...arrays import Float64
from ...feet.foot_moves import EASE_SECONDS
from ...feet.two_bone_ik import Leg
from ...motion import rotations
from ...motion.filters import smoothstep, spread_smoothly

MOST_FOLDED = 0.5
"""Smallest distance of a hip from its foot, as a share of the leg's length, or the distance before if smaller: a knee
bent by 120 degrees, as a quick runner's."""
STANDS, FLIES = 0.3, 1.0
"""Speeds of a foot, in sizes per second: up to STANDS it stays, and from FLIES on it may move fully with the hip."""


def moves_along(leg: Leg, now: Leg, up: Float64, rate: float, size: float) -> Float64:
    """Return the moves `(T, 3)` of a leg's foot from its place, with the hip, so that the leg does not fold up.

    leg: before the hip moved. now: after it moved. A foot that stayed while the hip came down would throw its knee
    forward.
    """
    hips, feet = leg.positions[:, leg.hip].astype(np.float64), leg.positions[:, leg.end].astype(np.float64)
    shifts = now.positions[:, now.hip] - hips
    least = np.minimum(np.linalg.norm(feet - hips, axis=1), MOST_FOLDED * leg.reach)
    lacking = _shares_to(feet - hips - shifts, shifts, least)
    if not lacking.any():
        return np.zeros_like(shifts)
    speeds = rotations.lengths(np.gradient(feet, axis=0)) * rate / size
    flying = smoothstep(np.clip((speeds - STANDS) / (FLIES - STANDS), 0.0, 1.0))
    room = feet @ up - (feet @ up).min()
    most = np.minimum(1.0, room / np.maximum(-(shifts @ up), 1e-12 * size))
    shares = spread_smoothly(lacking, max(1, round(EASE_SECONDS * rate)))
    return np.asarray((np.minimum(shares, np.where(shifts @ up < 0.0, most, 1.0)) * flying)[:, None] * shifts)


def _shares_to(vectors: Float64, shifts: Float64, least: Float64) -> Float64:
    """Return the shares `(T,)` of shifts that lengthen vectors `(T, 3)` to at least the lengths `least` `(T,)`."""
    squares, along = np.sum(shifts**2, axis=1), np.sum(vectors * shifts, axis=1)
    short = np.maximum(least**2 - np.sum(vectors**2, axis=1), 0.0)
    root = np.sqrt(along**2 + squares * short)
    return np.asarray(np.where(short > 0.0, np.clip((root - along) / np.maximum(squares, 1e-12), 0.0, 1.0), 0.0))
