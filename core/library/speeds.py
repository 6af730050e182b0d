# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds of the examples, which crossfades and poses must stay within."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Speeds:
    """Speeds of the examples, per frame of the full rate, and joint positions.

    highest_turns: `(J,)` the highest angular speed of each orientation, radians; highest_angular_accelerations: `(J,)`
    its highest
    change from frame to frame. highest: the highest speed of a joint.
    sampled: `(M,)` ascending frames at which `poses` `(M, J, 3)` says where the joints are, seen from the root, and
    `fastest` `(M,)` how fast the fastest one is.
    """

    highest_turns: Float32
    highest_angular_accelerations: Float32
    highest: float
    sampled: NDArray[np.int64]
    poses: Float32
    fastest: Float32

    def nearest_sample(self, frame: int) -> int:
        """The index of the sample at or before a frame."""
        return max(int(np.searchsorted(self.sampled, frame, side="right")) - 1, 0)
