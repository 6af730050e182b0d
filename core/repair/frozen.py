# SPDX-License-Identifier: GPL-3.0-or-later
"""Lost markers: joints whose values stay exactly the same for a while, and jump then."""

import numpy as np

from ..motion.motion import Motion
from .spans import Mask, spans, steps_of

LOST_SECONDS = 0.12
"""A joint whose values stay the same for a shorter time is not lost."""
LEAST_JUMP = 0.03
"""Radians, or a share of the size, that a lost joint jumps when it is found again."""
JUMP_RATIO = 1.5
"""The jump is so many times the joint's usual step."""
STILL = 1e-6
"""Values that differ by less are the same."""
MOST_STILL = 0.5
"""A joint that stays the same for a larger share of the time is keyed in steps, or does not move."""


def frozen_frames(motion: Motion) -> Mask:
    """Return where `(T, J)` joints are lost.

    >>> bool(frozen_frames(swing).any())
    False
    """
    found = np.zeros(motion.rotations.shape[:2], bool)
    steps = steps_of(motion)
    same = _unchanged(motion)
    least = max(2, round(LOST_SECONDS * motion.frames_per_second))
    for joint in np.flatnonzero(same.any(axis=0) & (same.mean(axis=0) < MOST_STILL)).tolist():
        moving = steps[1:, joint][~same[1:, joint]]
        jump = max(LEAST_JUMP, JUMP_RATIO * float(np.median(moving)))
        for first, end in spans(same[:, joint]):
            # The frames from `first - 1` to `end - 1` are the same; at `end` the joint is found again.
            if end - first < least or end >= motion.frames or steps[end, joint] < jump:
                continue
            begin = first if steps[first - 1, joint] < jump else first - 1
            if begin > 0:
                found[begin:end, joint] = True
    return found


def _unchanged(motion: Motion) -> Mask:
    """Return where `(T, J)` a joint has the values of the frame before; joints with places of their own those too."""
    same = np.zeros(motion.rotations.shape[:2], bool)
    same[1:] = np.abs(np.diff(motion.rotations, axis=0)).max(axis=2) < STILL
    moved = np.abs(np.diff(motion.translations, axis=0)).max(axis=2, initial=0.0) / motion.skeleton.size
    same[1:, motion.translated] &= moved < STILL
    return same
