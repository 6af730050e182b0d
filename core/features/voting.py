# SPDX-License-Identifier: GPL-3.0-or-later
"""Average voting: overlapping patches, and overlapping parts, agree on one value (paper, section 3.3)."""

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]

ROWS_AT_ONCE = 1024
"""Rows whose votes are added at once."""


def average_votes(examples: Rows, chosen: NDArray[np.int64], length: int) -> Rows:
    """Return rows `(F, C)`: each the mean of what the patches over it say.

    chosen: `(F - p + 1,)`, the example frame at which each patch starts. length: p.
    """
    patches = len(chosen)
    total = np.zeros((patches + length - 1, examples.shape[1]), np.float32)
    # So many rows at once as a cache holds: of a long result, each round would go through memory anew, in three times
    # the time.
    for first in range(0, len(total), ROWS_AT_ONCE):
        end = min(first + ROWS_AT_ONCE, len(total))
        for frame in range(length):
            low, high = max(first - frame, 0), max(min(end - frame, patches), 0)
            total[low + frame : high + frame] += examples.take(chosen[low:high] + frame, axis=0)
    rows = np.arange(1, len(total) + 1)
    votes = np.minimum(np.minimum(rows, rows[::-1]), min(length, patches))
    total /= votes[:, None].astype(np.float32)
    return total


def count_votes(chosen: NDArray[np.int64], length: int, example_frames: int) -> Rows:
    """Return the share `(F, N)` of the patches over each frame that vote for each example frame."""
    patches = len(chosen)
    votes = np.zeros((patches + length - 1, example_frames), np.float32)
    for frame in range(length):
        votes[np.arange(frame, frame + patches), chosen + frame] += 1.0
    return np.asarray(votes / votes.sum(axis=1, keepdims=True))
