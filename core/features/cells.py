# SPDX-License-Identifier: GPL-3.0-or-later
"""Nearest neighbors among many vectors: similar vectors are grouped into cells, and only the nearest are searched.

The method is inverted lists over k-means cells (Jegou, Douze, Schmid: Product Quantization for Nearest Neighbor
Search, 2011), on principal components. The search is exact if there are no more vectors than it compares anyway.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Indices, Rows
from ..motion.piecewise import SAMPLE, pieces
from .principal_axes import principal_axes

Candidates = Callable[[Indices], Indices]
"""Function from all cells, the nearest first, to the numbers of the vectors that are compared."""

FRAME_COLUMNS = 32
"""Number of principal components of a frame: 99 % of the variance of 757 recorded clips."""
MEMBERS = 4
"""Mean number of vectors in a cell, unless that would take more than MOST_CELLS. Far predecessors of a frame come from
different cells, so that a graph with few edges needs many."""
MOST_CELLS = 1024
"""Largest number of cells."""
QUERIES = 64
"""Mean number of vectors searched for together. With fewer, gathering the candidates takes too much of the time."""
ROUNDS = 4
"""Rounds of k-means. Further ones change the recall by less than 0.01."""
SEARCHED = 2048
"""Least number of vectors compared with each query. The recall is 0.97 among 84,000 windows of 757 clips, and 0.92
among 200,000. For a gap, as many of the cheapest windows are compared; half and twice as many fill gaps as well."""
MOST_SEARCHED = 4 * SEARCHED
"""Largest number of vectors compared. Crowded cells (a character that stands for minutes) are thinned out to it."""


@dataclass(frozen=True, eq=False)
class Block:
    """Numbers of queries `(q,)` and candidates `(n,)`, with their squared distances `(q, n)`."""

    queries: Indices
    candidates: Indices
    distances: Rows


@dataclass(frozen=True, eq=False)
class Lists:
    """Members `(P,)` of all cells, one cell after another, and the offsets `(G + 1,)` at which each cell begins."""

    members: Indices
    offsets: Indices

    @classmethod
    def of(cls, cell_of: Indices, cells: int, numbers: Indices) -> "Lists":
        """Return the lists of some of the vectors; cell_of: the cell of every vector; numbers: those of the vectors."""
        of_numbers = cell_of[numbers]
        order = np.argsort(of_numbers, kind="stable")
        counts = np.bincount(of_numbers, minlength=cells)
        return cls(numbers[order], np.concatenate((np.zeros(1, np.int64), np.cumsum(counts))))

    @cached_property
    def counts(self) -> Indices:
        """Return the number of members `(G,)` of each cell."""
        return np.diff(self.offsets)

    def of_cell(self, cell: int) -> Indices:
        """Return the members of a cell."""
        return self.members[self.offsets[cell] : self.offsets[cell + 1]]

    def nearest(self, order: Indices, least: int, most: int) -> Indices:
        """Return the members of the first cells of `order` that together hold `least`, thinned out to `most`."""
        totals = np.cumsum(self.counts[order])
        used = order[: int(np.searchsorted(totals, least)) + 1]
        lengths, total = self.counts[used], int(totals[len(used) - 1])
        before = totals[: len(used)] - lengths
        members = self.members[np.repeat(self.offsets[used] - before, lengths) + np.arange(total)]
        return members if total <= most else spread(members, most)


@dataclass(frozen=True, eq=False)
class Cells:
    """Vectors `(P, D)` in G cells, with the cells' `centers` `(G, D)` and the cell `(P,)` of each vector."""

    vectors: Rows
    centers: Rows
    cell_of: Indices

    @cached_property
    def squares(self) -> Rows:
        """Return the squared lengths `(P,)` of the vectors."""
        return squared_lengths(self.vectors)

    @cached_property
    def groups(self) -> list[Indices]:
        """Return groups of similar cells, whose members are searched for together."""
        count = len(self.vectors) // QUERIES
        if count >= len(self.centers):
            return list(np.arange(len(self.centers))[:, None])
        number = nearest_center(self.centers, k_means(self.centers, max(count, 1)))
        return [np.flatnonzero(number == group) for group in np.unique(number)]

    @cached_property
    def lists(self) -> Lists:
        """Return the lists of all vectors."""
        return self.among(np.arange(len(self.vectors)))

    def among(self, numbers: Indices) -> Lists:
        """Return the lists of some of the vectors, by number."""
        return Lists.of(self.cell_of, len(self.centers), numbers)

    def blocks(self, queries: Lists, candidates_of: Candidates) -> Iterator[Block]:
        """Yield blocks that compare each query, one of the vectors, with its candidates by `candidates_of`."""
        for group in self.groups:
            members = np.concatenate([queries.of_cell(cell) for cell in group])
            if not len(members):
                continue
            center = self.centers[group].mean(axis=0, keepdims=True)
            candidates = candidates_of(np.argsort(squared_distances(center, self.centers)[0], kind="stable"))
            vectors, beside = self.vectors[candidates], self.squares[candidates]
            for piece in pieces(len(members), len(candidates)):
                compared = members[piece]
                # Doubling is exact, and before the product it changes one row per query instead of one value per pair.
                distances = (self.vectors[compared] * np.float32(-2.0)) @ vectors.T
                distances += beside
                distances += self.squares[compared, None]
                yield Block(compared, candidates, distances)


