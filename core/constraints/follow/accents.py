# SPDX-License-Identifier: GPL-3.0-or-later
"""Accents of a motion: the moments at which the body comes to rest between two movements.

They are the local minima of the joints' mean speed (kinematic beats; Lee et al. 2019, Li et al. 2021).
"""

from collections.abc import Sequence

import numpy as np

from ...arrays import Float64, Int64
from ...motion import rotations
from ...motion.filters import smooth
from ...motion.motion import Motion

SMOOTHING_SECONDS = 5.0 / 60.0
"""Deviation, in seconds, of the Gaussian over the speed (Li et al. 2021: 5 frames at 60 fps)."""


def accents(motion: Motion) -> Int64:
    """Return the frames `(K,)`, ascending, of a motion's accents; none for motions of fewer than three frames.

    >>> still = swing.take(np.zeros(30, np.int64))
    >>> len(accents(swing)) > 0, len(accents(still))
    (True, 0)
    """
    speed = mean_speed(motion)
    inner = (speed[1:-1] < speed[:-2]) & (speed[1:-1] <= speed[2:])
    return np.flatnonzero(inner) + 1


def mean_speed(motion: Motion, joints: Sequence[int] | None = None) -> Float64:
    """Return the smoothed mean speed `(T,)` of joints, in units per second; joints: None for all."""
    if motion.frames < 2:
        return np.zeros(motion.frames)
    rate = motion.frames_per_second
    chosen = slice(None) if joints is None else list(joints)
    positions = motion.pose()[1][:, chosen].astype(np.float64)
    steps = rotations.lengths(np.diff(positions, axis=0)).mean(axis=1) * rate
    # A step lies between two frames; the mean of the steps before and after is the speed at a frame.
    speed = 0.5 * (np.append(steps[:1], steps) + np.append(steps, steps[-1:]))
    return np.asarray(smooth(speed[:, None], SMOOTHING_SECONDS, rate)[:, 0])
