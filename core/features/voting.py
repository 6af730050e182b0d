# SPDX-License-Identifier: GPL-3.0-or-later
"""Average voting: overlapping patches, and overlapping parts, agree on one value (paper, section 3.3)."""

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]


def average_votes(examples: Rows, chosen: NDArray[np.int64], length: int) -> Rows:
    """Return rows `(F, C)`: each the mean of what the patches over it say.

    chosen: `(F - p + 1,)`, the example frame at which each patch starts. length: p.
    """
    patches = len(chosen)
    total = np.zeros((patches + length - 1, examples.shape[1]), np.float32)
    votes = np.zeros(len(total), np.float32)
    for frame in range(length):
        total[frame : frame + patches] += examples[chosen + frame]
        votes[frame : frame + patches] += 1.0
    return total / votes[:, None]


def count_votes(chosen: NDArray[np.int64], length: int, example_frames: int) -> Rows:
    """Return the share `(F, N)` of the patches over each frame that vote for each example frame."""
    patches = len(chosen)
    votes = np.zeros((patches + length - 1, example_frames), np.float32)
    for frame in range(length):
        votes[np.arange(frame, frame + patches), chosen + frame] += 1.0
    return np.asarray(votes / votes.sum(axis=1, keepdims=True))
