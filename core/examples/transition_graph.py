# SPDX-License-Identifier: GPL-3.0-or-later
"""Interface of the transition graph for path planning: predecessors, departures and similar frames.

Planning never asks for N x N entries, so that a graph may keep only a few edges for each frame.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .coverage import Coverage
from .transition_costs import Bounds

Rows = NDArray[np.float32]
Frames = NDArray[np.int64]
Groups = Sequence[Sequence[int]]
"""Groups of examples by number, one group for each label."""
POSE_JOINTS = 16
"""Largest number of joints by which the distance between poses is measured."""

GraphType = TypeVar("GraphType", bound="TransitionGraph")


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

    frames: Frames
    costs: Rows

    @cached_property
    def _index(self) -> Frames:
        return np.arange(len(self.frames))

    def cheapest(self, totals: Rows, costs: Rows) -> tuple[Frames, Rows]:
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

    arrivals: Frames | slice
    costs: Rows

    def arrivals_of(self, rows: Frames, columns: Frames) -> Frames:
        """Return the frames `(X,)` that some departures lead to."""
        return columns if isinstance(self.arrivals, slice) else self.arrivals[rows, columns]


@dataclass(frozen=True, eq=False)
class TransitionGraph(ABC):
    """The transition graph of the examples' N stage frames (Kovar, Gleicher, Pighin 2002).

    It has two costs: the transition cost of `transition_costs`, in units of the examples' movement, and the edge cost
    of a path, its square in a unit of the examples' own, since two slightly visible transitions are better than a bad
    one.
    predecessors: the cheapest for each frame. coverage: similar frames. sampled: the bodies. begins, ends: `(N,)` the
    first frame and the end of each frame's example. shortest, usual `(N,)`, longest, lookahead: lengths of segments, in
    stage frames. rate, full_rate: stage frames and full frames per second. coverage_weight: the weight of unseen
    frames in an initial path. noise: its randomness.
    """

    bounds: Bounds
    predecessors: Predecessors
    coverage: Coverage
    sampled: SampledBodies
    begins: Frames
    ends: Frames
    shortest: int
    usual: NDArray[np.floating]
    longest: int
    lookahead: int
    rate: float
    full_rate: float
    coverage_weight: float
    noise: float

    @abstractmethod
    def with_groups(self: GraphType, groups: Groups) -> GraphType:
        """Return the graph with predecessors, and departures, of every group of examples for each frame.

        With the nearest frames alone the graph has islands, and a path would stay in the label it begins with.
        """

    @abstractmethod
    def with_preferences(
        self: GraphType, leaving: NDArray[np.floating], arriving: NDArray[np.floating], scale: float
    ) -> GraphType:
        """Return the graph with `scale * (leaving[i] + arriving[j])` added to the edge cost of leaving i for j.

        leaving, arriving: `(N,)`.
        """

    @abstractmethod
    def departures(self, leaves: Frames) -> Departures:
        """Return the edges that leave after `leaves` `(L,)`, at least one each if any is possible."""

    @abstractmethod
    def edge_costs(self, leaves: Frames, arrivals: Frames) -> Rows:
        """Return the edge costs `(X,)` from `leaves` to `arrivals`, for kept edges and others; infinite if there is no
        transition.
        """

    @abstractmethod
    def costs_to(self, arrival: int) -> Rows:
        """Return the transition costs `(N,)` of continuing at `arrival` after each frame, infinite for none."""

    def edge_costs_between(self, leaves: Frames, arrivals: Frames) -> Rows:
        """Return edge costs as `edge_costs` does, for arrays that can be broadcast together."""
        leaves, arrivals = np.broadcast_arrays(leaves, arrivals)
        return self.edge_costs(leaves.ravel(), arrivals.ravel()).reshape(leaves.shape)

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
    def lookahead_ends(self) -> Frames:
        """Return the end `(N,)` of each frame's lookahead."""
        return np.minimum(np.arange(len(self.ends)) + self.lookahead, self.ends)

    @cached_property
    def near_begin(self) -> NDArray[np.bool_]:
        """Return a mask `(N,)` of the frames with less than a usual segment before them."""
        return np.asarray(np.arange(len(self.ends)) - self.begins < self.usual)

    @cached_property
    def near_end(self) -> NDArray[np.bool_]:
        """Return a mask `(N,)` of the frames with less than a usual segment left from them on."""
        return np.asarray(self.ends - np.arange(len(self.ends)) < self.usual)

    @cached_property
    def firsts(self) -> Frames:
        """Return the first frame `(E,)` of each example."""
        return np.unique(self.begins)

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
    def pace_sums(self) -> NDArray[np.float64]:
        """Return the movement `(N + 1,)` of the joints in all frames before each."""
        return np.concatenate(([0.0], np.cumsum(self.sampled.paces, dtype=np.float64)))

    def paces_of(self, starts: Frames, lengths: Frames) -> NDArray[np.float64]:
        """Return the movement of the joints in segments."""
        return np.asarray(self.pace_sums[starts + lengths] - self.pace_sums[starts])
