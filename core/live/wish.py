# SPDX-License-Identifier: GPL-3.0-or-later
"""Wishes for steering: where to go and which way to face over the next second, and from which clips."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Float64, Mask
from ..errors import InputError
from .candidates import AHEAD_SECONDS

TRAJECTORY_SECONDS = AHEAD_SECONDS[-1]
"""Time, in seconds, that the places of a wish cover."""


@dataclass(frozen=True, eq=False)
class Wish:
    """A wish for the next second.

    velocity: `(3,)` in units per second along the ground. facing: `(3,)` a direction along the ground; None is the
    direction of travel. trajectory: `(S, 3)` places, evenly spaced in time from now to one second ahead, followed in
    place of a velocity. allowed: `(M,)` mask of the motions to play from, such as those of a style; None is all.
    Raises InputError for arrays of other shapes, and for values that are not finite.

    >>> Wish(velocity=np.array([0.0, 1.2, 0.0])).trajectory is None
    True
    """

    velocity: Array | None = None
    facing: Array | None = None
    trajectory: Array | None = None
    allowed: Mask | None = None

    def __post_init__(self) -> None:
        for name, shape in (("velocity", "(3,)"), ("facing", "(3,)"), ("trajectory", "(2 or more, 3)")):
            values = getattr(self, name)
            if values is None:
                continue
            fits = np.shape(values) == (3,) if name != "trajectory" else _is_trajectory(values)
            if not fits or not np.isfinite(values).all():
                raise InputError(f"The wish's {name} must be finite numbers of the shape {shape}.")


def _is_trajectory(values: Array) -> bool:
    return np.ndim(values) == 2 and len(values) > 1 and np.shape(values)[1] == 3


def goal_trajectory(place: Array, velocity: Array) -> Float64:
    """Return the trajectory `(2, 3)` of a goal at a place with a velocity, in units per second.

    >>> goal_trajectory(np.zeros(3), np.array([0.0, 1.0, 0.0]))[-1].tolist()
    [0.0, 1.0, 0.0]
    """
    start = np.asarray(place, np.float64)
    return np.stack((start, start + TRAJECTORY_SECONDS * np.asarray(velocity, np.float64)))
