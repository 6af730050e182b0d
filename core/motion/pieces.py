# SPDX-License-Identifier: GPL-3.0-or-later
"""Many frames in pieces that a cache holds: what is computed on the way takes little memory, however many they are."""

from collections.abc import Iterator

PIECE = 4096
"""Frames that are computed at once: some 30 kB for each component of a joint."""


def pieces(frames: int) -> Iterator[slice]:
    """Yield slices of so many frames, one after another.

    >>> [piece.stop for piece in pieces(5000)]
    [4096, 5000]
    """
    for first in range(0, frames, PIECE):
        yield slice(first, min(first + PIECE, frames))
