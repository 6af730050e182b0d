# SPDX-License-Identifier: GPL-3.0-or-later
"""The swivel of a limb: its middle joint goes around the line between its ends where it would be too quick.

It is smoothed first, which is quick and mostly enough; what is left is calmed by solving for all frames.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..feet.calm_paths import accelerations, around
from ..feet.two_bone_ik import Leg, Solution, knee_path
from ..motion import rotations
from ..motion.filters import smooth_beside
from .swing import calmest_angles, circles_of

Float64 = NDArray[np.float64]

ROUNDS, IN_VAIN = 30, 6
"""So many times the way of the middle joint is smoothed where it is too quick, and no further where so many of them in
turn did not help."""
SMOOTHING_SECONDS = (0.07, 0.15, 0.3)
"""Each time by a Gaussian of this deviation, in seconds: an arm that turns over takes a third of a second for it, and
longer where that is not calm enough: then the longer ones are tried in turn."""


def calm_swivel(leg: Leg, solution: Solution, shares: NDArray[np.floating], rate: float, limit: float) -> Solution:
    """Return the turns of a limb, at every frame, with its middle joint nowhere quicker than a limit, if that can be.

    Its ends stay where they are: a hand that is held near to its shoulder while the body turns leaves the elbow to
    choose its side. shares: `(T,)` how much of the swivel may change; limit: units per frame squared.
    """
    beginning, (thigh, shin), limit = leg.positions[:, leg.hip], leg.bones, max(limit, 1e-12)
    line = rotations.rotate(solution.aim, thigh + rotations.rotate(solution.bend, shin))
    line = line / np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 1e-12)
    best, least = _smoothed(leg, solution, line, shares, rate, limit)
    if least <= 1.0:
        return best
    circles = circles_of(beginning.astype(np.float64), line, knee_path(leg, best))
    solved = _turned(best, line, calmest_angles(circles, shares, limit))
    return solved if _haste(knee_path(leg, solved), shares, limit).max(initial=0.0) < least else best


def _smoothed(
    leg: Leg, solution: Solution, line: Float64, shares: NDArray[np.floating], rate: float, limit: float
) -> tuple[Solution, float]:
    """Return the calmest turns of a limb whose middle joint is smoothed again and again, and what is left as a share of
    the limit.

    line: `(T, 3)` from its beginning to its end, of unit length.
    """
    beginning, best, least = leg.positions[:, leg.hip], solution, np.inf
    for seconds in SMOOTHING_SECONDS:
        in_vain = 0
        for _ in range(ROUNDS):
            path = knee_path(leg, solution)
            haste = _haste(path, shares, limit)
            in_vain += 1
            if haste.max(initial=0.0) < least:
                best, least, in_vain = solution, float(haste.max(initial=0.0)), 0
            if least <= 1.0:
                return best, least
            if in_vain > IN_VAIN:
                break
            part = (around(haste > 1.0, rate, seconds) * shares)[:, None]
            target = path + part * (smooth_beside(path, seconds, rate, np.ones(len(shares))) - path)
            solution = _turned(solution, line, _angles_about(line, path - beginning, target - beginning))
    return best, least


def _haste(path: Float64, shares: NDArray[np.floating], limit: float) -> Float64:
    """Return accelerations `(T,)` on a path as shares of the limit; 0 where nothing may change."""
    return np.where(shares > 0, accelerations(path) / limit, 0.0)


def _turned(solution: Solution, line: Float64, angles: Float64) -> Solution:
    """Return the turns of a limb that goes on about the line between its ends by angles `(T,)`."""
    return replace(solution, aim=rotations.multiply(rotations.from_axis_angle(line, angles), solution.aim))


def _angles_about(axes: Float64, now: Float64, target: Float64) -> Float64:
    """Return the turns `(T,)` about axes `(T, 3)` that bring vectors as near as that goes to their targets."""
    sine = np.sum(axes * rotations.cross(now, target), axis=1)
    cosine = np.sum(now * target, axis=1) - np.sum(axes * now, axis=1) * np.sum(axes * target, axis=1)
    return np.asarray(np.arctan2(sine, cosine))
