# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences of joints' values from frame to frame."""

import numpy as np

from ..arrays import Float64
from ..motion import rotations
from ..motion.motion import Motion

MOST_OF_TIME = 0.5
"""Share of a motion's frames above which a joint that trembles, or is still, is so as a rule and not by a flaw."""


def off_chords(motion: Motion, inside: int) -> Float64:
    """Return the offsets `(T - inside - 1, inside, J, 3)` of frames from chords between frames `inside + 1` apart.

    They are turns in radians, or moves in sizes if these are larger.
    """
    span = inside + 1
    turned = motion.rotations.astype(np.float64)
    places = motion.translations.astype(np.float64) / motion.skeleton.size
    deviations = np.zeros((max(motion.frames - span, 0), inside, turned.shape[1], 3))
    for step in range(1, span):
        share = step / span
        middle = rotations.slerp(turned[:-span], turned[span:], np.full(turned[span:].shape[:2], share))
        angles = rotations.to_vector(rotations.multiply(rotations.inverse(middle), turned[step : step - span]))
        moves = places[step : step - span] - (1 - share) * places[:-span] - share * places[span:]
        larger = np.linalg.norm(moves, axis=2) > np.linalg.norm(angles[:, motion.translated], axis=2)
        angles[:, motion.translated] = np.where(larger[..., None], moves, angles[:, motion.translated])
        deviations[:, step - 1] = angles
    return deviations


def steps_of(motion: Motion) -> Float64:
    """Return the change `(T, J)` of each joint from the frame before, in radians or sizes; 0 at the first frame."""
    steps = np.zeros(motion.rotations.shape[:2])
    steps[1:] = rotations.angle_between(motion.rotations[:-1].astype(np.float64), motion.rotations[1:])
    moves = np.linalg.norm(np.diff(motion.translations.astype(np.float64), axis=0), axis=2) / motion.skeleton.size
    steps[1:, motion.translated] = np.maximum(steps[1:, motion.translated], moves)
    return steps


def around(values: Float64, reach: int) -> Float64:
    """Return the values `(T, J, 2 reach + 1)` around each frame; the first and last values are repeated."""
    padded = np.pad(values, ((reach, reach), (0, 0)), mode="edge")
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, axis=0)
