# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows around transitions: the cost of any single transition, and the nearest windows, without a table of all pairs.

A window's position in its example is before the first frame, between two frames, or after the last. Leaving after a
frame is being at the position after it, and continuing at a frame is being at the position before it.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Indices, Mask, Rows
from ..features.cells import (
    FRAME_COLUMNS,
    MOST_SEARCHED,
    SEARCHED,
    Block,
    Cells,
    Lists,
    cells_of,
    principal_directions,
    smallest,
    spread,
)
from ..features.principal_axes import MOST_AXES
from ..motion.piecewise import pieces
from ..motion.spans import consecutive_from
from .transition_costs import Bounds, gap_frames, half_window, movement_unit, padded_frames

RANKED, RANKED_MORE = 2, 16
"""Number of windows, the nearest by their components, that are compared by all columns: RANKED times the number
requested, but at most RANKED_MORE in addition to it."""


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The M nearest other positions `(Q, M)` of Q positions, and their transition costs; infinite for none."""

    positions: Indices
    costs: Rows

    @classmethod
    def none(cls, queries: int, count: int) -> "Neighbors":
        """Return empty neighbors: `count` for each query."""
        return cls(np.zeros((queries, count), np.int64), np.full((queries, count), np.inf, np.float32))


@dataclass(frozen=True, eq=False)
class TransitionWindows:
    """The windows of N stage frames with rows `(N, C)`.

    half: half the length of a window, in frames. unit: see `transition_costs.movement_unit`. gap: see
    `transition_costs.gap_frames`.
    """

    rows: Rows
    bounds: Bounds
    half: int
    unit: float
    gap: int

    @classmethod
    def of(cls, rows: Rows, bounds: Bounds, rate: float) -> "TransitionWindows":
        """Return the windows of stage rows at `rate` frames per second."""
        unit = movement_unit(rows, bounds, rate)
        return cls(rows, bounds, half_window(rate), unit, gap_frames(rate, len(rows)))

    @cached_property
    def example(self) -> Indices:
        """Return the example `(P,)` of each position; each example has one more position than it has frames."""
        return np.repeat(np.arange(len(self.bounds.starts)), self.bounds.ends - self.bounds.starts + 1)

    def arriving(self, frames: Indices) -> Indices:
        """Return the positions before frames, at which a path continues with them."""
        return frames + self.bounds.example_of(frames)

    def leaving(self, frames: Indices) -> Indices:
        """Return the positions after frames, at which a path leaves them."""
        return self.arriving(frames) + 1

    def frames_left(self, positions: Indices) -> Indices:
        """Return the frame before each position; -1 for the first position of an example."""
        frames = positions - self.example[positions] - 1
        return np.where(frames >= self.bounds.starts[self.example[positions]], frames, -1)

    def frames_reached(self, positions: Indices) -> Indices:
        """Return the frame after each position; -1 for the last position of an example."""
        frames = positions - self.example[positions]
        return np.where(frames < self.bounds.ends[self.example[positions]], frames, -1)

    def costs(self, leaves: Indices, arrivals: Indices) -> Rows:
        """Return the transition costs `(X,)` of leaving after frames and continuing at others; infinite for none."""
        return self.between(self.leaving(leaves), self.arriving(arrivals))

    def between(self, positions: Indices, others: Indices) -> Rows:
        """Return the transition costs `(X,)` between pairs of positions; infinite if they are too near in time."""
        costs = self.distances(positions, others)
        costs[self._too_near(positions, others)] = np.inf
        return costs

    def distances(self, positions: Indices, others: Indices) -> Rows:
        """Return the distances `(X,)` between the windows at pairs of positions, in units of movement."""
        return self._distances_to_each(positions, others[:, None])[:, 0]

    def _distances_to_each(self, positions: Indices, others: Indices) -> Rows:
        """Return the distances `(Q, M)` between positions `(Q,)` and M others `(Q, M)` for each."""
        squares = np.zeros(others.shape, np.float32)
        frames, places = self._padded
        for block in pieces(len(positions), others.shape[1] * self.rows.shape[1]):
            place, other = places[positions[block]], places[others[block]]
            for by in range(-self.half, self.half):
                gaps = self.rows.take(frames[other + by], axis=0)
                gaps -= self.rows.take(frames[place + by], axis=0)[:, None]
                squares[block] += np.einsum("qmc,qmc->qm", gaps, gaps)
        return np.asarray(np.sqrt(squares / np.float32(2 * self.half)) / np.float32(self.unit), np.float32)

    def nearest(self, count: int) -> Neighbors:
        """Return for each position `(P,)` the `count` cheapest others in all examples."""
        return self._searched(count, self.cells.lists, self.cells.lists)

    def nearest_among(self, count: int, queries: Indices, positions: Indices) -> Neighbors:
        """Return for each of `queries` `(Q,)`, in their order, the `count` cheapest of some positions."""
        neighbors = self._searched(count, self.cells.among(queries), self.cells.among(positions))
        return Neighbors(neighbors.positions[queries], neighbors.costs[queries])

    def nearest_in_regions(self, count: int) -> Neighbors:
        """Return for each position `(P,)` the cheapest in each of `count` equal stretches of the examples."""
        cells, width, total = self.cells, SEARCHED // count, len(self.example)
        regions = [cells.among(region) for region in np.array_split(np.arange(total), count) if len(region)]

        def candidates(order: Indices) -> Indices:
            return np.concatenate([spread(region.nearest(order, width, width), width) for region in regions])

        neighbors = Neighbors.none(total, len(regions))
        for block in cells.blocks(cells.lists, candidates):
            self._hide_too_near(block)
            best = block.distances.reshape(len(block.queries), len(regions), width).argmin(axis=2)
            columns = best + np.arange(len(regions)) * width
            neighbors.positions[block.queries] = positions = block.candidates[columns]
            neighbors.costs[block.queries] = self._exact(block, positions, columns)
        return neighbors

    @cached_property
    def cells(self) -> Cells:
        """Return the windows' principal components, grouped into cells of similar windows."""
        columns = self.rows @ principal_directions(self.rows, FRAME_COLUMNS)
        frames, places = self._padded
        windows = np.concatenate([columns[frames[places + by]] for by in range(-self.half, self.half)], axis=1)
        return cells_of(windows @ principal_directions(windows, MOST_AXES))

    @cached_property
    def _padded(self) -> tuple[Indices, Indices]:
        """Return frames with repeats at both ends of each example, and each position's `(P,)` place among them."""
        frames, place = padded_frames(self.bounds, self.half)
        positions = np.empty(len(self.example), np.int64)
        numbers = np.arange(len(self.rows))
        positions[self.arriving(numbers)] = place
        positions[self.leaving(self.bounds.ends - 1)] = place[self.bounds.ends - 1] + 1
        return frames, positions

    def _too_near(self, positions: Indices, others: Indices) -> Mask:
        near = np.abs(positions - others) < self.gap
        return np.asarray(near & (self.example[positions] == self.example[others]))

    def _searched(self, count: int, queries: Lists, among: Lists) -> Neighbors:
        """Return the cheapest of some positions for each query; rows of other positions stay empty."""
        neighbors = Neighbors.none(len(self.example), count)
        for block in self.cells.blocks(queries, lambda order: among.nearest(order, SEARCHED, MOST_SEARCHED)):
            self._hide_too_near(block)
            ranked = smallest(block.distances, min(RANKED * count, count + RANKED_MORE))
            positions = block.candidates[ranked]
            costs = self._exact(block, positions, ranked)
            order = np.argsort(costs, axis=1, kind="stable")[:, :count]
            width = order.shape[1]
            neighbors.positions[block.queries, :width] = np.take_along_axis(positions, order, axis=1)
            neighbors.costs[block.queries, :width] = np.take_along_axis(costs, order, axis=1)
        return neighbors

    def _hide_too_near(self, block: Block) -> None:
        # Only a few of thousands of candidates are near in time, and only these are looked up.
        order = np.argsort(block.candidates, kind="stable")
        candidates = block.candidates[order]
        first = np.searchsorted(candidates, block.queries - self.gap, side="right")
        counts = np.searchsorted(candidates, block.queries + self.gap) - first
        rows = np.repeat(np.arange(len(counts)), counts)
        columns = order[consecutive_from(first, counts)]
        same = self.example[block.queries[rows]] == self.example[block.candidates[columns]]
        block.distances[rows[same], columns[same]] = np.inf

    def _exact(self, block: Block, positions: Indices, columns: Indices) -> Rows:
        """Return the transition costs `(q, m)` of some columns of a block; positions: of these columns."""
        costs = self._distances_to_each(block.queries, positions)
        costs[np.isinf(np.take_along_axis(block.distances, columns, axis=1))] = np.inf
        return costs
