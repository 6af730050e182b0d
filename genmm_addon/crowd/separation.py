# SPDX-License-Identifier: GPL-3.0-or-later
"""Search for a casting and places in which no agent touches another; deterministic for a seed.

It is a local search by minimizing conflicts (Minton, Johnston, Philips, Laird 1992): an agent with encounters tries
other motions and takes the one with the fewest; of two that meet, one changes. If that makes no progress, the spacing
is enlarged, if the layout allows it.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..core import Float64, Int64, Mask
from .casting import Casting, Repertoire
from .places import WIDER, AgentPlaces

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


TRIES = 8
"""Number of motions that an agent tries per round."""
COARSE_SECONDS = 0.2
"""Time between the frames of the first search, in seconds; its result is checked at every frame."""
PATIENCE = 3
"""Rounds in a row without progress after which the search ends at a spacing."""
GAIN = 0.95
"""Ratio of encounters after and before a round above which the round counts as no progress."""
MOST_COMPARED = 600_000_000
"""Pairs of compared positions after which the search ends with its best result, after about a minute."""


class Ground(Protocol):
    """The ground that a crowd can stand on."""

    def places(self, scale: float) -> AgentPlaces | None:
        """Return the places at `scale` times the spacing; None where they are fixed or do not fit."""


@dataclass(frozen=True, eq=False)
class Arrangement:
    """A casting with its places. scale: of the spacing. too_near: `(N,)` whether an agent touches another."""

    casting: Casting
    places: AgentPlaces
    scale: float
    too_near: Mask


class MotionChange(Protocol):
    """Function by which agents change their motions."""

    def __call__(
        self, search: "Search", casting: Casting, places: AgentPlaces, met: Encounters, frames: Int64
    ) -> Casting:
        """Return the casting after agents with encounters have tried other motions."""


class Search:
    """Encounters of castings, and the cost of finding them.

    headroom: difference in height from which agents stand above one another. moves: the changes of a casting in a
    round. progress: called often; it may raise Cancelled.
    """

    def __init__(
        self,
        repertoire: Repertoire,
        headroom: float,
        random: np.random.Generator,
        moves: MotionChange,
        progress: Callable[[], None],
    ) -> None:
        self.repertoire = repertoire
        self.random = random
        self.moves = moves
        self._headroom = headroom
        self._progress = progress
        self._compared = 0
        self._ranks = np.empty(0, np.int64)
        self._paths = np.empty((0, 0, 3))
        # Grids that do not fit into memory are rebuilt each time.
        self._grids: list[Grid] | None = None

    @property
    def exhausted(self) -> bool:
        """Return whether the search has compared as many pairs as it may."""
        return self._compared > MOST_COMPARED

    def met(self, casting: Casting, places: AgentPlaces, frames: Int64) -> Encounters:
        """Return the encounters of all agents; of two that meet, the one to move is chosen at random."""
        agents = np.arange(len(places.positions))
        self._ranks = self.random.permutation(len(agents))
        self._paths = self.repertoire.paths(casting, places.positions[:, :2], frames)
        self._grids = list(grids_of(self._paths)) if self._paths.size <= 3 * INDEXED else None
        return self._met(self._paths, agents, places)

    def met_as(self, tried: Casting, owners: Int64, places: AgentPlaces, frames: Int64) -> Encounters:
        """Return the owners' encounters in the tried casting with the others, who keep the casting of `met`."""
        return self._met(self.repertoire.paths(tried, places.positions[owners, :2], frames), owners, places)

    def _met(self, paths: Float64, owners: Int64, places: AgentPlaces) -> Encounters:
        self._progress()
        grids = grids_of(self._paths) if self._grids is None else self._grids
        encountered = encounters(grids, places.positions[:, 2], self._ranks, paths, owners, self._headroom)
        self._compared += encountered.compared
        return encountered

    def movers(self, met: Encounters) -> Int64:
        """Return the agents that move: those with encounters, but with none of a higher rank."""
        return np.flatnonzero((met.counts > 0) & (self._ranks > met.first))


