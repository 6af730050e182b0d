# SPDX-License-Identifier: GPL-3.0-or-later
"""The swing of a limb's middle joint about the line between its ends that accelerates it least.

Newton's steps with Levenberg's damping lower a high power of all accelerations, so that the largest counts. Each
acceleration depends on three frames: a band of five diagonals is solved, however many frames there are.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations

Float64 = NDArray[np.float64]

POWER = 8
"""Power of accelerations, as shares of the limit, whose sum is lowered: of 2, 4, 8 the one that left the least above
the limit on clips that settings are chosen on."""
STEPS = 40
"""Steps at most; a joint that can be calmed at all mostly is after ten."""
ENOUGH = 0.98
"""No further step is made where the largest acceleration is this share of the limit."""
LARGEST_STEP = 0.6
"""Largest turn of a frame in one step, radians."""
STAYING = 2e-3
"""A turn of a radian counts as this share of the limit, so that frames stay that need not turn ..."""
LEAST_SHARE = 0.05
"""... and many times that where only a small share of the swing may change: this one at least."""
OFF_PLANE = 0.02
"""Angle at which steps begin, radians: in the plane of its hand an elbow is as quick to either side, and would never
leave it."""
SETTLED = 1e-4
"""Steps end where one lowers the sum by less than this share of it."""
DAMPINGS, DAMPING, MORE = 8, 1e-2, 6.0
"""So many dampings are tried in a step, beginning with the last good one, as shares of the mean diagonal, each so many
times the one before."""


@dataclass(frozen=True, eq=False)
class Circles:
    """Circles that a limb's middle joint may be on, over T frames.

    centers: `(T, 3)`. across, beyond: `(T, 3)` from the center to where the joint is now, and a quarter of a round on.
    """

    centers: Float64
    across: Float64
    beyond: Float64

    def places(self, angles: Float64) -> Float64:
        """Return the places `(T, 3)` of the joint turned by angles `(T,)`, radians."""
        return self.centers + np.cos(angles)[:, None] * self.across + np.sin(angles)[:, None] * self.beyond

    def slopes(self, angles: Float64) -> Float64:
        """Return the changes `(T, 3)` of these places with the angles."""
        return np.asarray(np.cos(angles)[:, None] * self.beyond - np.sin(angles)[:, None] * self.across)


def circles_of(beginnings: Float64, lines: Float64, middles: Float64) -> Circles:
    """Return the circles of joints at middles `(T, 3)` about lines `(T, 3)`, of unit length, through beginnings."""
    ways = middles - beginnings
    along = np.sum(ways * lines, axis=1)[:, None] * lines
    return Circles(beginnings + along, ways - along, np.asarray(rotations.cross(lines, ways), np.float64))


def calmest_angles(circles: Circles, shares: NDArray[np.floating], limit: float) -> Float64:
    """Return the angles `(T,)`, radians, by which joints turn on their circles to accelerate least.

    shares: `(T,)` how much of the swing may change, 0 none. limit: units per frame squared; what is below it is not
    made calmer.
    """
    free = np.asarray(shares > 0)
    if len(shares) < 3 or not free.any():
        return np.zeros(len(shares))
    counted = free[:-2] | free[1:-1] | free[2:]
    staying = (STAYING / np.clip(shares, LEAST_SHARE, 1.0)) ** 2

    def found(tried: Float64) -> tuple[Float64, Float64, float]:
        ways = np.diff(circles.places(tried), 2, axis=0) * (counted / limit)[:, None]
        haste = np.asarray(rotations.lengths(ways), np.float64)
        return ways, haste, float(np.sum(haste**POWER) + np.sum(staying * tried**2))

    angles, damping = np.zeros(len(shares)), DAMPING
    ways, haste, least = found(angles)
    if haste.max() > ENOUGH:
        angles = OFF_PLANE * np.minimum(shares, 1.0)
        ways, haste, least = found(angles)
    for _ in range(STEPS):
        if haste.max() <= ENOUGH:
            break
        slopes = circles.slopes(angles) * (free / limit)[:, None]
        diagonals, gradient = _curvature(ways, haste, slopes)
        diagonals[0] += 2.0 * staying
        gradient += 2.0 * staying * angles
        before = least
        for _ in range(DAMPINGS):
            damped = diagonals.copy()
            damped[0] += damping * float(np.mean(diagonals[0])) + np.where(free, 0.0, 1.0)
            step = np.where(free, np.clip(_solved(damped, gradient), -LARGEST_STEP, LARGEST_STEP), 0.0)
            tried = found(angles - step)
            if tried[2] < least:
                angles, (ways, haste, least), damping = angles - step, tried, damping / MORE
                break
            damping *= MORE
        if before - least <= SETTLED * before:
            break
    return angles


def _curvature(ways: Float64, haste: Float64, slopes: Float64) -> tuple[Float64, Float64]:
    """Return three diagonals `(3, T)` of the sum's curvature, from the main one on, and its gradient `(T,)`.

    ways: `(T - 2, 3)` accelerations, haste: their lengths, slopes: `(T, 3)`; see calmest_angles.
    """
    count, inside = len(ways), len(slopes)
    parts = [factor * slopes[place : place + count] for place, factor in enumerate((1.0, -2.0, 1.0))]
    directions = ways / np.maximum(haste, 1e-12)[:, None]
    along = [np.sum(directions * part, axis=1) for part in parts]
    weights = POWER * haste ** (POWER - 2)
    diagonals, gradient = np.zeros((3, inside)), np.zeros(inside)
    for one in range(3):
        gradient[one : one + count] += weights * haste * along[one]
        for other in range(one, 3):
            both = np.sum(parts[one] * parts[other], axis=1) + (POWER - 2) * along[one] * along[other]
            diagonals[other - one, one : one + count] += weights * both
    return diagonals, gradient


def _solved(diagonals: Float64, right: Float64) -> Float64:
    """Return the solution `(T,)` of symmetric equations with five diagonals, given the main one and those beside it."""
    main, beside, far = (row.tolist() for row in diagonals)
    first, second, values = list[float](), list[float](), right.tolist()
    # As L D L^T: `first` and `second` are the columns of L below its diagonal of ones, `main` becomes D.
    for place in range(len(main)):
        above, one, other = beside[place], 0.0, 0.0
        if place > 0:
            one = first[place - 1]
            main[place] -= one * one * main[place - 1]
            above -= one * second[place - 1] * main[place - 1]
            values[place] -= one * values[place - 1]
        if place > 1:
            other = second[place - 2]
            main[place] -= other * other * main[place - 2]
            values[place] -= other * values[place - 2]
        first.append(above / main[place])
        second.append(far[place] / main[place])
    values = [value / pivot for value, pivot in zip(values, main, strict=True)]
    for place in range(len(values) - 2, -1, -1):
        values[place] -= first[place] * values[place + 1]
        if place + 2 < len(values):
            values[place] -= second[place] * values[place + 2]
    return np.array(values)
