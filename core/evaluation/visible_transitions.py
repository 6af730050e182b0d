# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions that may show: how far the poses around each, crossfaded, are from anything in the examples."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from ..motion.motion import Motion

Array = NDArray[np.floating]
Frames = NDArray[np.int64]

HALF_WINDOW_SECONDS = 1 / 6
"""Half the window around a transition that is compared, as where transitions are planned."""
UNIT_SECONDS = 1 / 15
"""The examples' own movement in this time is the unit of gaps: a gap of 1 is such a pose away."""
VISIBLE_GAP = 1.5
"""A transition with a larger gap may show. Windows of other takes of the same movement, by the same actor, are no
farther from a first take in 95 of 100: 0.6 for runs and walks, 1.0 for turns, 1.1 for a raised hand, 1.5 for waves
(99 of 100: 0.6 to 1.6; five actions of the Bandai Namco data set, five takes each). Crossfades of walks have 0.2 to 0.4
on the median, those that are seen at once (a hand that waves, cut to one that hangs) 2 to 4."""
LEAST_REACH = 0.02
"""A joint counts by what it moves, at least by this share of the skeleton's size."""
MOST_PAIRS = 4_000_000
"""So many distances of frames are in memory at a time (16 MB)."""


def transition_gaps(
    result: Motion, transitions: Frames, examples: Sequence[Motion], joints: Sequence[int] | None = None
) -> Array:
    """Return for each of X transitions how far the poses around it are from the nearest of the examples.

    The distance `(X,)` from a window of the result to the nearest window of an example: root mean square over its
    frames of the joints' rotations, each weighed by how far it reaches, in multiples of how far the examples move in
    UNIT_SECONDS. result, examples: with the heading taken out where it is free, at one rate. transitions: `(X,)` the
    first frames after each. joints: only these are compared.

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
        most = max(1, MOST_PAIRS // (length * max(len(rows) for rows in every)))
        for first in range(0, len(starts), most):
            some = starts[first : first + most]
            frames = some[:, None] + np.arange(length)
            windows = _rows(result.take(frames.ravel()), joints)
            gaps[first : first + most] = np.min([_nearest(windows, rows, length) for rows in every], axis=0)
    return np.asarray(gaps / unit)


def _rows(motion: Motion, joints: Sequence[int] | None) -> NDArray[np.float32]:
    """Return the rotation matrices of the joints as rows, each weighed by its reach."""
    chosen = slice(None) if joints is None else list(joints)
    size = motion.skeleton.size
    # Two rotations by a small angle apart differ by that angle times the root of 2 (Frobenius).
    weights = np.maximum(motion.skeleton.reaches, LEAST_REACH * size)[chosen] / (size * np.sqrt(2.0))
    matrices = rotations.to_matrix(motion.rotations[:, chosen]) * weights[:, None, None]
    return np.asarray(matrices.reshape(motion.frames, -1), np.float32)


def _movement(every: Sequence[NDArray[np.float32]], rate: float) -> float:
    """Return how far the examples move in UNIT_SECONDS, root mean square; never zero."""
    lag = max(1, round(UNIT_SECONDS * rate))
    squares = [np.square(rows[lag:] - rows[:-lag]).sum(axis=1) for rows in every]
    together = np.concatenate(squares)
    mean = float(together.mean()) if len(together) else 0.0
    return max(float(np.sqrt(mean)) * UNIT_SECONDS * rate / lag, 1e-6)


def _nearest(windows: NDArray[np.float32], rows: NDArray[np.float32], length: int) -> Array:
    """Return the distance of each window (`length` rows of `windows` each) from the nearest of an example's rows."""
    squares = np.square(windows).sum(axis=1)[:, None] + np.square(rows).sum(axis=1) - 2.0 * (windows @ rows.T)
    squares = squares.reshape(-1, length, len(rows))
    count = len(rows) - length + 1
    sums = np.sum([squares[:, row, row : row + count] for row in range(length)], axis=0)
    return np.asarray(np.sqrt(np.maximum(sums.min(axis=1), 0.0) / length))
