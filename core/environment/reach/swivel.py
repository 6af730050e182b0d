# SPDX-License-Identifier: GPL-3.0-or-later
"""Swivel of a limb: its middle joint turns about the line between the limb's ends where it would be too quick.

Its path is smoothed first, which is fast and mostly sufficient; what remains is calmed by a solution for all frames.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...feet.calm_paths import accelerations, around
from ...feet.two_bone_ik import Leg, Solution, knee_path
from ...motion import rotations
from ...motion.filters import smooth_beside
from .swing import calmest_angles, circles_of

Float64 = NDArray[np.float64]

ROUNDS, IN_VAIN = 30, 6
"""Largest number of rounds in which the middle joint's path is smoothed, and of rounds in a row without success after
which smoothing ends."""
SMOOTHING_SECONDS = (0.07, 0.15, 0.3)
"""Deviations, in seconds, of the Gaussians that smooth this path, tried in this order: an arm that turns over takes a
third of a second, and longer if that is not calm enough."""


def calm_swivel(leg: Leg, solution: Solution, shares: NDArray[np.floating], rate: float, limit: float) -> Solution:
    """Return the turns of a limb with its middle joint below a limit of acceleration, or as near to it as possible.

    Its ends keep their places: if a hand is held near the shoulder while the body turns, the elbow must change sides.
    shares: `(T,)` of the swivel that may change. limit: in units per frame squared.
    """
    beginning, (thigh, shin), limit = leg.positions[:, leg.hip], leg.bones, max(limit, 1e-12)
    line = rotations.rotate(solution.aim, thigh + rotations.rotate(solution.bend, shin))
    line = line / np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 1e-12)
    best, least = _smoothed(leg, solution, line, shares, rate, limit)
    if least <= 1.0:
        return best
    circles = circles_of(beginning.astype(np.float64), line, knee_path(leg, best))
    solved = _turned(best, line, calmest_angles(circles, shares, limit))
    return solved if _acceleration_ratios(knee_path(leg, solved), shares, limit).max(initial=0.0) < least else best


def _smoothed(
    leg: Leg, solution: Solution, line: Float64, shares: NDArray[np.floating], rate: float, limit: float
) -> tuple[Solution, float]:
    """Return the calmest turns of a limb after repeated smoothing, and their largest acceleration over the limit.

    line: `(T, 3)` from the limb's beginning to its end, of unit length.
    """
    beginning, best, least = leg.positions[:, leg.hip], solution, np.inf
    for seconds in SMOOTHING_SECONDS:
        in_vain = 0
        for _ in range(ROUNDS):
            path = knee_path(leg, solution)
            ratios = _acceleration_ratios(path, shares, limit)
            in_vain += 1
            if ratios.max(initial=0.0) < least:
                best, least, in_vain = solution, float(ratios.max(initial=0.0)), 0
            if least <= 1.0:
                return best, least
            if in_vain > IN_VAIN:
                break
            part = (around(ratios > 1.0, rate, seconds) * shares)[:, None]
            target = path + part * (smooth_beside(path, seconds, rate, np.ones(len(shares))) - path)
            solution = _turned(solution, line, _angles_about(line, path - beginning, target - beginning))
    return best, least


def _acceleration_ratios(path: Float64, shares: NDArray[np.floating], limit: float) -> Float64:
    """Return the accelerations `(T,)` of a path as shares of the limit; 0 where the path may not change."""
    return np.where(shares > 0, accelerations(path) / limit, 0.0)


def _turned(solution: Solution, line: Float64, angles: Float64) -> Solution:
    """Return the turns of a limb with further turns by angles `(T,)` about the line between its ends."""
    return replace(solution, aim=rotations.multiply(rotations.from_axis_angle(line, angles), solution.aim))


def _angles_about(axes: Float64, now: Float64, target: Float64) -> Float64:
    """Return the turns `(T,)` about axes `(T, 3)` that bring vectors as near as possible to their targets."""
    sine = np.sum(axes * rotations.cross(now, target), axis=1)
    cosine = np.sum(now * target, axis=1) - np.sum(axes * now, axis=1) * np.sum(axes * target, axis=1)
    return np.asarray(np.arctan2(sine, cosine))
