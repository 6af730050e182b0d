# SPDX-License-Identifier: GPL-3.0-or-later
"""Average voting: overlapping patches, and overlapping parts, agree on one value (paper, section 3.3)."""

import numpy as np

from ..arrays import Int64, Rows
from ..motion.piecewise import pieces


def average_votes(examples: Rows, chosen: Int64, length: int) -> Rows:
    """Return rows `(F, C)`, each the mean of the example rows of the patches over it.

    chosen: `(F - p + 1,)`, the example frame at which each patch starts. length: p.
    """
    patches = len(chosen)
    frames = patches + length - 1
    total, votes = np.zeros((frames, examples.shape[1]), np.float32), np.zeros((frames, 1), np.float32)
    # Only as many rows at once as fit into a cache: without blocks, each round over a long result reads all of it from
    # memory, which takes three times as long.
    for piece in pieces(*total.shape):
        for frame in range(length):
            low = max(piece.start - frame, 0)
            high = max(min(piece.stop - frame, patches), low)
            total[low + frame : high + frame] += examples.take(chosen[low:high] + frame, axis=0)
            votes[low + frame : high + frame] += 1.0
    total /= votes
    return total


def count_votes(chosen: Int64, length: int, example_frames: int) -> Rows:
    """Return the share `(F, N)` of the patches over each frame that vote for each example frame."""
    patches = len(chosen)
    votes = np.zeros((patches + length - 1, example_frames), np.float32)
    for frame in range(length):
        votes[np.arange(frame, frame + patches), chosen + frame] += 1.0
    return np.asarray(votes / votes.sum(axis=1, keepdims=True))
