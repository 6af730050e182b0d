# SPDX-License-Identifier: GPL-3.0-or-later
"""Division of many frames into pieces that fit into a cache, so that intermediate arrays stay small."""

from collections.abc import Iterator

PIECE, JOINTS = 4096, 256
"""Number of frames in a piece, some 30 kB for each component of a joint, and of joints above which it is lower."""


def pieces(frames: int, joints: int = 1) -> Iterator[slice]:
    """Yield the slices of at most PIECE frames, or fewer of many joints, that make up `frames`, in order.

    >>> [piece.stop for piece in pieces(5000)], [piece.stop for piece in pieces(5000, joints=512)]
    ([4096, 5000], [2048, 4096, 5000])
    """
    length = max(PIECE * JOINTS // max(joints, JOINTS), 1)
    for first in range(0, frames, length):
        yield slice(first, min(first + length, frames))
