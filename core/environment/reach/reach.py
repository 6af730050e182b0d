# SPDX-License-Identifier: GPL-3.0-or-later
"""Places in the world that a joint reaches at some of a motion's frames."""

from dataclasses import dataclass

import numpy as np

from ...arrays import Float64, Int64, Mask
from ...errors import InputError
from ...motion.spans import spans


@dataclass(frozen=True, eq=False)
class Reach:
    """Places of one joint over T frames, and optionally its orientations there.

    joint: its number. active: `(T,)` the frames at which it shall be at a place. positions: `(T, 3)` the places, in the
    space of the roots; only those of active frames count. orientations: `(T, 4)` at the places; None leaves them free.
    said: name of the place in messages. Raises InputError for arrays of other shapes and for places that are not
    finite.

    >>> Reach(1, np.array([False, True]), np.zeros((2, 3))).stretches
    [(1, 2)]
    """

    joint: int
    active: Mask
    positions: Float64
    orientations: Float64 | None = None
    said: str = "The place"

    def __post_init__(self) -> None:
        frames = len(self.active)
        turns = (frames, 4) if self.orientations is None else self.orientations.shape
        if self.positions.shape != (frames, 3) or turns != (frames, 4):
            raise InputError(f"{self.said} needs a place for each of {frames} frames.")
        if not np.isfinite(self.positions[self.active]).all():
            raise InputError(f"{self.said} has an infinite or undefined location; move its object.")

    def __eq__(self, other: object) -> bool:
        """Return whether the other has the same joint, name, places and orientations."""
        if not isinstance(other, Reach) or (self.joint, self.said) != (other.joint, other.said):
            return False
        turns = [np.zeros(0) if reach.orientations is None else reach.orientations for reach in (self, other)]
        pairs = ((self.active, other.active), (self.positions, other.positions), (turns[0], turns[1]))
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)

    def __hash__(self) -> int:
        """Return a hash that is equal for equal places."""
        return hash((self.joint, self.said, self.active.tobytes()))

    @property
    def stretches(self) -> list[tuple[int, int]]:
        """Return the first frame of each stretch of active frames, and the frame after its last."""
        return spans(self.active)

    def at(self, frames: Int64 | slice) -> "Reach":
        """Return the places at some frames."""
        turns = None if self.orientations is None else self.orientations[frames]
        return Reach(self.joint, self.active[frames], self.positions[frames], turns, self.said)
