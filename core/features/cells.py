# SPDX-License-Identifier: GPL-3.0-or-later
"""Nearest neighbors among many vectors: cells of alike ones, of which the nearest alone are searched.

Inverted lists over k-means cells (Jegou, Douze, Schmid: Product Quantization for Nearest Neighbor Search, 2011), on
principal components. Where there are no more vectors than a search looks at anyway, it is exact.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .principal_axes import principal_axes

Rows = NDArray[np.float32]
Indices = NDArray[np.int64]
Candidates = Callable[[Indices], Indices]
"""Takes all cells, the nearest first, to the numbers of the vectors that are compared."""

MEMBERS = 4
"""Vectors in a cell, on the mean, up to ..."""
MOST_CELLS = 1024
"""... so many cells."""
QUERIES = 64
"""Vectors that are searched for together, on the mean: fewer waste time on gathering what they are compared with."""
TRAINING = 10_000
"""Vectors that cells and components are computed from: twice as many change the recall by less than a hundredth."""
ROUNDS = 4
"""Of k-means: so do further ones."""
SEARCHED = 2048
"""Least number of vectors that are compared with each query: recall 0.97 among 84,000 windows of 757 clips."""
MOST_SEARCHED = 4 * SEARCHED
"""Crowded cells (a character that stands for minutes) are thinned out to so many."""
BLOCK_ROWS = 512
"""Queries that are compared at once."""
LOOKED_AT = 128
"""The nearest cells that mostly hold enough members; further ones are counted where they do not."""
ASSIGNED = 2048
"""Vectors that are assigned to cells at once."""


@dataclass(frozen=True, eq=False)
class Block:
    """Queries `(q,)` and candidates `(n,)`, by number, with their squared distances `(q, n)`."""

    queries: Indices
    candidates: Indices
    distances: Rows


@dataclass(frozen=True, eq=False)
class Lists:
    """The members of each cell one after another, and where each cell's begin: `(P,)` and `(G + 1,)`."""

    members: Indices
    offsets: Indices

    @classmethod
    def of(cls, cell_of: Indices, cells: int, numbers: Indices) -> "Lists":
        """Return the lists of some of the vectors, by number, given the cell of every one."""
        of_numbers = cell_of[numbers]
        order = np.argsort(of_numbers, kind="stable")
        counts = np.bincount(of_numbers, minlength=cells)
        return cls(numbers[order], np.concatenate((np.zeros(1, np.int64), np.cumsum(counts))))

    @cached_property
    def counts(self) -> Indices:
        """`(G,)` the number of members of each cell."""
        return np.diff(self.offsets)

    def of_cell(self, cell: int) -> Indices:
        """Return the members of a cell."""
        return self.members[self.offsets[cell] : self.offsets[cell + 1]]

    def nearest(self, order: Indices, least: int, most: int) -> Indices:
        """Return the members of the first cells of `order` that have `least` together, `most` of them at most."""
        totals = np.cumsum(self.counts[order[:LOOKED_AT]])
        if totals[-1] < least:
            totals = np.cumsum(self.counts[order])
        used = order[: int(np.searchsorted(totals, least)) + 1]
        lengths, total = self.counts[used], int(totals[len(used) - 1])
        before = totals[: len(used)] - lengths
        found = self.members[np.repeat(self.offsets[used] - before, lengths) + np.arange(total)]
        return found if total <= most else spread(found, most)


@dataclass(frozen=True, eq=False)
class Cells:
    """Vectors `(P, D)` in G cells: `centers` `(G, D)`, and the cell `(P,)` of each vector."""

    vectors: Rows
    centers: Rows
    cell_of: Indices

    @cached_property
    def squares(self) -> Rows:
        """`(P,)` squared lengths of the vectors."""
        return squared_lengths(self.vectors)

    @cached_property
    def groups(self) -> list[Indices]:
        """The cells in groups of alike ones, whose members are searched for together."""
        count = len(self.vectors) // QUERIES
        if count >= len(self.centers):
            return list(np.arange(len(self.centers))[:, None])
        number = nearest_center(self.centers, k_means(self.centers, max(count, 1)))
        return [np.flatnonzero(number == group) for group in np.unique(number)]

    @cached_property
    def lists(self) -> Lists:
        """The lists of all vectors."""
        return self.among(np.arange(len(self.vectors)))

    def among(self, numbers: Indices) -> Lists:
        """Return the lists of some of the vectors, by number."""
        return Lists.of(self.cell_of, len(self.centers), numbers)

    def blocks(self, queries: Lists, candidates_of: Candidates) -> Iterator[Block]:
        """Yield blocks that compare each query, one of the vectors, with what `candidates_of` has for it."""
        return self._compared(self.vectors, self.squares, queries, candidates_of)

    def blocks_of(self, queries: Rows, candidates_of: Candidates) -> Iterator[Block]:
        """As `blocks`, for other vectors `(Q, D)`; their numbers are those of the rows."""
        lists = Lists.of(nearest_center(queries, self.centers), len(self.centers), np.arange(len(queries)))
        return self._compared(queries, squared_lengths(queries), lists, candidates_of)

    def _compared(self, queries: Rows, squares: Rows, lists: Lists, candidates_of: Candidates) -> Iterator[Block]:
        for group in self.groups:
            own = np.concatenate([lists.of_cell(cell) for cell in group])
            if not len(own):
                continue
            center = self.centers[group].mean(axis=0, keepdims=True)
            candidates = candidates_of(np.argsort(squared_distances(center, self.centers)[0], kind="stable"))
            vectors, beside = self.vectors[candidates], self.squares[candidates]
            for first in range(0, len(own), BLOCK_ROWS):
                some = own[first : first + BLOCK_ROWS]
                # Doubling is exact: before the product it takes a row for each query, after it one for each pair.
                distances = (queries[some] * np.float32(-2.0)) @ vectors.T
                distances += beside
                distances += squares[some, None]
                yield Block(some, candidates, distances)


