# SPDX-License-Identifier: GPL-3.0-or-later
"""Swivel of a limb: its middle joint turns about the line between the limb's ends where it would be too quick."""

import numpy as np

from ...arrays import Array
from ...feet.calm_paths import accelerations
from ...feet.two_bone_ik import Leg, Solution, knee_path, swivel_axis, swiveled
from .swing import calmest_angles, circles_of


def calm_swivel(leg: Leg, solution: Solution, shares: Array, limit: float) -> Solution:
    """Return the turns of a limb with its middle joint below a limit of acceleration, or as near to it as possible.

    Its ends keep their places: if a hand is held near the shoulder while the body turns, the elbow must change sides.
    shares: `(T,)` of the swivel that may change. limit: in units per frame squared.
    """
    beginning, axis, limit = leg.positions[:, leg.hip], swivel_axis(leg, solution), max(limit, 1e-12)
    largest = _largest_ratio(leg, solution, shares, limit)
    if largest <= 1.0:
        return solution
    angles = calmest_angles(circles_of(beginning.astype(np.float64), axis, knee_path(leg, solution)), shares, limit)
    turned = swiveled(solution, axis, angles)
    return turned if _largest_ratio(leg, turned, shares, limit) < largest else solution


def _largest_ratio(leg: Leg, solution: Solution, shares: Array, limit: float) -> float:
    """Return the largest acceleration of a limb's middle joint, as a share of the limit, where it may change."""
    return float((accelerations(knee_path(leg, solution)) / limit)[shares > 0].max(initial=0.0))
