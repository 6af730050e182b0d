# SPDX-License-Identifier: GPL-3.0-or-later
"""Repeated search for the patches nearest to blended rows; each round computes only what has changed."""

from functools import reduce

import numpy as np

from ..arrays import Indices, Mask, Rows
from ..motion.piecewise import KEPT_BYTES, pieces
from .nearest_patches import (
    completeness_weights,
    diagonal_sums,
    distances_of_blend,
    distances_of_blended_rows,
    nearest_patches_of_blend,
    row_blocks,
)


class BlendRounds:
    """Rounds of matching the rows that are the means of overlapping patches.

    In most rounds few patches choose another example. The distances of patches that share no row with these are
    unchanged, bit for bit, and are kept.
    """

    def __init__(self, between: Rows, starts: Mask, length: int, completeness: float | None) -> None:
        """Begin the rounds; between: see `nearest_patches_of_blend`; other arguments: see `nearest_patches`."""
        self.between, self.starts, self.length, self.completeness = between, starts, length, completeness
        self._forbidden = np.flatnonzero(~starts)
        self._chosen, self._nearest = np.empty(0, np.int64), np.empty(0, np.int64)
        self._kept: list[Rows] = []

    def nearest(self, chosen: Indices) -> Indices:
        """Return the start `(F - p + 1,)` of the example patch nearest to each patch of the blended rows.

        chosen: `(F - p + 1,)` the example frame at which each patch starts, as of `average_votes`.
        """
        if len(chosen) * len(self.starts) * 4 > KEPT_BYTES:
            return nearest_patches_of_blend(chosen, self.between, self.starts, self.length, self.completeness)
        if not np.array_equal(chosen, self._chosen):
            self._renew(chosen)
            self._chosen, self._nearest = chosen, self._cheapest()
        return self._nearest

    def _renew(self, chosen: Indices) -> None:
        """Update the kept distances for the patches chosen now."""
        blocks = list(row_blocks(len(chosen), len(self.starts), self.length))
        if len(chosen) == len(self._chosen):
            beside = _beside(np.flatnonzero(chosen != self._chosen), self.length, len(chosen))
            for (first, last), distances in zip(blocks, self._kept, strict=True):
                patches = np.flatnonzero(beside[first:last])
                for piece in pieces(len(patches), self.length * len(self.between)):
                    distances[patches[piece]] = self._distances_of(chosen, first + patches[piece])
            return
        self._kept = []
        for first, last in blocks:
            blended = distances_of_blend(chosen, self.between, self.length, first, last + self.length - 1)
            self._kept.append(self._summed(blended))

    def _distances_of(self, chosen: Indices, patches: Indices) -> Rows:
        """Return `length` times the distances `(X, N - p + 1)` of patches, in their order."""
        covered = np.zeros(int(patches[-1] - patches[0]) + self.length, bool)
        for frame in range(self.length):
            covered[patches - patches[0] + frame] = True
        rows = np.flatnonzero(covered)
        blended = distances_of_blended_rows(chosen, self.between, self.length, rows + patches[0])
        # Sums across a gap between rows belong to no patch, and are not used.
        return np.asarray(self._summed(blended)[np.searchsorted(rows, patches - patches[0])])

    def _summed(self, distances: Rows) -> Rows:
        summed = diagonal_sums(distances, self.length)
        if len(self._forbidden):
            summed[:, self._forbidden] = np.inf
        return summed

    def _cheapest(self) -> Indices:
        """Return the nearest patches by the kept distances."""
        if self.completeness is None:
            return np.concatenate([distances.argmin(axis=1) for distances in self._kept])
        smallest = reduce(np.minimum, [np.minimum.reduce(distances, axis=0) for distances in self._kept])
        weights = completeness_weights(smallest, self.starts, self.length, self.completeness)
        return np.concatenate([(distances * weights).argmin(axis=1) for distances in self._kept])


def _beside(changed: Indices, length: int, patches: int) -> Mask:
    """Return a mask `(patches,)` of the patches that share a row with one that has changed."""
    steps = np.bincount(np.maximum(changed - length + 1, 0), minlength=patches + 1)
    steps = steps - np.bincount(np.minimum(changed + length, patches), minlength=patches + 1)
    return np.asarray(np.cumsum(steps[:-1]) > 0)
