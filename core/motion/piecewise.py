# SPDX-License-Identifier: GPL-3.0-or-later
"""Division of many rows, such as frames, into pieces that fit into a cache, and rows that stand for all of them."""

from collections.abc import Iterator

import numpy as np

from ..arrays import Int64

PIECE, COLUMNS = 4096, 256
"""Number of rows in a piece, some 30 kB for each column, and of columns above which it is lower: a million values."""
CLIPS = 100
"""Number of clips, evenly spread, that stand for all clips of a library where each would take seconds in total."""
KEPT_BYTES = 96 << 20
"""Largest size, in bytes, of what is kept between several passes over the same data: blocks of distances, or poses (the
legs of a body over some 150,000 frames). What does not fit is computed again, so that memory stays linear."""
PAIRED = 256
"""Number of rows, evenly spread, that stand for all where each is compared with each, as moments of a signal with those
of the examples, or reflected joints with joints. It bounds the time of a transport plan between them to 0.2 s."""
SAMPLE = 10_000
"""Number of vectors, evenly spread, that stand for all. With twice as many, searches find less than 0.01 more of the
nearest ones, and no significant digit of a set's measures changes."""
MOMENTS = 32
"""Number of poses, evenly spread, that stand for a motion: of one that lasts some seconds, poses hardly change between
them."""


def pieces(rows: int, columns: int = 1) -> Iterator[slice]:
    """Yield the slices of at most PIECE rows, or fewer of many columns, that make up `rows`, in order.

    >>> [piece.stop for piece in pieces(5000)], [piece.stop for piece in pieces(5000, columns=512)]
    ([4096, 5000], [2048, 4096, 5000])
    """
    length = max(PIECE * COLUMNS // max(columns, COLUMNS), 1)
    for first in range(0, rows, length):
        yield slice(first, min(first + length, rows))


def evenly(count: int, most: int = CLIPS) -> Int64:
    """Return at most `most` numbers below `count`, evenly spread from the first to the last.

    >>> evenly(3, 32).tolist(), evenly(101, 3).tolist()
    ([0, 1, 2], [0, 50, 100])
    """
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))
