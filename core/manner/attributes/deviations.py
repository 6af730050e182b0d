# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations as a slow posture plus deviations from it, which can be scaled."""

from collections.abc import Sequence

import numpy as np

from ...arrays import Array, Float64
from ...motion import rotations
from ...motion.filters import smooth
from ...motion.motion import Motion
from ..style_free_rows import mean_rotations

POSTURE_SECONDS = 0.5
"""Deviation, in seconds, of the Gaussian that separates the posture from swings around it. Of a swing once a second,
less than a hundredth is left in the posture."""
FARTHEST = 0.9 * np.pi
"""Largest scaled rotation, in radians; a larger one would come back from the other side."""


def deviations(motion: Motion, joints: Sequence[int]) -> tuple[Float64, Float64, Float64]:
    """Return mean rotations `(K, 4)` of joints, their slow posture `(T, K, 3)`, and deviations `(T, K, 3)` from it.

    Posture and deviations are rotation vectors about the means, in radians.
    """
    turns: Float64 = np.asarray(rotations.make_continuous(motion.rotations[:, list(joints)].astype(np.float64)))
    mean = mean_rotations(turns)
    away: Float64 = np.asarray(rotations.to_vector(rotations.multiply(rotations.inverse(mean), turns)), np.float64)
    columns = away.reshape(len(away), -1)
    posture = smooth(columns, POSTURE_SECONDS, motion.frames_per_second).reshape(away.shape)
    return mean, posture, away - posture


def swing_of(motion: Motion, joints: Sequence[int]) -> float:
    """Return the root mean square deviation of joints from their posture, in degrees."""
    deviation = deviations(motion, joints)[2]
    return float(np.degrees(np.sqrt(np.mean(np.sum(deviation**2, axis=2)))))


def scaled_swing(motion: Motion, joints: Sequence[int], gain: float) -> Motion:
    """Return a motion whose joints deviate `gain` times as far from their posture."""
    mean, posture, deviation = deviations(motion, joints)
    away = posture + gain * deviation
    lengths = np.linalg.norm(away, axis=2, keepdims=True)
    away = away * np.minimum(1.0, FARTHEST / np.maximum(lengths, FARTHEST))
    turned = rotations.normalize(rotations.multiply(mean, rotations.from_vector(away)))
    return with_rotations(motion, joints, turned)


def with_rotations(motion: Motion, joints: Sequence[int], turned: Array) -> Motion:
    """Return a motion with new rotations `(T, K, 4)` of some joints."""
    quaternions = motion.rotations.copy()
    before = quaternions[:, list(joints)]
    # Quaternions keep the signs of the recorded ones, so that neighboring keys do not oppose each other.
    signs = np.where(np.sum(turned * before, axis=2, keepdims=True) < 0, -1.0, 1.0)
    quaternions[:, list(joints)] = (turned * signs).astype(np.float32)
    return motion.with_channels(
        motion.channels() | {"rotations": rotations.make_continuous(quaternions).astype(np.float32)}
    )
