# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparison of motions and of numbers: the same joints, channels, rest pose and rate, and equal up to rounding."""

from collections.abc import Sequence

import numpy as np

from ..errors import InputError
from . import rotations
from .motion import Motion
from .skeleton import SAME_PLACE, Skeleton

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


def same_channels(motion: Motion, other: Motion) -> bool:
    """Return whether two motions have the same joints and channels.

    >>> same_channels(swing, swing)
    True
    """
    return (
        motion.skeleton.names == other.skeleton.names
        and np.array_equal(motion.skeleton.parents, other.skeleton.parents)
        and np.array_equal(motion.translated, other.translated)
        and np.array_equal(motion.scaled, other.scaled)
        and motion.scalar_names == other.scalar_names
    )


def same_rest_pose(skeleton: Skeleton, other: Skeleton) -> bool:
    """Return whether the joints of two skeletons rest in the same places.

    >>> same_rest_pose(skeleton, skeleton)
    True
    """
    if skeleton is other:
        return True
    # A turn of so many radians moves what is the body's size away by as much.
    turned = rotations.angle_between(skeleton.rest_rotations, other.rest_rotations).max(initial=0.0)
    moved = np.abs(skeleton.rest_translations - other.rest_translations).max(initial=0.0)
    return bool(turned < SAME_PLACE and moved < SAME_PLACE * other.size)
