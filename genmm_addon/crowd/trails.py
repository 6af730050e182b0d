# SPDX-License-Identifier: GPL-3.0-or-later
"""Trails: the paths of motions over the ground of the world."""

from dataclasses import dataclass

import numpy as np

from ..animation.points import placed
from ..character.skin import Skin, reach_of
from ..core import Float64, Int64, Motion
from ..core.motion import RootPlan, place_and_heading

AHEAD_SECONDS = 1.0
"""Time over which steps average out, for the direction in which a character sets out and for its speed, in seconds:
about two steps."""
GOES = 0.1
"""Least distance covered in that time, as a share of the size, for the character to count as traveling."""


@dataclass(frozen=True, eq=False)
class Trail:
    """The trail of a motion: ground `(T, 2)` positions of its root, and the directions in which it looks.

    reach: `(T,)` how far the skin extends from the root on the ground. directions: `(T,)` from each frame, in radians
    from the world's X. looks: the angle to add to a heading for such a direction.
    """

    ground: Float64
    reach: Float64
    directions: Float64
    looks: float


def trail_of(motion: Motion, root: RootPlan, skin: Skin, space: Float64, looks: float) -> Trail:
    """Return the trail of a motion.

    space: the matrix `(4, 4)` from the space of the skeleton's roots to the world.
    """
    ground, headings = _ground_and_headings(motion, root, space)
    later = _later(motion)
    first = np.maximum(later - _ahead(motion), 0)
    # The hips sway with each step, so headings are averaged over the time ahead.
    total = np.concatenate(([0.0], np.cumsum(headings)))
    directions = (total[later + 1] - total[first]) / (later + 1 - first) + looks
    return Trail(ground, reach_of(motion, root.joint, skin, space), directions, looks)


def looks_of(motion: Motion, root: RootPlan, space: Float64) -> float | None:
    """Return the mean angle from a motion's headings to its directions of travel; None if it stays in place."""
    ground, headings = _ground_and_headings(motion, root, space)
    ways = ground[_later(motion)] - ground
    size = motion.skeleton.size * float(np.linalg.norm(space[2, :3]))
    ways = np.where((np.linalg.norm(ways, axis=1) > GOES * size)[:, None], ways, 0.0)
    cosine, sine = np.cos(headings), np.sin(headings)
    ahead = float((cosine * ways[:, 0] + sine * ways[:, 1]).sum())
    aside = float((cosine * ways[:, 1] - sine * ways[:, 0]).sum())
    return float(np.arctan2(aside, ahead)) if ahead or aside else None


def front_of(space: Float64) -> float:
    """Return the direction in which a character looks at rest: along -Y, towards Blender's front view."""
    return float(np.arctan2(-space[1, 1], -space[0, 1]))


def _ground_and_headings(motion: Motion, root: RootPlan, space: Float64) -> tuple[Float64, Float64]:
    positions, headings = place_and_heading(motion, root)
    return placed(space, positions)[:, :2], headings


def _later(motion: Motion) -> Int64:
    """Return for each frame the last one of the time that lies ahead of it."""
    return np.minimum(np.arange(motion.frames) + _ahead(motion), motion.frames - 1)


def _ahead(motion: Motion) -> int:
    return max(round(AHEAD_SECONDS * motion.frames_per_second), 1)
