# SPDX-License-Identifier: GPL-3.0-or-later
"""Division of many frames into pieces that fit into a cache, so that intermediate arrays stay small."""

from collections.abc import Iterator

PIECE = 4096
"""Number of frames computed at once: some 30 kB for each component of a joint."""


def pieces(frames: int) -> Iterator[slice]:
    """Yield the slices of at most PIECE frames that make up `frames`, in order.

    >>> [piece.stop for piece in pieces(5000)]
    [4096, 5000]
    """
    for first in range(0, frames, PIECE):
        yield slice(first, min(first + PIECE, frames))
