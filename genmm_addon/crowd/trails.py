# SPDX-License-Identifier: GPL-3.0-or-later
"""Trails: the paths of motions over the ground of the world."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core import Motion
from ..core.motion import RootPlan, place_and_heading

Float64 = NDArray[np.float64]

FRONT = -np.pi / 2
"""Direction of a character that faces -Y, in radians from X: towards Blender's front view."""
AHEAD_SECONDS = 1.0
"""Time over which the direction in which a character sets out is measured, in seconds."""
GOES = 0.1
"""Least distance covered in that time, as a share of the size, for the character to count as traveling."""


@dataclass(frozen=True, eq=False)
class Trail:
    """The trail of a motion: ground `(T, 2)` positions of its root, and its directions of setting out.

    directions: `(T,)` from each frame, in radians from the world's X. looks: the angle
    to add to a heading for such a direction.
    """

    ground: Float64
    directions: Float64
    looks: float


def trail_of(motion: Motion, root: RootPlan, space: Float64, example: Trail | None = None) -> Trail:
    """Return the trail of a motion; while it stays in place, it faces as the example does at first, apart from turns.

    space: the matrix `(4, 4)` from the space of the skeleton's roots to the world. example: the example's own trail;
    None for the example itself, which faces the front while it stays.
    """
    positions, headings = place_and_heading(motion, root)
    ground = np.asarray((positions @ space[:3, :3].T + space[:3, 3])[:, :2])
    ahead = max(round(AHEAD_SECONDS * motion.frames_per_second), 1)
    later = np.minimum(np.arange(len(ground)) + ahead, len(ground) - 1)
    displacements = ground[later] - ground[np.maximum(later - ahead, 0)]
    travels = np.linalg.norm(displacements, axis=1) > GOES * motion.skeleton.size * float(np.linalg.norm(space[2, :3]))
    directions = np.arctan2(displacements[:, 1], displacements[:, 0])
    own = directions[0] if travels[0] else FRONT
    looks = float(own - headings[0]) if example is None else example.looks
    return Trail(ground, np.where(travels, directions, headings + looks), looks)
