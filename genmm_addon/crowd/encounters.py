# SPDX-License-Identifier: GPL-3.0-or-later
"""Encounters: agents within reach of another at the same frame, found with a grid of cells."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ..core import Float64, Int64

INDEXED = 1 << 20
"""Maximum number of positions in a grid: about 50 MB of memory."""
COMPARED = 1 << 21
"""Maximum number of pairs of positions compared at a time: about 100 MB of memory."""
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio, which spreads consecutive keys over a table (Knuth, TAOCP 3, 6.4)."""


@dataclass(frozen=True, eq=False)
class Encounters:
    """Encounters of Q paths with those of a crowd.

    counts: `(Q,)` number of others' positions that are too near, over all frames. first: `(Q,)` the highest rank among
    these others, -1 without any. compared: number of compared pairs of positions, as the cost.
    """

    counts: Int64
    first: Int64
    compared: int


@dataclass(frozen=True, eq=False)
class Grid:
    """Positions of N walkers at S frames, in a hash table by frame and square cell.

    spots: `(N * S, 3)` positions, and how far each reaches. keys: `(N * S,)` of their frame and cell. order: their
    numbers, sorted by slot of the table. sizes, begins: of each slot. low: the cell before the first. sides: number of
    cells along x and y. first: the first frame.
    """

    spots: Float64
    frames: int
    first: int
    width: float
    low: Float64
    sides: Int64
    keys: Int64
    order: Int64
    sizes: Int64
    begins: Int64


def grids_of(crowd: Float64) -> Iterator[Grid]:
    """Yield grids for a crowd's paths `(N, S, 3)` of positions and reaches, each for a range of frames."""
    block = max(INDEXED // len(crowd), 1)
    # Cells are as wide as the largest circle in which two agents can meet, which overlaps two cells along each axis.
    width = 4 * float(crowd[..., 2].max(initial=0.0)) or 1.0
    for first in range(0, crowd.shape[1], block):
        now = crowd[:, first : first + block]
        frames, spots = now.shape[1], now.reshape(-1, 3)
        low = np.floor(spots[:, :2].min(axis=0) / width) - 1
        sides = (np.floor(spots[:, :2].max(axis=0) / width) - low + 2).astype(np.int64)
        keys = _keys(frames, (np.floor(spots[:, :2] / width) - low).astype(np.int64), sides)
        slots = _slots(keys, _bits(len(keys)))
        sizes = np.bincount(slots, minlength=1 << _bits(len(keys)))
        yield Grid(spots, frames, first, width, low, sides, keys, np.argsort(slots), sizes, np.cumsum(sizes) - sizes)


def encounters(
    grids: Iterable[Grid], levels: Float64, ranks: Int64, paths: Float64, owners: Int64, headroom: float
) -> Encounters:
    """Return the encounters of paths `(Q, S, 3)`, of positions and reaches, with the walkers of the grids.

    levels: `(N,)` heights of the walkers; those more than `headroom` above or below are not met. ranks: `(N,)`
    distinct. owners: `(Q,)` the numbers of the paths' own walkers, which do not meet themselves.
    """
    counts, first = np.zeros(len(paths), np.int64), np.full(len(paths), -1, np.int64)
    compared = 0
    for grid in grids:
        asked = paths[:, grid.first : grid.first + grid.frames]
        for query, other, pairs in _near(grid, asked):
            compared += pairs
            walker = owners[query]
            met = (other != walker) & (np.abs(levels[other] - levels[walker]) <= headroom)
            counts += np.bincount(query[met], minlength=len(paths))
            np.maximum.at(first, query[met], ranks[other[met]])
    return Encounters(counts, first, compared)


def _near(grid: Grid, paths: Float64) -> Iterator[tuple[Int64, Int64, int]]:
    """Yield, in chunks, numbers of paths and of the walkers near them, with the number of compared pairs."""
    distance, spots = grid.width / 2, paths.reshape(-1, 3)
    corners = np.clip(np.floor((spots[:, :2] - distance) / grid.width) - grid.low, 0, grid.sides - 2).astype(np.int64)
    corner = _keys(grid.frames, corners, grid.sides)
    across = int(grid.sides[1])
    for step in (0, 1, across, across + 1):
        target = corner + step
        slot = _slots(target, _bits(len(grid.keys)))
        filled = np.flatnonzero(grid.sizes[slot])
        for part in _chunks(filled, grid.sizes[slot[filled]]):
            sizes, begins = grid.sizes[slot[part]], grid.begins[slot[part]]
            spot = np.repeat(part, sizes)
            walker = grid.order[np.arange(len(spot)) - np.repeat(np.cumsum(sizes) - sizes - begins, sizes)]
            compared = len(spot)
            same = grid.keys[walker] == target[spot]
            spot, walker = spot[same], walker[same]
            offsets = grid.spots[walker, :2] - spots[spot, :2]
            reach = grid.spots[walker, 2] + spots[spot, 2]
            near = np.einsum("nc,nc->n", offsets, offsets) < reach * reach
            yield spot[near] // grid.frames, walker[near] // grid.frames, compared


def _keys(frames: int, cells: Int64, sides: Int64) -> Int64:
    frame = np.tile(np.arange(frames), len(cells) // frames)
    return np.asarray((frame * sides[0] + cells[:, 0]) * sides[1] + cells[:, 1])


def _bits(entries: int) -> int:
    """Return the number of bits for the slots of a table that is at most half full."""
    return max((2 * entries).bit_length(), 8)


def _slots(keys: Int64, bits: int) -> Int64:
    return np.asarray(((keys.astype(np.uint64) * GOLDEN) >> np.uint64(64 - bits)).astype(np.int64))


def _chunks(numbers: Int64, sizes: Int64) -> Iterator[Int64]:
    """Yield the numbers in pieces whose sizes sum up to little more than COMPARED."""
    total = np.cumsum(sizes)
    pairs = int(total[-1]) if len(total) else 0
    edges = np.searchsorted(total, np.arange(COMPARED, pairs, COMPARED))
    yield from np.split(numbers, np.unique(edges))
