# SPDX-License-Identifier: GPL-3.0-or-later
"""Gait of the walk: times and places of heel strikes along a winding path, and the feet's tracks over them."""

from dataclasses import dataclass

import numpy as np

from ....core import Array
from ..sample_curves import drift
from ..sample_feet import Foothold, FootTrack, track
from .style import Stepping, Winding

SECONDS = 10.0
"""Duration of the walk in seconds, in every style."""
FIRST_SHARE = 0.36
"""Share of a step that has passed when the walk begins."""
PATH_SPACING = 0.01
"""Distance in meters between the points at which the path's heading is computed."""


@dataclass(frozen=True, eq=False)
class HeelStrikes:
    """Heel strikes: times in seconds and distances along the path in meters; left and right alternate, left first."""

    strikes: Array
    places: Array


@dataclass(frozen=True, eq=False)
class WindingPath:
    """The winding path: distances `(N,)`, ground positions `(N, 2)` and headings `(N,)` in degrees."""

    distances: Array
    points: Array
    headings: Array

    def heading(self, distance: Array) -> Array:
        """Return the heading at these distances, in degrees to the left."""
        return np.interp(distance, self.distances, self.headings)

    def point(self, distance: Array, left: Array | float = 0.0) -> Array:
        """Return ground positions `(T, 2)`, `left` meters to the left of the path."""
        middle = np.stack([np.interp(distance, self.distances, column) for column in self.points.T], axis=-1)
        angle = np.radians(self.heading(distance))
        return np.asarray(middle + np.asarray(left)[..., None] * np.stack((np.cos(angle), np.sin(angle)), axis=-1))


def new_gait(stepping: Stepping) -> HeelStrikes:
    """Return steps from well before the start until well after the end; their cadence and length drift."""
    step_seconds = stepping.step_seconds
    steps = np.arange(-4, int(SECONDS / step_seconds) + 6, dtype=np.float64)
    briskness = drift(steps * step_seconds, 6.7, 1.1) + 0.35 * drift(steps * step_seconds, 2.3, 2.0)
    durations = step_seconds * (1 - 0.045 * briskness)
    lengths = stepping.step_length * (1 + 0.055 * briskness)
    first = int(np.flatnonzero(steps == 0)[0])
    strikes, places = np.cumsum(durations), np.cumsum(lengths)
    # This offset puts the body above the origin at the beginning.
    return HeelStrikes(strikes - strikes[first] - FIRST_SHARE * step_seconds, places - places[first])


def new_path(winding: Winding) -> WindingPath:
    """Return the path from well before the start until well after the end; it passes through the origin."""
    distances = np.arange(-5.0, 20.0, PATH_SPACING)
    headings = np.zeros_like(distances)
    for degrees, wavelength, phase in winding.waves:
        headings += degrees * np.sin(2 * np.pi * distances / wavelength + phase)
    headings += winding.bearing
    angle = np.radians(headings)
    points = np.cumsum(np.stack((np.sin(angle), -np.cos(angle)), axis=-1), axis=0) * PATH_SPACING
    return WindingPath(distances, points - points[np.searchsorted(distances, 0.0)], headings)


def foot_track(times: Array, gait: HeelStrikes, path: WindingPath, stepping: Stepping, side: int) -> FootTrack:
    """Return the track of the left (0) or right (1) foot at `times` `(T,)` in seconds.

    The heel lands first, and the foot rolls off until the other has landed.
    """
    sign = 1.0 - 2.0 * side
    strikes, places = gait.strikes[side::2], gait.places[side::2]
    footholds = []
    for index in range(len(strikes) - 1):
        down, cycle = strikes[index], strikes[index + 1] - strikes[index]
        x, y = path.point(places[index : index + 1], sign * stepping.half_width)[0]
        variation = float(drift(strikes[index : index + 1], 4.1, 1.3 + side)[0])
        footholds.append(
            Foothold(
                x,
                y,
                heading=float(path.heading(places[index])) + sign * (stepping.toe_out + 1.5 * variation),
                down=down,
                flat=down + stepping.flat * cycle,
                heel_off=down + stepping.heel_off * cycle,
                off=down + stepping.off * cycle,
                strike=stepping.strike + 2.0 * variation,
                push=-stepping.push - 3.0 * variation,
                lift=stepping.lift + 0.004 * variation,
            )
        )
    return track(times, footholds)
