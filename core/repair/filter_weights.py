# SPDX-License-Identifier: GPL-3.0-or-later
"""Blend weights of filtered joints against examples: the part of their distance that exceeds the filters' error.

The distance and the estimated error of one joint in one clip are largely chance. All joints together show how well the
examples represent a motion, so each joint's distance is mostly taken from all of them.
"""

import numpy as np

from ..arrays import Float64

POOLED = 0.8
"""Weight of all joints in the expected squared distance of one joint: chosen on seven clips with noise of 5 cm."""
LEAST = np.finfo(np.float64).tiny
"""Smallest divisor, so small that lengths may have any unit."""


def filter_weights(distances: Float64, errors: Float64) -> Float64:
    """Return the weights `(B,)` of filtered joints when they are blended with the examples, 0 to 1.

    distances: `(B,)` mean squared distances between both. errors: `(B,)` mean squared errors that remain after the
    filters, as estimated. Least squares over all joints give the distance that is usual for an error. A joint without
    error has the weight 1.

    >>> filter_weights(np.array([1.0, 1.0, 4.0]), np.array([1.0, 0.0, 4.0])).tolist()
    [0.0, 1.0, 0.0]
    """
    relative = errors / max(float(errors.max(initial=0.0)), LEAST)
    usual = relative * (relative @ distances) / max(float(relative @ relative), LEAST)
    expected = (1.0 - POOLED) * distances + POOLED * usual
    return np.asarray(np.clip(1.0 - errors / np.maximum(expected, LEAST), 0.0, 1.0))
