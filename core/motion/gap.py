# SPDX-License-Identifier: GPL-3.0-or-later
"""A gap in a motion: the motion before it and after it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Float64
from ..errors import InputError
from .comparing import check_comparable
from .motion import Motion


@dataclass(frozen=True, eq=False)
class Gap:
    """Both sides of a gap: motions of one frame or more, at one rate.

    before: its last frame is the pose from which the filling begins. after: its first frame is the one where it ends.
    More frames, up to half a second, show the speed of the poses and the kind of motion.
    Raises InputError for a side without frames, and for sides of different skeletons or rates.

    >>> Gap(swing.slice(0, 20), swing.slice(40, 60)).before.frames
    20
    """

    before: Motion
    after: Motion

    def __post_init__(self) -> None:
        for side in (self.before, self.after):
            side.check_values("A side of the gap")
        if not self.before.frames or not self.after.frames:
            raise InputError("A gap needs a pose on each side; choose keys with motion before and after.")
        names, rate = self.before.skeleton.names, self.before.frames_per_second
        check_comparable(self.after, names, rate, "the motion before it", who="The motion after the gap")

    @cached_property
    def places(self) -> tuple[Float64, Float64]:
        """Return the places `(T, J, 3)` of all joints before the gap and after it."""
        before, after = (part.pose()[1].astype(np.float64) for part in (self.before, self.after))
        return before, after
