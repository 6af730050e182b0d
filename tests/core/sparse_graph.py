# SPDX-License-Identifier: GPL-3.0-or-later
"""A transition graph that keeps a few edges of each frame: what planning needs no table of all pairs for."""

from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np
from motions import Array

from genmm_addon.core import Prepared
from genmm_addon.core.library.dense_graph import DenseGraph
from genmm_addon.core.library.transition_graph import Departures, Frames, Groups, Predecessors, Rows, TransitionGraph


class Edges(TypedDict):
    """The fields of a sparse graph's edges."""

    leaves: Frames
    arrivals: Frames
    costs: Rows
    own_costs: Rows


@dataclass(frozen=True, eq=False)
class SparseGraph(TransitionGraph):
    """The cheapest edges that arrive at each frame, and the frames most similar to it.

    leaves, arrivals, costs, own_costs: `(E,)` edges, their edge costs and transition costs, sorted by the frame they
    leave, then by where they arrive. similar, shares: `(N, S)` by which frames each is seen as well, and how much.
    dense, widths: the graph it is taken from, for groups alone, and the numbers of edges and of similar frames.
    """

    leaves: Frames
    arrivals: Frames
    costs: Rows
    own_costs: Rows
    similar: Frames
    shares: Rows
    dense: DenseGraph
    widths: tuple[int, int]

    @classmethod
    def of(cls, dense: DenseGraph, edges: int, similar: int) -> "SparseGraph":
        """Return so many edges and similar frames of each frame."""
        total = dense.frames
        kept = np.argsort(dense.costs, axis=0, kind="stable")[:edges].T
        nearest = np.argsort(-dense.similarity, axis=1, kind="stable")[:, :similar]
        graph = cls(
            **{name: getattr(dense, name) for name in TransitionGraph.__dataclass_fields__},
            **_sorted_edges(dense, kept),
            similar=nearest,
            shares=np.take_along_axis(dense.similarity, nearest, axis=1),
            dense=dense,
            widths=(edges, similar),
        )
        nearest_sources = dense.predecessors.frames.shape[1]
        if edges >= nearest_sources:
            return graph
        return replace(graph, predecessors=Predecessors(kept, dense.costs[kept, np.arange(total)[:, None]]))

    def with_groups(self, groups: Groups) -> "SparseGraph":
        """Return the graph with edges from every group as well."""
        dense = self.dense.with_groups(groups)
        kept = np.concatenate((self._kept(), dense.predecessors.frames), axis=1)
        return replace(self, predecessors=dense.predecessors, **_sorted_edges(dense, kept))

    def _kept(self) -> Frames:
        return np.argsort(self.dense.costs, axis=0, kind="stable")[: self.widths[0]].T

    def with_preferences(self, leaving: Array, arriving: Array, scale: float) -> "SparseGraph":
        """Return the graph with the edge costs raised at both ends."""
        preference = (scale * (leaving[self.leaves] + arriving[self.arrivals])).astype(np.float32)
        return replace(self, costs=self.costs + preference)

    def departures(self, leaves: Frames) -> Departures:
        """Return the edges that leave after some frames, as wide as the most there are."""
        first, last = np.searchsorted(self.leaves, leaves), np.searchsorted(self.leaves, leaves, side="right")
        edges = first[:, None] + np.arange(max(int((last - first).max()), 1))
        missing = edges >= last[:, None]
        edges[missing] = 0
        costs = np.where(missing, np.float32(np.inf), self.costs[edges])
        return Departures(np.where(missing, 0, self.arrivals[edges]), costs)

    def edge_costs(self, leaves: Frames, arrivals: Frames) -> Rows:
        """Return the edge costs, infinite for what is no edge."""
        keys = self.leaves * self.frames + self.arrivals
        asked = leaves * self.frames + arrivals
        found = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
        return np.where(keys[found] == asked, self.costs[found], np.float32(np.inf))

    def costs_to(self, arrival: int) -> Rows:
        """Return the transition costs of the edges that arrive at a frame, infinite for all others."""
        costs, arriving = np.full(self.frames, np.inf, np.float32), self.arrivals == arrival
        costs[self.leaves[arriving]] = self.own_costs[arriving]
        return costs

    def seen_with(self, frames: Frames) -> Array:
        """Return the share of each frame that is seen when some are shown."""
        return self.seen(np.bincount(frames, minlength=self.frames).astype(np.float64))

    def seen(self, visits: Array) -> Array:
        """Return the share of each frame that is seen after so many visits."""
        return np.asarray(np.einsum("nm,nm...->n...", self.shares, visits[self.similar]))


def _sorted_edges(dense: DenseGraph, kept: Frames) -> Edges:
    """The edges from the `kept` `(N, M)` predecessors of each frame, each once."""
    keys = np.unique(kept.ravel() * dense.frames + np.repeat(np.arange(dense.frames), kept.shape[1]))
    leaves, arrivals = np.divmod(keys, dense.frames)
    costs, own_costs = dense.all_edge_costs[leaves, arrivals], dense.costs[leaves, arrivals]
    return {"leaves": leaves, "arrivals": arrivals, "costs": costs, "own_costs": own_costs}


def sparsely(prepared: Prepared, edges: int | None = None, similar: int | None = None) -> Prepared:
    """Examples whose parts have so many edges and similar frames for each frame; None is all."""
    plans = []
    for plan in prepared.parts:
        assert isinstance(plan.graph, DenseGraph)
        total = plan.graph.frames
        plans.append(replace(plan, graph=SparseGraph.of(plan.graph, edges or total, similar or total)))
    return replace(prepared, planning=replace(prepared.planning, parts=tuple(plans)))
