# SPDX-License-Identifier: GPL-3.0-or-later
"""Division of many rows, such as frames, into pieces that fit into a cache, so that intermediate arrays stay small."""

from collections.abc import Iterator

PIECE, COLUMNS = 4096, 256
"""Number of rows in a piece, some 30 kB for each column, and of columns above which it is lower: a million values."""


def pieces(rows: int, columns: int = 1) -> Iterator[slice]:
    """Yield the slices of at most PIECE rows, or fewer of many columns, that make up `rows`, in order.

    >>> [piece.stop for piece in pieces(5000)], [piece.stop for piece in pieces(5000, columns=512)]
    ([4096, 5000], [2048, 4096, 5000])
    """
    length = max(PIECE * COLUMNS // max(columns, COLUMNS), 1)
    for first in range(0, rows, length):
        yield slice(first, min(first + length, rows))
