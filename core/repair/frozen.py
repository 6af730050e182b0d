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
OFTEN = 3
"""A joint that comes to rest with the same values in so many stretches is not lost in any of them ..."""
SAME = 1e-4
"""... where its values, of unit quaternions or in sizes, differ by less than this."""
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
        resting = spans(same[:, joint])
        stops = _rests_often(motion, joint, [first for first, _ in resting])
        for (first, end), stop in zip(resting, stops, strict=True):
            # The frames from `first - 1` to `end - 1` are the same; at `end` the joint is found again.
            if stop or end - first < least or end >= motion.frames or steps[end, joint] < jump:
                continue
            begin = first if steps[first - 1, joint] < jump else first - 1
            if begin > 0:
                found[begin:end, joint] = True
    return found


def _rests_often(motion: Motion, joint: int, firsts: list[int]) -> list[bool]:
    """Return of each stretch in which a joint stays the same whether it does so in others with the same values.

    A toe or an elbow that comes to the end of its range rests there again and again; a marker is lost anywhere.
    """
    values = motion.rotations[firsts, joint].astype(np.float64)
    if joint in motion.translated:
        places = motion.translations[firsts, list(motion.translated).index(joint)] / motion.skeleton.size
        values = np.concatenate([values, places], axis=1)
    often = np.zeros(len(firsts), bool)
    # What one rounding parts, at its border, the other one leaves together.
    for offset in (0.0, 0.5):
        rounded = np.floor(values / SAME + offset)
        _, numbers, counts = np.unique(rounded, axis=0, return_inverse=True, return_counts=True)
        often |= counts[numbers.reshape(-1)] >= OFTEN
    return often.tolist()


def _unchanged(motion: Motion) -> Mask:
    """Return where `(T, J)` a joint has the values of the frame before; joints with places of their own those too."""
    same = np.zeros(motion.rotations.shape[:2], bool)
    same[1:] = np.abs(np.diff(motion.rotations, axis=0)).max(axis=2) < STILL
    moved = np.abs(np.diff(motion.translations, axis=0)).max(axis=2, initial=0.0) / motion.skeleton.size
    same[1:, motion.translated] &= moved < STILL
    return same
