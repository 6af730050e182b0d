# SPDX-License-Identifier: GPL-3.0-or-later
"""Patch distances, completeness normalization, nearest patches (paper, section 3.3, equations 1 and 2)."""

from collections.abc import Iterator

import numpy as np

from ..arrays import Int64, Mask, Rows
from ..motion.piecewise import KEPT_BYTES

BLOCK_BYTES = 4 << 20
"""Largest size of a block of distances, in bytes, so that it stays in the processor's cache."""


def frame_distances(rows: Rows, examples: Rows) -> Rows:
    """Return squared distances `(F, N)` between rows `(F, C)` and example rows `(N, C)`, never below zero."""
    squares = np.einsum("fc,fc->f", rows, rows)[:, None] + np.einsum("nc,nc->n", examples, examples)
    # Doubling is exact, and takes less time for the rows than for all products.
    product = (rows * np.float32(-2.0)) @ examples.T
    product += squares
    np.maximum(product, 0.0, out=product)
    return np.asarray(product)


def diagonal_sums(distances: Rows, length: int) -> Rows:
    """Return sums `(F - p + 1, N - p + 1)` of `length` p neighboring distances along the diagonals of `(F, N)`.

    Sums are doubled step by step: p = 11 takes five shifted additions (2, 4, 8, then 8 + 2 + 1).
    """
    rows, columns = distances.shape[0] - length + 1, distances.shape[1] - length + 1
    result: Rows | None = None
    power, width, offset = distances, 1, 0
    while True:
        if length & width:
            piece = power[offset : offset + rows, offset : offset + columns]
            result = piece.copy() if result is None else np.add(result, piece, out=result)
            offset += width
        width *= 2
        if width > length:
            assert result is not None
            return result
        half = width // 2
        power = power[:-half, :-half] + power[half:, half:]


def nearest_patches(rows: Rows, examples: Rows, starts: Mask, length: int, completeness: float | None) -> Int64:
    """Return the start `(F - p + 1,)` of the nearest example patch for each patch of `rows` `(F, C)`.

    starts: `(N - p + 1,)` mask of the frames a patch may start at, so that none crosses from one example to the next.
    length: p. completeness: alpha of equation 2 per row and frame, or None for plain nearest patches.

    >>> from genmm_addon.core.features.nearest_patches import nearest_patches
    >>> nearest_patches(prepared.rows, prepared.rows, prepared.bounds.patch_starts(9), 9, None).shape
    (52,)
    """
    patches = len(rows) - length + 1
    blocks = list(_blocks(patches, len(starts), length))
    keep = patches * len(starts) * 4 <= KEPT_BYTES
    forbidden = np.flatnonzero(~starts)

    def patch_distances(first: int, last: int) -> Rows:
        """Return the distances of patches, times `length`."""
        distances = diagonal_sums(frame_distances(rows[first : last + length - 1], examples), length)
        if len(forbidden):
            distances[:, forbidden] = np.inf
        return distances

    if completeness is None:
        return np.concatenate([patch_distances(*block).argmin(axis=1) for block in blocks])
    kept: list[Rows] = []
    smallest = np.full(len(starts), np.inf, np.float32)
    for block in blocks:
        distances = patch_distances(*block)
        np.minimum(smallest, distances.min(axis=0), out=smallest)
        if keep:
            kept.append(distances)
    weights = (1.0 / (completeness * length + smallest)).astype(np.float32)
    weights[~starts] = 1.0
    chosen = []
    for index, block in enumerate(blocks):
        distances = kept[index] if keep else patch_distances(*block)
        chosen.append(np.argmin(np.multiply(distances, weights, out=distances), axis=1))
    return np.concatenate(chosen)


def _blocks(patches: int, columns: int, length: int) -> Iterator[tuple[int, int]]:
    """Yield the first patch and the end of each block, see BLOCK_BYTES."""
    height = max(4 * length, BLOCK_BYTES // (4 * max(columns, 1)))
    for first in range(0, patches, height):
        yield first, min(first + height, patches)
