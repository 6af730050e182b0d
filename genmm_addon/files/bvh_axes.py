# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes of motion files against Blender's, and of BVH files, which do not say which way is up; NumPy alone."""

import numpy as np
from numpy.typing import NDArray

Axes = NDArray[np.float64]

Z_UP: Axes = np.eye(3)
Y_UP: Axes = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
"""Turns Blender's axes into those of a file whose Y points up and whose characters face Z."""


def lies_down(positions: NDArray[np.floating], parents: NDArray[np.int64]) -> bool:
    """Return whether a motion's Z is up, not its Y: it is far taller that way and stands on that axis's zero.

    positions: `(T, J, 3)` of its joints in the file's axes; parents: `(J,)`.
    """
    # A root that stays at the origin as a reference is no part of the body, and stands on every axis's zero.
    of_body = (parents >= 0) | (np.ptp(positions, axis=0).max(axis=-1) > 0)
    if of_body.any():
        positions = positions[:, of_body]
    tallness = np.median(np.ptp(positions, axis=1), axis=0)
    lowest = positions[..., 2].min(axis=1)
    stands = abs(lowest.min()) < 0.15 * tallness[2] and lowest.std() < 0.1 * tallness[2]
    return bool(stands and tallness[2] > 1.5 * tallness[1])
