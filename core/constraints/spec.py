# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints of a result beside its length: poses, the path of the root, loops (paper, section 5)."""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..motion.motion import Motion


class Loop(Enum):
    """Kinds of loops, in which the last frame leads to the first.

    The result has one frame more than was asked for: the first one again, where the next round begins.

    >>> synthesize(prepared, 60, constraints=Constraints(loop=Loop.IN_PLACE)).motion.frames
    61
    """

    OFF = "OFF"
    TRAVEL = "TRAVEL"
    """It does, and each round begins where the one before ended."""
    IN_PLACE = "IN_PLACE"
    """It does, and the travel is taken out, as on a treadmill."""


@dataclass(frozen=True, eq=False)
class PoseConstraint:
    """Poses that the result takes as they are.

    motion: F frames, as long as the result, on the examples' skeleton and with their channels; only what is held
    counts.
    joints: `(F, J)` which joints hold their rotation, translation and scale at which frames. The joint that carries the
    travel holds how it stands and its height; where it is and which way it faces only where `place` says so.
    place: `(F,)` at which frames the character stands and faces where `motion` does.
    Raises InputError for masks of other shapes (paper, section 5: key frames, and parts that are given).

    >>> joints = np.zeros((60, 2), bool)
    >>> joints[20] = True
    >>> pinned = Constraints(poses=PoseConstraint(swing, joints, place=np.zeros(60, bool)))
    >>> motion = synthesize(prepared, 60, constraints=pinned).motion
    >>> bool(np.allclose(motion.rotations[20], swing.rotations[20], atol=1e-6))
    True
    """

    motion: Motion
    joints: NDArray[np.bool_]
    place: NDArray[np.bool_]

    def __post_init__(self) -> None:
        frames, count = self.motion.frames, len(self.motion.skeleton.names)
        if self.joints.shape != (frames, count) or self.place.shape != (frames,):
            raise InputError(f"What is held needs {frames} frames of {count} joints.")

    @property
    def frames(self) -> NDArray[np.int64]:
        """The frames at which anything is held, ascending."""
        return np.flatnonzero(self.joints.any(axis=1) | self.place)


@dataclass(frozen=True, eq=False)
class RootPath:
    """The way that the root takes, its natural sway beside it.

    points: `(M, 3)` densely sampled, in the space that the skeleton's roots live in. closed: the last leads to the
    first.
    progress: `(F,)` how far along the way, 0 to 1, the root is at each frame; None: as the motion goes by itself.
    arrives: with the last frame the root is at the end: the whole way in the given time (without progress only).
    along: the character faces along the way, as it faces along its own in the examples; otherwise as it did.
    climbs: the height follows that of the points, relative to the first one's.
    Raises InputError for fewer than two points, and for such as are not finite (paper, section 5: trajectories).

    >>> path = RootPath(np.array([[0.0, 0.0, 0.0], [0.0, 2.0, 0.0]]), arrives=True, along=False)
    >>> motion = synthesize(prepared, 60, constraints=Constraints(path=path)).motion
    >>> ends = motion.pose()[1][[0, -1], 0]
    >>> round(float(np.linalg.norm(ends[1] - ends[0])), 2)
    2.0
    """

    points: NDArray[np.float64]
    closed: bool = False
    progress: NDArray[np.float64] | None = None
    arrives: bool = False
    along: bool = True
    climbs: bool = False

    def __post_init__(self) -> None:
        if self.points.ndim != 2 or self.points.shape[1] != 3 or len(self.points) < 2:
            raise InputError("A path needs two points or more.")
        if not np.isfinite(self.points).all():
            raise InputError("The path has a point that is not a finite number; repair the curve.")


@dataclass(frozen=True, eq=False)
class Constraints:
    """All that a result is held to; nothing by default.

    poses: of as many frames as the result. `synthesize` raises InputError where they contradict each other.

    >>> Constraints(loop=Loop.TRAVEL).poses is None
    True
    """

    poses: PoseConstraint | None = None
    path: RootPath | None = None
    loop: Loop = Loop.OFF


NOTHING = Constraints()
