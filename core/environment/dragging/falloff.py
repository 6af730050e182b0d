# SPDX-License-Identifier: GPL-3.0-or-later
"""Falloff over time of the movement of a dragged joint; it ends before other contacts of that joint."""

import numpy as np

from ...arrays import Float64, Mask
from ...motion.spans import spans
from ..reach.approach import minimum_jerk


def falloff(frame: int, reach: int, contacts: Mask) -> Float64:
    """Return the weights `(T,)` of a drag: 1 at `frame`, falling to 0 beyond `reach` frames before and after it.

    contacts: `(T,)` frames at which the dragged joint itself stands. A contact moves as a whole, with the reach counted
    from its ends, or not at all: the weights fall to 0 before the next one.

    >>> falloff(2, 1, np.zeros(5, bool)).tolist()
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    own = next((span for span in spans(contacts) if span[0] <= frame < span[1]), (frame, frame + 1))
    at, standing = np.arange(len(contacts)), np.flatnonzero(contacts)
    before, after = standing[standing < own[0]], standing[standing >= own[1]]
    length = min(reach + 1, own[0] - int(before[-1]) if len(before) else reach + 1)
    length_after = min(reach + 1, int(after[0]) - own[1] + 1 if len(after) else reach + 1)
    shares = np.maximum((own[0] - at) / length, (at - own[1] + 1) / length_after)
    return minimum_jerk(np.clip(shares, 0.0, 1.0))
