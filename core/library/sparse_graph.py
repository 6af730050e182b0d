# SPDX-License-Identifier: GPL-3.0-or-later
"""The sparse transition graph: the cheapest edges of each frame, all of them where the frames are few."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .transition_costs import Bounds
from .transition_graph import Departures, Frames, Groups, Predecessors, Rows, TransitionGraph
from .transition_windows import TransitionWindows

GROUP_PREDECESSORS = 4
"""Cheapest frames to come from that are kept for each frame of each group of examples, where groups are asked for:
without them, paths through a library of three styles showed the style that was asked for in 33 % of the frames, with
them in 99 %."""
GRAPH_TRANSITION_COST = 4.0
"""Base edge cost of any transition, even an invisible one."""
SQUARED_COST = 30.0
"""Edge cost of a transition as costly as the unit of `cost_unit`. The knee of the trade of docs/quality.md: less lets
bad transitions through, more repeats the few best."""
LEAST_UNIT = 0.1
"""Transitions cheaper than this, in units of movement, are as good as equal: a periodic example has many of them."""
UNIT_POWER = 0.7
"""The unit grows with this power of what the examples' best transitions cost: where all are poor, none is kept out."""
FOREIGN_COST = 24.0
"""Upper bound of the cheapest transition from one example to another, in edge cost."""


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges in the order of the frame they leave, then of the one they lead to.

    offsets: `(N + 1,)` where those of each frame begin. arrivals, costs: `(X,)` where they lead, and their edge costs.
    """

    offsets: Frames
    arrivals: NDArray[np.int32]
    costs: Rows

    @cached_property
    def frames(self) -> int:
        """N."""
        return len(self.offsets) - 1

    @cached_property
    def complete(self) -> bool:
        """True where every frame has an edge to every frame."""
        return len(self.arrivals) == self.frames**2

    @property
    def table(self) -> Rows:
        """`(N, N)` all edge costs, where the edges are complete."""
        return self.costs.reshape(self.frames, self.frames)

    @property
    def leaves(self) -> Frames:
        """`(X,)` the frames that the edges leave after."""
        return np.repeat(np.arange(self.frames), np.diff(self.offsets))


@dataclass(frozen=True, eq=False)
class Nearness:
    """The least edge costs from example to example, and what brings those that are far within reach.

    keys: ascending `from * E + to` of pairs of examples that an edge leads between. least: their least edge costs.
    factors: of all their edge costs.
    """

    keys: Frames = field(default_factory=lambda: np.empty(0, np.int64))
    least: Rows = field(default_factory=lambda: np.empty(0, np.float32))
    factors: Rows = field(default_factory=lambda: np.empty(0, np.float32))

    def ways_from(self, example: int, examples: int) -> tuple[Frames, Rows]:
        """Return the examples that edges lead to from one of all, and the least cost of each of these ways."""
        own = slice(*np.searchsorted(self.keys, (example * examples, (example + 1) * examples)))
        return self.keys[own] % examples, (self.least * self.factors)[own]

    @property
    def plain(self) -> bool:
        """True where no example is far from another."""
        return bool((self.factors == 1.0).all())

    def of(self, keys: Frames) -> Rows:
        """Return the factors `(X,)` of pairs of examples; 1 for those that are near."""
        if self.plain:
            return np.ones(len(keys), np.float32)
        found = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[found] == keys, self.factors[found], np.float32(1.0))


@dataclass(frozen=True, eq=False)
class SparseGraph(TransitionGraph):
    """A transition graph that keeps the cheapest edges of each frame, and computes the cost of any other when asked.

    windows: what costs are computed from. edges: those that are kept. unit: see `cost_unit`. nearness: of examples.
    leaving, arriving: `(N,)` what each end adds to edge costs; None: nothing, or that it is in the edges already.
    """

    windows: TransitionWindows
    edges: Edges
    unit: float
    nearness: Nearness
    leaving: NDArray[np.floating] | None = None
    arriving: NDArray[np.floating] | None = None

    def with_groups(self, groups: Groups) -> "SparseGraph":
        """Return the graph with predecessors of every group; all departures are kept as they are."""
        if not groups:
            return self
        pieces = [self.predecessors]
        frames, examples = np.arange(self.frames), self.bounds.example_of(np.arange(self.frames))
        for group in groups:
            members = frames[np.isin(examples, np.asarray(group))]
            if len(members):
                count, arriving = min(GROUP_PREDECESSORS, len(members)), self.windows.arriving(frames)
                found = self.windows.nearest_among(count, arriving, self.windows.leaving(members))
                left = np.maximum(self.windows.frames_left(found.positions), 0)
                pieces.append(Predecessors(left, found.costs))
        both = np.concatenate([one.frames for one in pieces], axis=1), np.concatenate([one.costs for one in pieces], 1)
        return replace(self, predecessors=Predecessors(*both))

    def with_preferences(
        self, leaving: NDArray[np.floating], arriving: NDArray[np.floating], scale: float
    ) -> "SparseGraph":
        """Return the graph with edge costs raised at both ends."""
        edges = self.edges
        if edges.complete:
            preference = (scale * np.add.outer(leaving, arriving)).astype(np.float32).ravel()
        else:
            preference = (scale * (leaving[edges.leaves] + arriving[edges.arrivals])).astype(np.float32)
            leaving, arriving = (
                scale * own if already is None else scale * own + already
                for own, already in ((leaving, self.leaving), (arriving, self.arriving))
            )
        return replace(self, edges=replace(edges, costs=edges.costs + preference), leaving=leaving, arriving=arriving)

    def departures(self, leaves: Frames) -> Departures:
        """Return the kept edges that leave after `leaves` `(L,)`."""
        edges = self.edges
        if edges.complete:
            return Departures(slice(None), edges.table[leaves])
        first, last = edges.offsets[leaves], edges.offsets[leaves + 1]
        index = first[:, None] + np.arange(max(int((last - first).max(initial=0)), 1))
        missing = index >= last[:, None]
        index[missing] = 0
        costs = np.where(missing, np.float32(np.inf), edges.costs[index])
        return Departures(np.where(missing, 0, edges.arrivals[index]).astype(np.int64), costs)

    def edge_costs(self, leaves: Frames, arrivals: Frames) -> Rows:
        """Return the edge costs `(X,)`."""
        if self.edges.complete:
            return self.edges.table[leaves, arrivals]
        costs = plain_edge_costs(self.windows.costs(leaves, arrivals), self.unit)
        costs *= self.nearness.of(example_pairs(self.bounds, leaves, arrivals))
        if self.leaving is not None and self.arriving is not None:
            costs += (self.leaving[leaves] + self.arriving[arrivals]).astype(np.float32)
        return costs

    def edge_costs_between(self, leaves: Frames, arrivals: Frames) -> Rows:
        """Return edge costs of arrays that can be broadcast together; of complete edges they are looked up as such."""
        if self.edges.complete:
            return self.edges.table[leaves, arrivals]
        return super().edge_costs_between(leaves, arrivals)

    def costs_to(self, arrival: int) -> Rows:
        """Return the transition costs `(N,)` of going on at one frame."""
        return self.windows.costs(np.arange(self.frames), np.full(self.frames, arrival))


def plain_edge_costs(costs: Rows, unit: float) -> Rows:
    """Return the edge costs of transition costs: squared, in a unit of what the best way on from a frame costs."""
    return np.asarray(GRAPH_TRANSITION_COST + SQUARED_COST * (costs / np.float32(unit)) ** 2, np.float32)


def cost_unit(best: Rows) -> float:
    """Return the unit of edge costs, given the cost `(N,)` of the best transition after each frame.

    In a walk the best transitions cost 0.4 and one of 1 is seen; in a dance they cost 1.2. One unit for both would let
    every walk jump about, or keep a dance from showing all.
    """
    best = best[np.isfinite(best)]
    return max(float(np.median(best)), LEAST_UNIT) ** UNIT_POWER if len(best) else 1.0


def example_pairs(bounds: Bounds, leaves: Frames, arrivals: NDArray[np.signedinteger]) -> Frames:
    """Return the keys `(X,)` of the pairs of examples that edges lead from and to."""
    return bounds.example_of(leaves) * len(bounds.starts) + bounds.example_of(arrivals.astype(np.int64, copy=False))


def nearness_of(edges: Edges, bounds: Bounds) -> Nearness:
    """Return the factors that bring the best way from each example to each other one within reach.

    Between two styles every transition is costly; yet both were given to be seen.
    """
    count = len(bounds.starts)
    if count == 1:
        return Nearness()
    if edges.complete:
        table = np.minimum.reduceat(np.minimum.reduceat(edges.table, bounds.starts, axis=0), bounds.starts, axis=1)
        keys, least = np.arange(count**2), table.ravel()
    else:
        pairs = example_pairs(bounds, edges.leaves, edges.arrivals)
        order = np.argsort(pairs, kind="stable")
        keys, firsts = np.unique(pairs[order], return_index=True)
        least = np.minimum.reduceat(edges.costs[order], firsts)
    far = np.isfinite(least) & (least > FOREIGN_COST) & (keys // count != keys % count)
    factors = np.where(far, FOREIGN_COST / np.where(far, least, 1.0).astype(np.float64), 1.0)
    return Nearness(keys, least, factors.astype(np.float32))


def with_nearness(edges: Edges, nearness: Nearness, bounds: Bounds) -> Edges:
    """Return the edges with their costs as `nearness` has them."""
    if nearness.plain:
        return edges
    factors = nearness.of(example_pairs(bounds, edges.leaves, edges.arrivals))
    return replace(edges, costs=np.asarray(edges.costs * factors, np.float32))
