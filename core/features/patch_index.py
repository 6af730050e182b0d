# SPDX-License-Identifier: GPL-3.0-or-later
"""Index of the examples' patches, which finds the nearest of hundreds of thousands without comparing all.

A patch is compared with those of the nearest cells by principal components, and with the best of these by all columns.
The completeness normalization (paper, equation 2) is over the patches that are compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Int64, Mask, Rows
from ..motion.piecewise import SAMPLE, pieces
from .cells import (
    FRAME_COLUMNS,
    MOST_SEARCHED,
    SEARCHED,
    Block,
    Cells,
    cells_of,
    principal_directions,
    smallest,
    spread,
)
from .principal_axes import MOST_AXES

Starts = Int64

RANKED = 8
"""Number of patches, the best by components, that are compared by all columns."""
INDEXED_PAIRS = 1 << 22
"""Number of pairs of patches from which making an index takes less time than comparing them in a stage's five rounds.
"""


def is_indexed(patches: int, frames: int) -> bool:
    """Return whether the patches of examples are searched in an index for those nearest to each of `frames` rows."""
    return patches > MOST_SEARCHED and frames * patches > INDEXED_PAIRS


@dataclass(frozen=True, eq=False)
class PatchIndex:
    """Patches of p frames of examples `(N, C)`.

    starts: `(P,)` the frames they start at. directions: `(p, C, D)` the components of a patch, by frame. cells: the
    patches, in the order of their starts, as `D` components grouped into cells of similar ones.

    >>> PatchIndex.of(prepared.rows, prepared.bounds.patch_starts(9), 9).nearest(prepared.rows, None).shape
    (52,)
    """

    examples: Rows
    starts: Starts
    directions: Rows
    cells: Cells

    @classmethod
    def of(cls, examples: Rows, starts: Mask, length: int) -> "PatchIndex":
        """Return the index of example rows `(N, C)`; starts: `(N - p + 1,)` mask of frames a patch may start at."""
        numbers = np.flatnonzero(starts)
        by_frame = principal_directions(examples, FRAME_COLUMNS)
        sample = spread(numbers, min(SAMPLE, len(numbers)))
        columns = examples @ by_frame
        patches = np.concatenate([columns[sample + by] for by in range(length)], axis=1)
        by_patch = principal_directions(patches, MOST_AXES).reshape(length, by_frame.shape[1], -1)
        directions = np.matmul(by_frame, by_patch)
        return cls(examples, numbers, directions, cells_of(_components(examples, directions)[numbers]))

    def nearest(self, rows: Rows, completeness: float | None) -> Starts:
        """Return the start `(F - p + 1,)` of the nearest example patch for each patch of rows `(F, C)`.

        completeness: see `nearest_patches`.
        """
        queries, length = _components(rows, self.directions), len(self.directions)
        weights = np.ones(len(self.starts), np.float32)
        if completeness is not None:
            smallest_yet = np.full(len(self.starts), np.inf, np.float32)
            for block in self._blocks(queries):
                np.minimum.at(smallest_yet, block.candidates, block.distances.min(axis=0))
            weights = (1.0 / (completeness + np.maximum(smallest_yet, 0.0) / length)).astype(np.float32)
        ranked = np.zeros((len(queries), RANKED), np.int64)
        for block in self._blocks(queries):
            best = smallest(np.maximum(block.distances, 0.0) * weights[block.candidates], RANKED)
            ranked[block.queries, : best.shape[1]] = block.candidates[best]
            ranked[block.queries, best.shape[1] :] = block.candidates[best[:, :1]]
        scores = self._distances(rows, ranked) * weights[ranked]
        return np.asarray(self.starts[ranked[np.arange(len(ranked)), scores.argmin(axis=1)]])

    def _blocks(self, queries: Rows) -> Iterator[Block]:
        lists = self.cells.lists
        return self.cells.blocks_of(queries, lambda order: lists.nearest(order, SEARCHED, MOST_SEARCHED))

    def _distances(self, rows: Rows, patches: Int64) -> Rows:
        """Return mean squared distances `(Q, m)` of the patches of rows `(F, C)` to m patches of the index each."""
        numbers = np.repeat(np.arange(len(patches)), patches.shape[1])
        starts = self.starts[patches.ravel()]
        squares = np.zeros(len(numbers), np.float32)
        for piece in pieces(len(numbers)):
            for by in range(len(self.directions)):
                gaps = rows[numbers[piece] + by] - self.examples[starts[piece] + by]
                squares[piece] += np.einsum("xc,xc->x", gaps, gaps)
        return (squares / np.float32(len(self.directions))).reshape(patches.shape)


def _components(rows: Rows, directions: Rows) -> Rows:
    """Return the components `(F - p + 1, D)` of all patches of rows `(F, C)`: sums over the patches' frames."""
    patches = len(rows) - len(directions) + 1
    total = np.zeros((patches, directions.shape[2]), np.float32)
    for by, of_frame in enumerate(directions):
        total += rows[by : by + patches] @ of_frame
    return total
