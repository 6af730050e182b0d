# SPDX-License-Identifier: GPL-3.0-or-later
"""Flights: stretches in which nothing touches the ground, so that the center of mass follows gravity alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...feet.contact_detection import foot_heights
from ...feet.planting import Standing
from ...motion.motion import Motion, pose_along
from ...motion.spans import spans
from .segments import BodyModel
from .support import OFF_GROUND, beside_feet

Float64 = NDArray[np.float64]

EARTH, USUAL_STATURE = 9.81, 1.7
"""Gravity in meters per second squared, and the height of a human body in meters; the mean of adults in the studies that
de Leva 1996 is based on is 1.74 and 1.73."""
PLAUSIBLE = 1.15
"""Largest factor between gravity by a clip's flights and by the body's size: people are 1.50 to 1.95 m tall."""
SHORTEST_SECONDS = 0.12
"""Shortest flight, in seconds, whose curve shows gravity: four frames of a film."""
LEAST_HEIGHT = 0.01
"""Smallest height of a flight's parabola over its chord, as a share of the size: gravity gives 2 cm in SHORTEST_SECONDS,
and a step between two floors gives less than 1 cm."""
MISFIT = 0.15
"""Largest root mean square distance of a flight from its parabola, as a share of the parabola's height. Flights of
captured jumps and runs have 0.01 to 0.08; steps on stairs and standing on tiptoe more than 0.2."""


@dataclass(frozen=True)
class Flight:
    """A flight. first, last: its first and last frame off the ground.

    gravity: of the parabola that is nearest to the path of the center of mass, in units per second squared; below that
    of the scene the body floats, above it drops.

    >>> Flight(10, 20, 9.81).frames
    11
    """

    first: int
    last: int
    gravity: float

    @property
    def frames(self) -> int:
        """Return the number of its frames."""
        return self.last - self.first + 1


def find_flights(motion: Motion, center: Float64, standing: Standing) -> tuple[Flight, ...]:
    """Return the flights of a motion; center: `(T, 3)` its center of mass, standing: its feet and the ground under them.

    A body that hovers, sits or climbs does not fly: its center of mass follows no parabola.

    >>> from genmm_addon.core.feet import standing_of
    >>> find_flights(swing, np.zeros((60, 3)), standing_of(swing))
    ()
    """
    if not standing.feet:
        return ()
    skeleton, rate = motion.skeleton, motion.frames_per_second
    axis, clear = np.array(skeleton.up), OFF_GROUND * skeleton.size
    lifts = foot_heights(motion, standing.feet) - standing.ground
    others = np.flatnonzero(beside_feet(skeleton, standing.feet)).tolist()
    heights = pose_along(motion, list(range(len(skeleton.names))))[1][:, others].astype(np.float64) @ axis
    in_air = (lifts > clear).all(axis=1) & (heights > standing.ground.min() + clear).all(axis=1)
    flights = []
    for first, end in spans(in_air):
        if end - first < max(SHORTEST_SECONDS * rate, 4) or first == 0 or end == motion.frames:
            continue
        gravity, misfit = parabola_of(center[first:end] @ axis, rate)
        height = gravity * ((end - first) / rate) ** 2 / 8
        if height > LEAST_HEIGHT * skeleton.size and misfit < MISFIT:
            flights.append(Flight(first, end - 1, gravity))
    return tuple(flights)


def parabola_of(heights: Float64, rate: float) -> tuple[float, float]:
    """Return the gravity of the parabola nearest to heights `(T,)`, and the misfit as a share of its own height.

    >>> time = np.arange(10) / 30
    >>> gravity, misfit = parabola_of(2 * time - 4.9 * time**2, 30.0)
    >>> round(gravity, 6), misfit < 1e-6
    (9.8, True)
    """
    time = (np.arange(len(heights)) - (len(heights) - 1) / 2) / rate
    curve = np.polynomial.polynomial.polyfit(time, heights, 2)
    missed = heights - np.polynomial.polynomial.polyval(time, curve)
    gravity = float(-2 * curve[2])
    return gravity, float(missed.std() / max(abs(gravity) * time[-1] ** 2 / 2, 1e-12))


def gravity_error(heights: Float64, gravity: float, rate: float) -> float:
    """Return the root mean square difference of the acceleration of heights `(T,)` from gravity, as a share of it.

    >>> gravity_error(-4.9 * (np.arange(10) / 30) ** 2, 9.8, 30.0) < 1e-9
    True
    """
    return float(np.sqrt(np.mean((np.diff(heights, 2) * rate**2 / gravity + 1.0) ** 2)))


def find_gravity(model: BodyModel, flights: Sequence[Flight] = (), given: float | None = None) -> float | None:
    """Return gravity in units of the skeleton per second squared; None if nothing shows it.

    flights: of examples on this skeleton. For a human body, their median counts if it is plausible for its size, else
    the gravity at which it is 1.7 m tall. For any other body it is the given value, else the flights' median.

    >>> find_gravity(find_body_model(skeleton)) is None
    True
    """
    shown = float(np.median([flight.gravity for flight in flights])) if flights else None
    if not model.stature:
        return shown if given is None else given
    by_size = EARTH * model.stature / USUAL_STATURE
    return shown if shown is not None and 1 / PLAUSIBLE < shown / by_size < PLAUSIBLE else by_size
