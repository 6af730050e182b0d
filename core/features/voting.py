# SPDX-License-Identifier: GPL-3.0-or-later
"""Average voting: overlapping patches, and overlapping parts, agree on one value (paper, section 3.3)."""

import numpy as np

from ..arrays import Int64, Rows
from ..motion.piecewise import pieces


def average_votes(examples: Rows, chosen: Int64, length: int, first: int = 0, last: int | None = None) -> Rows:
    """Return rows `(F, C)`, each the mean of the example rows of the patches over it.

    chosen: `(F - p + 1,)`, the example frame at which each patch starts. length: p. first, last: the range of the F
    rows to return.
    """
    patches = len(chosen)
    last = patches + length - 1 if last is None else last
    total = np.zeros((last - first, examples.shape[1]), np.float32)
    # Only as many rows at once as fit into a cache: without blocks, each round over a long result reads all of it from
    # memory, which takes three times as long.
    for piece in pieces(*total.shape):
        begin, end = first + piece.start, first + piece.stop
        for frame in range(length):
            low = max(begin - frame, 0)
            high = max(min(end - frame, patches), low)
            total[low + frame - first : high + frame - first] += examples.take(chosen[low:high] + frame, axis=0)
    total /= votes_of_rows(patches, length, np.arange(first, last))[:, None]
    return total


def votes_of_rows(patches: int, length: int, rows: Int64) -> Rows:
    """Return the number `(X,)` of patches over each of some rows; patches: the number of all patches."""
    most = min(length, patches)
    return np.minimum(np.minimum(rows + 1, patches + length - 1 - rows), most).astype(np.float32)


def count_votes(chosen: Int64, length: int, example_frames: int) -> Rows:
    """Return the share `(F, N)` of the patches over each frame that vote for each example frame."""
    patches = len(chosen)
    votes = np.zeros((patches + length - 1, example_frames), np.float32)
    for frame in range(length):
        votes[np.arange(frame, frame + patches), chosen + frame] += 1.0
    return np.asarray(votes / votes.sum(axis=1, keepdims=True))