def arrange(search: Search, ground: Ground, casting: Casting, frames_per_second: float) -> Arrangement:
    """Return the best arrangement found near the casting: that with the fewest agents who touch another.

    A casting without encounters is not changed. The ground must have places at scale 1.
    """
    places, scale = ground.places(1.0), 1.0
    assert places is not None
    every = np.arange(search.repertoire.frames_that_differ)
    coarse = every[:: max(round(COARSE_SECONDS * frames_per_second), 1)]
    while True:
        factor = _room_missing(search.met(casting, places, coarse))
        wider = ground.places(scale * factor) if factor > 1 else None
        if wider is None:
            casting, met = _settled(search, casting, places, coarse)
            if not met.counts.any():
                casting, met = _settled(search, casting, places, every)
            wider = ground.places(scale * WIDER) if met.counts.any() else None
            factor = WIDER
        if wider is None or search.exhausted:
            met = search.met(casting, places, every)
            return Arrangement(casting, places, scale, met.counts > 0)
        places, scale = wider, scale * factor


def recast(any_way: bool) -> MotionChange:
    """Return the moves of a crowd that shares motions: agents try other motions and other first frames.

    any_way: whether the direction in which an agent sets out is random too.
    """

    def moved(search: Search, casting: Casting, places: AgentPlaces, met: Encounters, frames: Int64) -> Casting:
        movers, random = search.movers(met), search.random
        owners = np.repeat(movers, TRIES)
        # One agent keeps to each motion, so that all are seen.
        keepers = np.unique(casting.clips, return_index=True)[1]
        clips = random.integers(0, len(search.repertoire.ground), len(owners))
        tried = Casting(
            np.where(np.isin(owners, keepers), casting.clips[owners], clips),
            random.integers(0, search.repertoire.starts, len(owners)),
            random.uniform(-np.pi, np.pi, len(owners)) if any_way else casting.directions[owners],
        )
        counts = search.met_as(tried, owners, places, frames).counts.reshape(-1, TRIES)
        best = np.arange(len(movers)) * TRIES + np.argmin(counts, axis=1)
        better = counts.min(axis=1) < met.counts[movers]
        return casting.changed(movers[better], tried.of(best[better]))

    return moved


def exchange(search: Search, casting: Casting, places: AgentPlaces, met: Encounters, frames: Int64) -> Casting:
    """Return the casting after some agents have exchanged motions: the moves where each agent has its own motion."""
    agents = search.random.permutation(len(places.positions))
    movers = agents[np.isin(agents, search.movers(met))]
    others = agents[~np.isin(agents, movers)][: len(movers)]
    movers = movers[: len(others)]
    both, partners = np.concatenate((movers, others)), np.concatenate((others, movers))
    given = casting.of(partners)
    # Everyone keeps the direction that belongs to the place.
    tried = Casting(given.clips, given.phases, casting.directions[both])
    counts = search.met_as(tried, both, places, frames).counts
    gains = (met.counts[both] - counts).reshape(2, -1).sum(axis=0)
    better = np.flatnonzero(np.tile(gains > 0, 2))
    return casting.changed(both[better], tried.of(better))


def _settled(search: Search, casting: Casting, places: AgentPlaces, frames: Int64) -> tuple[Casting, Encounters]:
    """Return the best casting found at these places, with its encounters."""
    best = met = search.met(casting, places, frames)
    kept, stalled = casting, 0
    while best.counts.any() and stalled < PATIENCE and not search.exhausted:
        casting = search.moves(search, casting, places, met, frames)
        met = search.met(casting, places, frames)
        stalled = 0 if met.counts.sum() < GAIN * best.counts.sum() else stalled + 1
        if met.counts.sum() < best.counts.sum():
            kept, best = casting, met
    return kept, best


def _room_missing(met: Encounters) -> float:
    """Return the factor by which the spacing is too small for a search; 1 if it is large enough.

    Encounters are random and their number grows with the density of agents, so the share of agents without any
    decreases exponentially with the density. A search needs a share at which one of an agent's tries is clear.
    """
    clear = max(float(np.mean(met.counts == 0)), 1 / (2 * len(met.counts)))
    if clear >= 1 / TRIES:
        return 1.0
    return max(math.sqrt(math.log(clear) / math.log(1 / TRIES)), WIDER)
