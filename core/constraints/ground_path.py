# SPDX-License-Identifier: GPL-3.0-or-later
"""A path over the ground: its places, heights and directions by the distance along it."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..errors import InputError
from ..motion import rotations
from ..motion.rotations import SMALLEST_NORM


@dataclass(frozen=True, eq=False)
class GroundPath:
    """A path over the ground.

    places: `(M, 2)` on the ground. heights: `(M,)`. lengths: `(M,)` distance along the path of each point. directions:
    `(M - 1,)`, in radians.
    """

    places: Array
    heights: Array
    lengths: Array
    directions: Array
    closed: bool

    @property
    def length(self) -> float:
        """Return the length of the path, of one round if it is closed."""
        return float(self.lengths[-1])

    def at(self, along: Array) -> tuple[Array, Array, Array]:
        """Return place `(F, 2)`, height and direction `(F,)` at distances along the path, which ends straight."""
        inside = np.mod(along, self.length) if self.closed else np.clip(along, 0.0, self.length)
        place = np.stack([np.interp(inside, self.lengths, self.places[:, axis]) for axis in (0, 1)], axis=1)
        piece = np.clip(np.searchsorted(self.lengths, inside, side="right") - 1, 0, len(self.directions) - 1)
        direction = self.directions[piece]
        ahead = np.stack((np.cos(direction), np.sin(direction)), axis=1)
        beyond = np.zeros_like(along) if self.closed else along - inside
        return place + beyond[:, None] * ahead, np.interp(inside, self.lengths, self.heights), direction


def ground_path_of(points: Array, closed: bool, up: tuple[float, float, float]) -> GroundPath:
    """Return the path along `points` `(M, 3)`. Raises InputError if it has no length along the ground."""
    points = np.asarray(points, np.float64)
    if closed:
        points = np.concatenate((points, points[:1]))
    places = points @ rotations.ground_axes(up).T
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    scale = float(np.abs(points).max())
    kept = np.concatenate(([True], steps > SMALLEST_NORM * max(scale, SMALLEST_NORM)))
    places, heights = places[kept], (points @ np.array(up))[kept]
    if len(places) < 2:
        raise InputError("The path has no length along the ground; draw it longer or choose another curve.")
    steps = np.diff(places, axis=0)
    lengths = np.concatenate(([0.0], np.cumsum(np.linalg.norm(steps, axis=1))))
    return GroundPath(places, heights, lengths, np.arctan2(steps[:, 1], steps[:, 0]), closed)
