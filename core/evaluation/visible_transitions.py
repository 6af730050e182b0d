# SPDX-License-Identifier: GPL-3.0-or-later
"""Visible transitions: the distance of the crossfaded poses around each from the nearest poses of the examples."""

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Float32, Indices
from ..motion import rotations
from ..motion.motion import Motion
from ..motion.piecewise import pieces

HALF_WINDOW_SECONDS = 1 / 6
"""Half the length, in seconds, of the window that is compared around a transition; planning uses the same."""
UNIT_SECONDS = 1 / 15
"""Time, in seconds, in which the examples' own movement is the unit of gaps."""
VISIBLE_GAP = 1.5
"""Largest invisible gap, in units of movement. It is the largest of the distances within which 95 of 100 windows of
other takes of the same movement by the same actor are from a first take: 0.6 for runs and walks, 1.0 for turns, 1.1
for a raised hand, 1.5 for waves (99 of 100: 0.6 to 1.6; five actions of the Bandai Namco data set, five takes each).
The median gap of crossfades in walks is 0.2 to 0.4; obvious transitions (from a waving hand to a hanging one) have 2
to 4."""
LEAST_REACH = 0.03
"""Reach of a joint, as a share of the skeleton's size, above which its turns are visible in a body; fingers and toes
have less, and count as much as this."""


def transition_gaps(
    result: Motion, transitions: Indices, examples: Sequence[Motion], joints: Sequence[int] | None = None
) -> Array:
    """Return the distance `(X,)` of the poses around each transition from the nearest in the examples.

    It is the distance from a window of the result to the nearest window of an example: the root mean square over
    frames of the joints' rotations, each weighted by its reach, in units of the examples' movement in UNIT_SECONDS.
    result, examples: at one rate, without the heading if it is free. transitions: `(X,)` the first frame after each.
    joints: the joints that are compared; None is all.

    >>> bool(transition_gaps(swing, np.array([20, 40]), [swing]).max() < 0.01)
    True
    """
    rate, skeleton = result.frames_per_second, result.skeleton
    half = max(1, round(HALF_WINDOW_SECONDS * rate))
    every = [_rows(example, joints) for example in examples]
    unit = _movement(every, rate)
    length = min(2 * half, result.frames, *(example.frames for example in examples))
    starts = np.clip(transitions - length // 2, 0, result.frames - length)
    gaps = np.full(len(transitions), np.inf)
    if skeleton.names and len(transitions):
        for piece in pieces(len(starts), length * max(len(rows) for rows in every)):
            frames = starts[piece, None] + np.arange(length)
            windows = _rows(result.take(frames.ravel()), joints)
            gaps[piece] = np.min([_nearest(windows, rows, length) for rows in every], axis=0)
    return np.asarray(gaps / unit)


def _rows(motion: Motion, joints: Sequence[int] | None) -> Float32:
    """Return the rotation matrices of the joints as rows, each weighted by its reach."""
    chosen = slice(None) if joints is None else list(joints)
    size = motion.skeleton.size
    # Matrices of rotations that differ by a small angle differ by that angle times the root of 2 (Frobenius).
    weights = np.maximum(motion.skeleton.reaches, LEAST_REACH * size)[chosen] / (size * np.sqrt(2.0))
    matrices = rotations.to_matrix(motion.rotations[:, chosen]) * weights[:, None, None]
    return np.asarray(matrices.reshape(motion.frames, -1), np.float32)


def _movement(every: Sequence[Float32], rate: float) -> float:
    """Return the root mean square movement of the examples in UNIT_SECONDS; never zero."""
    lag = max(1, round(UNIT_SECONDS * rate))
    squares = [np.square(rows[lag:] - rows[:-lag]).sum(axis=1) for rows in every]
    together = np.concatenate(squares)
    mean = float(together.mean()) if len(together) else 0.0
    return max(float(np.sqrt(mean)) * UNIT_SECONDS * rate / lag, 1e-6)


def _nearest(windows: Float32, rows: Float32, length: int) -> Array:
    """Return the distance of each window (`length` rows of `windows` each) from the nearest of an example's rows."""
    squares = np.square(windows).sum(axis=1)[:, None] + np.square(rows).sum(axis=1) - 2.0 * (windows @ rows.T)
    squares = squares.reshape(-1, length, len(rows))
    count = len(rows) - length + 1
    sums = np.sum([squares[:, row, row : row + count] for row in range(length)], axis=0)
    return np.asarray(np.sqrt(np.maximum(sums.min(axis=1), 0.0) / length))
