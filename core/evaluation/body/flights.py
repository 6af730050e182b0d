# SPDX-License-Identifier: GPL-3.0-or-later
"""Flights: stretches in which nothing touches the ground, so that the center of mass follows gravity alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Float64, Mask
from ...feet.contact_detection import foot_heights
from ...feet.planting import Standing
from ...motion.motion import Motion
from ...motion.piecewise import evenly
from ...motion.skeleton import Skeleton
from ...motion.spans import spans
from .capsules import FEWEST, MOST_EXAMPLES
from .center import center_of_mass
from .segments import BodyModel, find_body_model
from .support import OFF_GROUND, flesh_over_ground

EARTH, USUAL_STATURE = 9.81, 1.7
"""Gravity in meters per second squared, and the height of a human body in meters: the mean of adult women and men."""
PLAUSIBLE = 1.15
"""Largest factor between gravity by a clip's flights and by the body's size: people are 1.50 to 1.95 m tall."""
UNITS = (1.0, 0.01, 0.0254, 0.3048)
"""Units of length in meters in which motion is stored: meters, centimeters, inches and feet."""
CHILD = 0.6
"""Stature of a child of four years, as a share of that of an adult."""
SHORTEST_SECONDS = 0.12
"""Shortest flight, in seconds, whose curve shows gravity: four frames of a film."""
LEAST_HEIGHT = EARTH * SHORTEST_SECONDS**2 / 8 / USUAL_STATURE
"""Smallest height of a flight's parabola over its chord, as a share of the size: that of the shortest flight."""
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
    """Return the flights of a motion; center: `(T, 3)` its center of mass, standing: its feet and their ground.

    A body that hovers, sits or climbs does not fly: its center of mass follows no parabola.

    >>> from genmm_addon.core.feet import standing_of
    >>> find_flights(swing, np.zeros((60, 3)), standing_of(swing))
    ()
    """
    if not standing.feet:
        return ()
    skeleton, rate, axis = motion.skeleton, motion.frames_per_second, np.array(motion.skeleton.up)
    flights = []
    for first, end in spans(frames_in_air(motion, standing)):
        if first == 0 or end == motion.frames:
            continue
        gravity = gravity_of_flight(center[first:end] @ axis, rate, skeleton.size)
        if gravity is not None:
            flights.append(Flight(first, end - 1, gravity))
    return tuple(flights)


def gravity_of_flight(heights: Float64, rate: float, size: float) -> float | None:
    """Return the gravity of a center of mass at heights `(T,)`; None if it does not fly. size: of the skeleton.

    >>> round(gravity_of_flight(-4.9 * (np.arange(10) / 30) ** 2, 30.0, 1.7), 6)
    9.8
    >>> gravity_of_flight(np.zeros(10), 30.0, 1.7) is None
    True
    """
    if len(heights) < max(SHORTEST_SECONDS * rate, 4):
        return None
    gravity, misfit = parabola_of(heights, rate)
    flies = gravity * (len(heights) / rate) ** 2 / 8 > LEAST_HEIGHT * size and misfit < MISFIT
    return gravity if flies else None


def frames_in_air(motion: Motion, standing: Standing) -> Mask:
    """Return a mask `(T,)` of the frames at which nothing of the body is on the ground; standing: its feet and ground.

    >>> from genmm_addon.core.feet import standing_of
    >>> frames_in_air(swing, standing_of(swing)).shape
    (60,)
    """
    clear = OFF_GROUND * motion.skeleton.size
    lifts = foot_heights(motion, standing.feet) - standing.ground
    _, heights = flesh_over_ground(motion, standing, float(standing.ground.min(initial=0.0)))
    return np.asarray((lifts > clear).all(axis=1) & (heights > clear).all(axis=1))


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


def find_gravity(skeleton: Skeleton, model: BodyModel, flights: Sequence[Flight] = ()) -> float:
    """Return gravity in units of the skeleton per second squared; flights: of motions on it.

    For a human body, their median counts if it is plausible for its size, or if it is the Earth's in units in which the
    body is as tall as a child or an adult; else the gravity at which it is 1.7 m tall. For any other body the
    median counts, else the gravity at which it is 1.7 m in size.

    >>> round(find_gravity(skeleton, find_body_model(skeleton)), 2) == round(9.81 * skeleton.size / 1.7, 2)
    True
    """
    measured = float(np.median([flight.gravity for flight in flights])) if flights else None
    by_size = EARTH * (model.stature or skeleton.size) / USUAL_STATURE
    if measured is None:
        return by_size
    in_units = any(
        _near(measured * unit, EARTH) and CHILD < model.stature * unit / USUAL_STATURE < PLAUSIBLE for unit in UNITS
    )
    return measured if not model.stature or _near(measured, by_size) or in_units else by_size


def _near(gravity: float, other: float) -> bool:
    return 1 / PLAUSIBLE < gravity / other < PLAUSIBLE


def gravity_of_examples(motions: Sequence[Motion], standing: Standing, model: BodyModel | None = None) -> float | None:
    """Return the median gravity of the flights of examples on one skeleton; None if there are fewer than three.

    It is in units per second squared. standing: their feet and the ground under them. model: None is that of
    `find_body_model`.

    >>> from genmm_addon.core.feet import standing_of
    >>> gravity_of_examples([swing], standing_of(swing)) is None
    True
    """
    model = model or find_body_model(motions[0].skeleton)
    some = [motions[number] for number in evenly(len(motions), MOST_EXAMPLES)]
    flights = [flight for motion in some for flight in find_flights(motion, center_of_mass(motion, model), standing)]
    return float(np.median([flight.gravity for flight in flights])) if len(flights) >= FEWEST else None