def cells_of(vectors: Rows) -> Cells:
    """Return vectors `(P, D)`, grouped into cells of similar ones."""
    centers = k_means(vectors, min(max(len(vectors) // MEMBERS, 1), MOST_CELLS))
    return Cells(vectors, centers, nearest_center(vectors, centers))


def spread(numbers: Indices, count: int) -> Indices:
    """Return `count` of the numbers, evenly spread; numbers repeat if there are fewer."""
    if len(numbers) == count:
        return numbers
    # Equals NumPy's linspace, which takes four times as long; a search needs it thousands of times.
    places = (np.arange(count) * ((len(numbers) - 1) / max(count - 1, 1))).astype(np.int64)
    if count > 1:
        places[-1] = len(numbers) - 1
    return numbers[places]


def smallest(distances: Rows, count: int) -> Indices:
    """Return the columns `(q, m)` of the `count` smallest entries of each row, unordered; all if there are no more."""
    rows, total = distances.shape
    if total <= count:
        return np.broadcast_to(np.arange(total), distances.shape)
    width = 4 * count
    if total < 2 * width:
        return np.argpartition(distances, count - 1, axis=1)[:, :count]
    # As many minima of disjoint columns are no larger than their bound, and few other entries: comparing all entries
    # with it takes a third of the time of partitioning them.
    minima = distances[:, : total // width * width].reshape(rows, -1, width).min(axis=1)
    bound = np.partition(minima, count - 1, axis=1)[:, count - 1 : count]
    # Twice as quick as finding rows and columns at once.
    row, column = np.divmod(np.flatnonzero(distances <= bound), total)
    counts = np.bincount(row, minlength=rows)
    place = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    near = np.full((rows, int(counts.max(initial=count))), np.inf, distances.dtype)
    columns = np.zeros(near.shape, np.int64)
    near[row, place], columns[row, place] = distances[row, column], column
    return np.take_along_axis(columns, np.argpartition(near, count - 1, axis=1)[:, :count], axis=1)


def k_means(vectors: Rows, count: int) -> Rows:
    """Return at most `count` centers `(G, D)` of vectors `(P, D)` (Lloyd 1982), the same for the same vectors."""
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
    numbers = np.zeros(len(vectors), np.int64)
    if len(centers) > 1:
        half_squares = 0.5 * np.einsum("gd,gd->g", centers, centers)
        for piece in pieces(len(vectors), len(centers)):
            numbers[piece] = np.argmax(vectors[piece] @ centers.T - half_squares, axis=1)
    return numbers


def principal_directions(rows: Rows, most: int) -> Rows:
    """Return the `most` directions `(C, D)` along which rows `(N, C)` vary most; all axes if C is not larger."""
    if rows.shape[1] <= most:
        return np.eye(rows.shape[1], dtype=np.float32)
    sample = _thinned(rows)
    centered = sample - sample.mean(axis=0)
    return np.ascontiguousarray(principal_axes(centered, most), np.float32)


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
    """Return the rows, or SAMPLE of them, evenly spread, if there are more."""
    if len(rows) <= SAMPLE:
        return rows
    return rows[spread(np.arange(len(rows)), SAMPLE)]
