# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparison of motions and of numbers: the same joints, the same frame rate, and equal up to rounding."""

from collections.abc import Sequence

import numpy as np

from ..errors import InputError
from .motion import Motion

ROUNDING = 1e-5
"""Largest difference of numbers that are equal up to rounding in single precision, as a share of the largest; or in
their own unit if they are about one, as rotations, weights, and a path's cost per second are."""


def check_comparable(
    motion: Motion, joints: Sequence[str], rate: float | None, others: str, *, who: str = "The motion"
) -> None:
    """Raise InputError for a motion with other joints, or at another rate unless that is None.

    others, who: what is compared with the motion, and the motion, for the message.

    >>> check_comparable(swing, swing.skeleton.names, 24.0, "the examples")
    Traceback (most recent call last):
    genmm_addon.core.errors.InputError: The motion has another frame rate than the examples; resample one of them.
    """
    if motion.skeleton.names != tuple(joints):
        raise InputError(f"{who} has other joints than {others}; bring one onto the skeleton of the other.")
    if rate is not None and not np.isclose(motion.frames_per_second, rate, rtol=1e-4):
        raise InputError(f"{who} has another frame rate than {others}; resample one of them.")
