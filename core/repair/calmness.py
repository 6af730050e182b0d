# SPDX-License-Identifier: GPL-3.0-or-later
"""Repairs that leave a body as calm as it was: no flaw is worth a jerk."""

import numpy as np

from ..motion.motion import Motion, joint_accelerations

LIVELIEST = 1.5
"""Largest factor by which a repair may raise the highest acceleration of a body, or of each of its joints."""


def is_calm(before: Motion, repaired: Motion, first: int, last: int, most: float = LIVELIEST) -> bool:
    """Return whether a motion was repaired from frame `first` to `last`, both included, without a jerk.

    Either its highest acceleration at these frames is at most `most` times that before, or the highest of each joint is
    at most so many times that of the same joint anywhere.

    >>> is_calm(swing, swing, 10, 20)
    True
    """
    near = slice(max(first - 2, 0), min(last + 3, before.frames))
    now, then = (joint_accelerations(motion.slice(near.start, near.stop)) for motion in (repaired, before))
    if now.max(initial=0.0) <= most * then.max(initial=0.0):
        return True
    anywhere = joint_accelerations(before).max(axis=0, initial=0.0)
    return bool(np.all(now <= most * anywhere))
