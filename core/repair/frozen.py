# SPDX-License-Identifier: GPL-3.0-or-later
"""Lost markers: joints whose values stay exactly the same for a while and then jump."""

import numpy as np

from ..arrays import Mask
from ..examples.takes import LEAST_JUMP
from ..motion.comparing import ROUNDING
from ..motion.motion import Motion
from ..motion.spans import spans
from .differences import MOST_OF_TIME, steps_of

LOST_SECONDS = 0.12
"""Shortest time, in seconds, with unchanged values for which a joint counts as lost."""
OFTEN = 3
"""Number of stretches with the same unchanged values from which a joint does not count as lost in any of them."""


def frozen_frames(motion: Motion) -> Mask:
    """Return a mask `(T, J)` of the frames at which joints are lost.

    >>> bool(frozen_frames(swing).any())
    False
    """
    frozen = np.zeros(motion.rotations.shape[:2], bool)
    steps = steps_of(motion)
    same = _unchanged(motion)
    least = max(2, round(LOST_SECONDS * motion.frames_per_second))
    # A joint that is mostly still is keyed in steps, or does not move.
    for joint in np.flatnonzero(same.any(axis=0) & (same.mean(axis=0) < MOST_OF_TIME)).tolist():
        resting = spans(same[:, joint])
        stops = _rests_often(motion, joint, [first for first, _ in resting])
        for (first, end), stop in zip(resting, stops, strict=True):
            # The frames from `first - 1` to `end - 1` are the same; at `end` the joint is found again.
            if stop or end - first < least or end >= motion.frames or steps[end, joint] < LEAST_JUMP:
                continue
            begin = first if steps[first - 1, joint] < LEAST_JUMP else first - 1
            if begin > 0:
                frozen[begin:end, joint] = True
    return frozen


def _rests_often(motion: Motion, joint: int, firsts: list[int]) -> list[bool]:
    """Return for each stretch of unchanged values whether the joint has the same values in several of them.

    A toe or an elbow rests at the end of its range again and again, but a marker is lost anywhere.
    """
    values = motion.rotations[firsts, joint].astype(np.float64)
    if joint in motion.translated:
        places = motion.translations[firsts, list(motion.translated).index(joint)] / motion.skeleton.size
        values = np.concatenate([values, places], axis=1)
    often = np.zeros(len(firsts), bool)
    # Values that one rounding separates at a cell's border are together in the other rounding.
    for offset in (0.0, 0.5):
        rounded = np.floor(values / ROUNDING + offset)
        _, numbers, counts = np.unique(rounded, axis=0, return_inverse=True, return_counts=True)
        often |= counts[numbers.reshape(-1)] >= OFTEN
    return often.tolist()


def _unchanged(motion: Motion) -> Mask:
    """Return a mask `(T, J)` of joints with the values of the frame before, translations included."""
    same = np.zeros(motion.rotations.shape[:2], bool)
    same[1:] = np.abs(np.diff(motion.rotations, axis=0)).max(axis=2) < ROUNDING
    moved = np.abs(np.diff(motion.translations, axis=0)).max(axis=2, initial=0.0) / motion.skeleton.size
    same[1:, motion.translated] &= moved < ROUNDING
    return same
