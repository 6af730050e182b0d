# SPDX-License-Identifier: GPL-3.0-or-later
"""Transition graph: the cheapest edges of each frame, or all edges if there are few frames.

Planning never asks for N x N entries: it asks for predecessors, departures, similar frames and single edges.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Array, Float64, Indices, Mask, Rows
from .coverage import Coverage
from .edges import Edges, Nearness, example_pairs, plain_edge_costs
from .transition_costs import Bounds
from .transition_windows import TransitionWindows

Groups = Sequence[Sequence[int]]
"""Groups of examples by number, one group for each label."""
FAR_PREDECESSORS = 4
"""Number of cheapest predecessors kept for each frame from other regions, and from each group of examples, if groups
are requested. Without those of groups, paths through a library of three styles showed the requested style in 33 % of
the frames, with them in 99 %."""
POSE_JOINTS = 16
"""Largest number of joints by which the distance between poses is measured."""


@dataclass(frozen=True, eq=False)
class SampledBodies:
    """The examples' bodies at N stage frames.

    poses: `(N, J, 3)` positions of the joints relative to the root. headings: `(N,)` radians; zero if the facing is
    kept anyway. paces: `(N,)` mean distance that the joints move per frame of the full rate.
    """

    poses: Rows
    headings: Rows
    paces: Rows


@dataclass(frozen=True, eq=False)
class Predecessors:
    """M predecessors of each of N frames.

    frames: `(N, M)`. costs: `(N, M)` transition costs (see `transition_costs`); infinite if a frame has fewer.
    """

    frames: Indices
    costs: Rows

    @cached_property
    def _index(self) -> Indices:
        return np.arange(len(self.frames))

    def cheapest(self, totals: Rows, costs: Rows) -> tuple[Indices, Rows]:
        """Return the best predecessor `(N,)` of each frame, and the total cost through it.

        totals: `(N,)` cost of being at each frame before the transition. costs: `(N, M)` of the transitions, weighted
        by the caller.
        """
        by_transition = totals[self.frames] + costs
        best = by_transition.argmin(axis=1)
        return self.frames[self._index, best], by_transition[self._index, best]


@dataclass(frozen=True, eq=False)
class Departures:
    """Transitions that leave after L given frames.

    arrivals: `(L, K)` the frames they lead to, or the slice of all frames. costs: `(L, K)` edge costs, infinite if a
    frame has fewer than K departures.
    """

    arrivals: Indices | slice
    costs: Rows

    def arrivals_of(self, rows: Indices, columns: Indices) -> Indices:
        """Return the frames `(X,)` that some departures lead to."""
        return columns if isinstance(self.arrivals, slice) else self.arrivals[rows, columns]


@dataclass(frozen=True, eq=False)
class TransitionGraph:
    """The transition graph of the examples' N stage frames (Kovar, Gleicher, Pighin 2002).

    It keeps the cheapest edges of each frame, and computes the cost of any other on demand.

    It has two costs: the transition cost of `transition_costs`, in units of the examples' movement, and the edge cost
    of a path, its square in a unit of the examples, since two slightly visible transitions are better than a bad
    one.

    predecessors: the cheapest for each frame. coverage: similar frames. sampled: the bodies. begins, ends: `(N,)` the
    first frame and the end of each frame's example. shortest, usual `(N,)`, longest, lookahead: lengths of segments, in
    stage frames. rate, full_rate: stage frames and full frames per second. coverage_weight: the weight of unseen
    frames in an initial path. noise: its randomness. windows: the windows from which costs are computed. edges: the
    kept edges. unit: see `cost_unit`. nearness: of examples. leaving, arriving: `(N,)` cost that each end adds to
    edges; None if it is zero, or already in the edges.
    """

    bounds: Bounds
    predecessors: Predecessors
    coverage: Coverage
    sampled: SampledBodies
    begins: Indices
    ends: Indices
    shortest: int
    usual: Array
    longest: int
    lookahead: int
    rate: float
    full_rate: float
    coverage_weight: float
    noise: float
    windows: TransitionWindows
    edges: Edges
    unit: float
    nearness: Nearness
    leaving: Array | None = None
    arriving: Array | None = None

    def with_groups(self, groups: Groups) -> "TransitionGraph":
        """Return the graph with predecessors of every group of examples for each frame; departures do not change.

        With the nearest frames alone the graph has islands, and a path would stay in the label it begins with.
        """
        if not groups:
            return self
        pieces = [self.predecessors]
        frames, examples = np.arange(self.frames), self.bounds.example_of(np.arange(self.frames))
        for group in groups:
            members = frames[np.isin(examples, np.asarray(group))]
            if len(members):
                count, arriving = min(FAR_PREDECESSORS, len(members)), self.windows.arriving(frames)
                nearest = self.windows.nearest_among(count, arriving, self.windows.leaving(members))
                left = np.maximum(self.windows.frames_left(nearest.positions), 0)
                pieces.append(Predecessors(left, nearest.costs))
        frames = np.concatenate([piece.frames for piece in pieces], axis=1)
        costs = np.concatenate([piece.costs for piece in pieces], axis=1)
        return replace(self, predecessors=Predecessors(frames, costs))

    def with_preferences(self, leaving: Array, arriving: Array, scale: float) -> "TransitionGraph":
        """Return the graph with `scale * (leaving[i] + arriving[j])` added to the edge cost of leaving i for j.

        leaving, arriving: `(N,)`.
        """
        edges = self.edges
        if edges.complete:
            preference = (scale * np.add.outer(leaving, arriving)).astype(np.float32).ravel()
        else:
            preference = (scale * (leaving[edges.leaves] + arriving[edges.arrivals])).astype(np.float32)
            leaving, arriving = (
                scale * costs if already is None else scale * costs + already
                for costs, already in ((leaving, self.leaving), (arriving, self.arriving))
            )
        return replace(self, edges=replace(edges, costs=edges.costs + preference), leaving=leaving, arriving=arriving)

    def departures(self, leaves: Indices) -> Departures:
        """Return the kept edges that leave after `leaves` `(L,)`, at least one each if any is possible."""
        edges = self.edges
        if edges.complete:
            return Departures(slice(None), edges.table[leaves])
        first, last = edges.offsets[leaves], edges.offsets[leaves + 1]
        index = first[:, None] + np.arange(max(int((last - first).max(initial=0)), 1))
        missing = index >= last[:, None]
        index[missing] = 0
        costs = np.where(missing, np.float32(np.inf), edges.costs[index])
        return Departures(np.where(missing, 0, edges.arrivals[index]).astype(np.int64), costs)

    def edge_costs(self, leaves: Indices, arrivals: Indices) -> Rows:
        """Return the edge costs `(X,)` from `leaves` to `arrivals`, for kept edges and others; infinite if there is no
        transition.
        """
        if self.edges.complete:
            return self.edges.table[leaves, arrivals]
        costs = plain_edge_costs(self.windows.costs(leaves, arrivals), self.unit)
        costs *= self.nearness.of(example_pairs(self.bounds, leaves, arrivals))
        if self.leaving is not None and self.arriving is not None:
            costs += (self.leaving[leaves] + self.arriving[arrivals]).astype(np.float32)
        return costs

    def edge_costs_between(self, leaves: Indices, arrivals: Indices) -> Rows:
        """Return edge costs as `edge_costs` does, for arrays that can be broadcast together."""
        if self.edges.complete:
            return self.edges.table[leaves, arrivals]
        leaves, arrivals = np.broadcast_arrays(leaves, arrivals)
        return self.edge_costs(leaves.ravel(), arrivals.ravel()).reshape(leaves.shape)

    def costs_to(self, arrival: int) -> Rows:
        """Return the transition costs `(N,)` of continuing at `arrival` after each frame, infinite for none."""
        return self.windows.costs(np.arange(self.frames), np.full(self.frames, arrival))

    @cached_property
    def frames(self) -> int:
        """Return the number of frames, N."""
        return len(self.ends)

    @cached_property
    def predecessor_edge_costs(self) -> Rows:
        """Return the edge costs `(M, N)` from the predecessors to each frame, computed once.

        A result asks for them at least three times. Computed each time, they took a third of the time of a short result
        from 60,000 frames.
        """
        return self.edge_costs_between(self.predecessors.frames.T, np.arange(self.frames))

    @cached_property
    def lookahead_ends(self) -> Indices:
        """Return the end `(N,)` of each frame's lookahead."""
        return np.minimum(np.arange(len(self.ends)) + self.lookahead, self.ends)

    @cached_property
    def near_begin(self) -> Mask:
        """Return a mask `(N,)` of the frames with less than a usual segment before them."""
        return np.asarray(np.arange(len(self.ends)) - self.begins < self.usual)

    @cached_property
    def near_end(self) -> Mask:
        """Return a mask `(N,)` of the frames with less than a usual segment left from them on."""
        return np.asarray(self.ends - np.arange(len(self.ends)) < self.usual)

    @cached_property
    def thinned_poses(self) -> Rows:
        """Return the positions `(N, 3, j)` of some joints relative to the root: enough to measure a body's movement."""
        step = -(-self.sampled.poses.shape[1] // POSE_JOINTS)
        return np.ascontiguousarray(self.sampled.poses[:, ::step].transpose(0, 2, 1))

    @cached_property
    def mean_pace(self) -> float:
        """Return the mean of the examples' paces."""
        return float(np.mean(self.sampled.paces))

    @cached_property
    def pace_sums(self) -> Float64:
        """Return the movement `(N + 1,)` of the joints in all frames before each."""
        return np.concatenate(([0.0], np.cumsum(self.sampled.paces, dtype=np.float64)))

    def paces_of(self, starts: Indices, lengths: Indices) -> Float64:
        """Return the movement of the joints in segments."""
        return np.asarray(self.pace_sums[starts + lengths] - self.pace_sums[starts])
