# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions that fill a gap, the windows they are taken from, and the costs of durations."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Float64, Int64
from ..motion.motion import Motion


@dataclass(frozen=True, eq=False)
class Filling:
    """A motion through a gap: its first frame is the pose before, its last one the pose after.

    clip: the number of the motion it is from. first, length: its first frame there, and the number of frames after
    which it ends; this differs from the gap's if it plays faster or slower. cost: squared distance of poses, in sizes.

    >>> Filling(swing.slice(10, 32), clip=0, first=10, length=21, cost=0.0).motion.frames
    22
    """

    motion: Motion
    clip: int
    first: int
    length: int
    cost: float


@dataclass(frozen=True, eq=False)
class GapWindow:
    """A stretch of an index that could fill a gap: its first frame among all, its length in frames, and its cost."""

    start: int
    length: int
    cost: float


@dataclass(frozen=True, eq=False)
class DurationCosts:
    """The least cost `(D,)` of each duration `(D,)`, in frames from pose to pose; infinite if no clip is as long.

    >>> DurationCosts(np.array([10, 20]), np.array([0.3, 0.1])).best
    20
    """

    durations: Int64
    costs: Float64

    @property
    def best(self) -> int:
        """Return the duration of the least cost, in frames."""
        return int(self.durations[int(np.argmin(self.costs))])
