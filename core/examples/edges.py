# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges of a transition graph, their costs, and the factors that bring distant examples within reach."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arrays import Indices, Rows
from .transition_costs import Bounds

GRAPH_TRANSITION_COST = 4.0
"""Base edge cost of any transition, even an invisible one."""
SQUARED_COST = 30.0
"""Edge cost added by a transition of one unit of `cost_unit`. It is the knee of a trade-off: less
allows bad transitions, more repeats the few best."""
LEAST_UNIT = 0.1
"""Transition cost, in units of movement, below which differences do not matter: a periodic example has many such
transitions."""
UNIT_POWER = 0.7
"""Exponent by which the unit grows with the cost of the examples' best transitions. If all are poor, none is excluded.
"""
FOREIGN_COST = GRAPH_TRANSITION_COST + SQUARED_COST
"""Upper bound, in edge cost, of the cheapest transition from one example to another: that of one unit of `cost_unit`.
"""


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges ordered by the frame they leave, then by the frame they lead to.

    offsets: `(N + 1,)` index of each frame's first edge. arrivals, costs: `(X,)` frames they lead to, and edge costs.
    """

    offsets: Indices
    arrivals: NDArray[np.int32]
    costs: Rows

    @cached_property
    def frames(self) -> int:
        """Return the number of frames, N."""
        return len(self.offsets) - 1

    @cached_property
    def complete(self) -> bool:
        """Return whether every frame has an edge to every frame."""
        return len(self.arrivals) == self.frames**2

    @property
    def table(self) -> Rows:
        """Return all edge costs `(N, N)`; the edges must be complete."""
        return self.costs.reshape(self.frames, self.frames)

    @property
    def leaves(self) -> Indices:
        """Return the frames `(X,)` that the edges leave after."""
        return np.repeat(np.arange(self.frames), np.diff(self.offsets))


@dataclass(frozen=True, eq=False)
class Nearness:
    """The least edge costs between examples, and factors that bring distant examples within reach.

    keys: `from * E + to`, ascending, of pairs of examples that have an edge. least: their least edge costs. factors:
    multipliers of all their edge costs.
    """

    keys: Indices = field(default_factory=lambda: np.empty(0, np.int64))
    least: Rows = field(default_factory=lambda: np.empty(0, np.float32))
    factors: Rows = field(default_factory=lambda: np.empty(0, np.float32))

    def reached_from(self, example: int, examples: int) -> tuple[Indices, Rows]:
        """Return the examples that edges lead to from `example`, and the least cost to each; examples: number of all.

        The costs include the factors.
        """
        leaving = slice(*np.searchsorted(self.keys, (example * examples, (example + 1) * examples)))
        return self.keys[leaving] % examples, (self.least * self.factors)[leaving]

    @property
    def plain(self) -> bool:
        """Return whether no example is far from another."""
        return bool((self.factors == 1.0).all())

    def of(self, keys: Indices) -> Rows:
        """Return the factors `(X,)` of pairs of examples; 1 for near ones."""
        if self.plain:
            return np.ones(len(keys), np.float32)
        index = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[index] == keys, self.factors[index], np.float32(1.0))


def plain_edge_costs(costs: Rows, unit: float) -> Rows:
    """Return the edge costs of transition costs, which are squared in the examples' own unit, see `cost_unit`."""
    return np.asarray(GRAPH_TRANSITION_COST + SQUARED_COST * (costs / np.float32(unit)) ** 2, np.float32)


def cost_unit(best: Rows) -> float:
    """Return the unit of edge costs, given the cost `(N,)` of the best transition after each frame.

    In a walk the best transitions cost 0.4, and one of cost 1 is visible; in a dance the best cost 1.2. With one unit
    for both, walks would jump about, or dances would not show all of the examples.
    """
    best = best[np.isfinite(best)]
    return max(float(np.median(best)), LEAST_UNIT) ** UNIT_POWER if len(best) else 1.0


def example_pairs(bounds: Bounds, leaves: Indices, arrivals: NDArray[np.signedinteger]) -> Indices:
    """Return the keys `(X,)` of the pairs of examples that edges lead from and to."""
    return bounds.example_of(leaves) * len(bounds.starts) + bounds.example_of(arrivals.astype(np.int64, copy=False))


def least_costs(keys: Indices, costs: Rows) -> tuple[Indices, Rows]:
    """Return keys `(X,)`, at least 0, each once and ascending, with the least of the costs `(X,)` of each."""
    order = np.argsort(keys)
    keys = keys[order]
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[firsts], np.minimum.reduceat(costs[order], firsts)


def nearness_of(edges: Edges, bounds: Bounds) -> Nearness:
    """Return the factors that bring the best transition from each example to each other one within reach.

    Between two styles every transition is costly, but the user wants to see both.
    """
    count = len(bounds.starts)
    if count == 1:
        return Nearness()
    if edges.complete:
        table = np.minimum.reduceat(np.minimum.reduceat(edges.table, bounds.starts, axis=0), bounds.starts, axis=1)
        keys, least = np.arange(count**2), table.ravel()
    else:
        keys, least = least_costs(example_pairs(bounds, edges.leaves, edges.arrivals), edges.costs)
    far = np.isfinite(least) & (least > FOREIGN_COST) & (keys // count != keys % count)
    factors = np.where(far, FOREIGN_COST / np.where(far, least, 1.0).astype(np.float64), 1.0)
    return Nearness(keys, least, factors.astype(np.float32))


def with_nearness(edges: Edges, nearness: Nearness, bounds: Bounds) -> Edges:
    """Return the edges with their costs multiplied by the factors of `nearness`."""
    if nearness.plain:
        return edges
    factors = nearness.of(example_pairs(bounds, edges.leaves, edges.arrivals))
    return replace(edges, costs=np.asarray(edges.costs * factors, np.float32))
