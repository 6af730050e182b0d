# SPDX-License-Identifier: GPL-3.0-or-later
"""Filtered joints against what examples say of them: as much of each is believed as exceeds the filters' own error.

What one joint of one clip tells of that is much by chance, and so is the error that is estimated for it. All joints
together tell how well the examples know a motion, and a joint is taken to go with the others for the most part.
"""

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

POOLED = 0.8
"""Share of a joint's squared distance that is told by all joints: chosen on seven clips with noise of 5 cm."""
LEAST = np.finfo(np.float64).tiny
"""The least divisor, so small that lengths may have any unit."""


def believed_shares(distances: Float64, errors: Float64) -> Float64:
    """Return how much `(B,)` of the way from examples to filtered joints is believed, 0 to 1.

    distances: `(B,)` their mean squared ones; errors: `(B,)` the mean squared errors that the filters are estimated to
    leave. The squares that go with the errors over all joints are told by least squares; a joint without any error is
    believed.

    >>> believed_shares(np.array([1.0, 1.0, 4.0]), np.array([1.0, 0.0, 4.0])).tolist()
    [0.0, 1.0, 0.0]
    """
    relative = errors / max(float(errors.max(initial=0.0)), LEAST)
    usual = relative * (relative @ distances) / max(float(relative @ relative), LEAST)
    expected = (1.0 - POOLED) * distances + POOLED * usual
    return np.asarray(np.clip(1.0 - errors / np.maximum(expected, LEAST), 0.0, 1.0))
