# SPDX-License-Identifier: GPL-3.0-or-later
"""Swing of a limb's middle joint about the line between the limb's ends, so that it accelerates least.

Newton's method with Levenberg's damping lowers the sum of a high power of all accelerations, which is dominated by the
largest. Each acceleration depends on three frames, so the linear system has five diagonals at any number of frames.
"""

from dataclasses import dataclass

import numpy as np

from ...arrays import Array, Float64
from ...feet.calm_paths import accelerations
from ...feet.two_bone_ik import Leg, Solution, knee_path, swivel_axis, swiveled
from ...motion import rotations

POWER = 8
"""Power of the accelerations, as shares of the limit, whose sum is lowered: of 2, 4 and 8, the one that left the least
above the limit on the clips with which settings are chosen."""
STEPS = 40
"""Largest number of steps, and of dampings tried in a step; joints that can be calmed are mostly calm after ten."""
TURN_COST = 2e-3
"""Cost of a turn of one radian, as a share of the limit, which keeps frames in place that need not turn."""
OFF_PLANE = 0.02
"""Turn with which the steps begin, in radians: an elbow in one plane with its hand's path is as quick on either side,
and would never leave the plane."""
DAMPING_FACTOR = 6.0
"""Factor from one damping to the next. The first is the mean diagonal; each step begins with the last successful one,
divided by this factor."""


@dataclass(frozen=True, eq=False)
class Circles:
    """Circles on which a limb's middle joint can be, over T frames.

    centers: `(T, 3)`. across: `(T, 3)` from the center to the joint's present place. beyond: `(T, 3)` from the center
    to the place a quarter of a turn farther.
    """

    centers: Float64
    across: Float64
    beyond: Float64

    def places(self, angles: Float64) -> Float64:
        """Return the places `(T, 3)` of the joint after turns by angles `(T,)` in radians."""
        return self.centers + np.cos(angles)[:, None] * self.across + np.sin(angles)[:, None] * self.beyond

    def slopes(self, angles: Float64) -> Float64:
        """Return the derivatives `(T, 3)` of these places with respect to the angles."""
        return np.asarray(np.cos(angles)[:, None] * self.beyond - np.sin(angles)[:, None] * self.across)


def circles_of(beginnings: Float64, lines: Float64, middles: Float64) -> Circles:
    """Return the circles of joints at middles `(T, 3)` about unit vectors `lines` `(T, 3)` through beginnings."""
    vectors = middles - beginnings
    along = np.sum(vectors * lines, axis=1)[:, None] * lines
    return Circles(beginnings + along, vectors - along, np.asarray(rotations.cross(lines, vectors), np.float64))


def calmest_angles(circles: Circles, shares: Array, limit: float) -> Float64:
    """Return the angles `(T,)`, in radians, by which joints turn on their circles to accelerate least.

    shares: `(T,)` of the swing that may change, 0 for none. limit: in units per frame squared; accelerations below it
    are calm enough.
    """
    free = np.asarray(shares > 0)
    if len(shares) < 3 or not free.any():
        return np.zeros(len(shares))
    counted = free[:-2] | free[1:-1] | free[2:]
    staying = TURN_COST**2

    def evaluated(tried: Float64) -> tuple[Float64, Float64, float]:
        accelerations = np.diff(circles.places(tried), 2, axis=0) * (counted / limit)[:, None]
        ratios = np.asarray(rotations.lengths(accelerations), np.float64)
        return accelerations, ratios, float(np.sum(ratios**POWER) + staying * np.sum(tried**2))

    angles, damping = np.zeros(len(shares)), 1.0
    accelerations, ratios, least = evaluated(angles)
    if ratios.max() > 1.0:
        angles = OFF_PLANE * np.minimum(shares, 1.0)
        accelerations, ratios, least = evaluated(angles)
    for _ in range(STEPS):
        if ratios.max() <= 1.0:
            break
        slopes = circles.slopes(angles) * (free / limit)[:, None]
        diagonals, gradient = _curvature(accelerations, ratios, slopes)
        diagonals[0] += 2.0 * staying
        gradient += 2.0 * staying * angles
        before = least
        for _ in range(STEPS):
            damped = diagonals.copy()
            damped[0] += damping * float(np.mean(diagonals[0])) + np.where(free, 0.0, 1.0)
            step = np.where(free, _solved(damped, gradient), 0.0)
            tried = evaluated(angles - step)
            if tried[2] < least:
                angles, (accelerations, ratios, least), damping = angles - step, tried, damping / DAMPING_FACTOR
                break
            damping *= DAMPING_FACTOR
        if least == before:
            break
    return angles


def _curvature(accelerations: Float64, ratios: Float64, slopes: Float64) -> tuple[Float64, Float64]:
    """Return three diagonals `(3, T)` of the sum's curvature, the main one first, and the sum's gradient `(T,)`.

    accelerations: `(T - 2, 3)`, as shares of the limit. ratios: their lengths. slopes: `(T, 3)`. See calmest_angles.
    """
    count, inside = len(accelerations), len(slopes)
    parts = [factor * slopes[place : place + count] for place, factor in enumerate((1.0, -2.0, 1.0))]
    directions = accelerations / np.maximum(ratios, 1e-12)[:, None]
    along = [np.sum(directions * part, axis=1) for part in parts]
    weights = POWER * ratios ** (POWER - 2)
    diagonals, gradient = np.zeros((3, inside)), np.zeros(inside)
    for row in range(3):
        gradient[row : row + count] += weights * ratios * along[row]
        for column in range(row, 3):
            both = np.sum(parts[row] * parts[column], axis=1) + (POWER - 2) * along[row] * along[column]
            diagonals[column - row, row : row + count] += weights * both
    return diagonals, gradient


def _solved(diagonals: Float64, right: Float64) -> Float64:
    """Return the solution `(T,)` of a symmetric system with five diagonals, given the main one and two beside it."""
    main, beside, far = (row.tolist() for row in diagonals)
    first, second, values = list[float](), list[float](), right.tolist()
    # As L D L^T: `first` and `second` are the columns of L below its diagonal of ones, and `main` becomes D.
    for place in range(len(main)):
        above, nearest, next_nearest = beside[place], 0.0, 0.0
        if place > 0:
            nearest = first[place - 1]
            main[place] -= nearest * nearest * main[place - 1]
            above -= nearest * second[place - 1] * main[place - 1]
            values[place] -= nearest * values[place - 1]
        if place > 1:
            next_nearest = second[place - 2]
            main[place] -= next_nearest * next_nearest * main[place - 2]
            values[place] -= next_nearest * values[place - 2]
        first.append(above / main[place])
        second.append(far[place] / main[place])
    values = [value / pivot for value, pivot in zip(values, main, strict=True)]
    for place in range(len(values) - 2, -1, -1):
        values[place] -= first[place] * values[place + 1]
        if place + 2 < len(values):
            values[place] -= second[place] * values[place + 2]
    return np.array(values)


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