def cells_of(vectors: Rows) -> Cells:
    """Return vectors `(P, D)` in cells of alike ones."""
    centers = k_means(vectors, min(max(len(vectors) // MEMBERS, 1), MOST_CELLS))
    return Cells(vectors, centers, nearest_center(vectors, centers))


def spread(numbers: Indices, count: int) -> Indices:
    """Return `count` of some numbers, evenly spread; some of them again where they are fewer."""
    if len(numbers) == count:
        return numbers
    # As NumPy's linspace, of which a search asks thousands of times, and which takes four times as long.
    places = (np.arange(count) * ((len(numbers) - 1) / max(count - 1, 1))).astype(np.int64)
    if count > 1:
        places[-1] = len(numbers) - 1
    return numbers[places]


def smallest(distances: Rows, count: int) -> Indices:
    """Return the columns `(q, m)` of the smallest entries of each row, in no order; all where there are no more."""
    if distances.shape[1] <= count:
        return np.broadcast_to(np.arange(distances.shape[1]), distances.shape)
    return np.argpartition(distances, count - 1, axis=1)[:, :count]


def k_means(vectors: Rows, count: int) -> Rows:
    """Return `count` centers `(G, D)` of vectors `(P, D)` (Lloyd 1982): the same ones for the same vectors."""
    sample = _thinned(vectors)
    if count <= 1:
        return np.asarray(sample.mean(axis=0, keepdims=True), np.float32)
    centers = sample[np.sort(np.random.default_rng(0).choice(len(sample), min(count, len(sample)), replace=False))]
    for _ in range(ROUNDS):
        lists = Lists.of(nearest_center(sample, centers), len(centers), np.arange(len(sample)))
        lengths = np.diff(lists.offsets)
        used = lengths > 0
        sums = np.add.reduceat(sample[lists.members], lists.offsets[:-1][used], axis=0)
        centers = centers.copy()
        centers[used] = sums / lengths[used, None]
    return centers


def nearest_center(vectors: Rows, centers: Rows) -> Indices:
    """Return the number `(P,)` of the nearest center for each vector."""
    found = np.zeros(len(vectors), np.int64)
    if len(centers) > 1:
        half_squares = 0.5 * np.einsum("gd,gd->g", centers, centers)
        for first in range(0, len(vectors), ASSIGNED):
            some = slice(first, first + ASSIGNED)
            found[some] = np.argmax(vectors[some] @ centers.T - half_squares, axis=1)
    return found


def principal_directions(rows: Rows, most: int) -> Rows:
    """Return the `most` directions `(C, D)` along which rows `(N, C)` vary most; all of them where C is no more."""
    if rows.shape[1] <= most:
        return np.eye(rows.shape[1], dtype=np.float32)
    sample = _thinned(rows)
    centered = sample - sample.mean(axis=0)
    return np.ascontiguousarray(principal_axes(centered.T @ centered, most), np.float32)


def squared_distances(rows: Rows, others: Rows) -> Rows:
    """Return squared distances `(q, n)` between rows `(q, D)` and others `(n, D)`."""
    distances = rows @ others.T
    distances *= -2.0
    distances += squared_lengths(others)
    distances += squared_lengths(rows)[:, None]
    return np.asarray(distances)


def squared_lengths(rows: Rows) -> Rows:
    """Return the squared length `(N,)` of each row."""
    return np.asarray(np.einsum("nc,nc->n", rows, rows))


def _thinned(rows: Rows) -> Rows:
    """Return the rows themselves, or TRAINING of them, evenly spread, where there are more."""
    if len(rows) <= TRAINING:
        return rows
    return rows[spread(np.arange(len(rows)), TRAINING)]
