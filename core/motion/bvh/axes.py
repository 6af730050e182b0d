# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes of motion files relative to Blender's, and detection of the up axis of BVH files; uses NumPy alone."""

import numpy as np

from ...arrays import Array, Float64, Int64

Axes = Float64

Z_UP: Axes = np.eye(3)
Y_UP: Axes = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
"""Rotation from Blender's axes to those of a file in which Y points up and characters face Z."""


def lies_down(positions: Array, parents: Int64) -> bool:
    """Return whether a motion's up axis is Z instead of Y.

    The body is then much taller along Z than along Y, and its lowest points stay near zero on Z. positions: `(T, J, 3)`
    of joints in the file's axes. parents: `(J,)` of the joints.

    >>> lies_down(np.array([[[0.0, 0.0, 1.0], [0.0, 0.0, 1.8], [0.0, 0.0, 0.0]]]), np.array([-1, 0, 0]))
    True
    """
    # A root that stays at the origin is only a reference, not part of the body, and has a zero on every axis.
    of_body = (parents >= 0) | (np.ptp(positions, axis=0).max(axis=-1) > 0)
    if of_body.any():
        positions = positions[:, of_body]
    tallness = np.median(np.ptp(positions, axis=1), axis=0)
    lowest = positions[..., 2].min(axis=1)
    stands = abs(lowest.min()) < 0.15 * tallness[2] and lowest.std() < 0.1 * tallness[2]
    return bool(stands and tallness[2] > 1.5 * tallness[1])
