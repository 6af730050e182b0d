# SPDX-License-Identifier: GPL-3.0-or-later
"""The transition graph of the examples, as path planning asks for it: predecessors, departures and similar frames.

Nothing that planning asks for has N x N entries, so that a graph may keep a few edges for each frame alone.
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
"""Groups of examples, by their numbers: those of one label each."""

POSE_JOINTS = 16
"""Joints, at most, by which the way from one pose to another is told."""

GraphType = TypeVar("GraphType", bound="TransitionGraph")


@dataclass(frozen=True, eq=False)
class Sampled:
    """The examples' bodies at N stage frames.

    poses: `(N, J, 3)` where the joints are, seen from the root. headings: `(N,)` radians, which way they face; zero
    where that is kept anyway. paces: `(N,)` how far the joints move per frame of the full rate, on the mean.
    """

    poses: Rows
    headings: Rows
    paces: Rows


@dataclass(frozen=True, eq=False)
class Predecessors:
    """For each of N frames, M frames to come from.

    frames: `(N, M)`. costs: `(N, M)` transition costs (see `transition_costs`); infinite where a frame has fewer.
    """

    frames: Frames
    costs: Rows

    @cached_property
    def _index(self) -> Frames:
        return np.arange(len(self.frames))

    def cheapest(self, totals: Rows, costs: Rows) -> tuple[Frames, Rows]:
        """Return the best predecessor `(N,)` of each frame, and the total by way of it.

        totals: `(N,)` cost of being at each frame before the transition. costs: `(N, M)` of the transitions, as the
        caller weighs them.
        """
        by_transition = totals[self.frames] + costs
        best = by_transition.argmin(axis=1)
        return self.frames[self._index, best], by_transition[self._index, best]


@dataclass(frozen=True, eq=False)
class Departures:
    """Transitions that leave after L given frames.

    arrivals: `(L, K)` the frames they lead to, or the slice of all frames; costs: `(L, K)` edge costs, infinite where a
    frame has fewer departures than K.
    """

    arrivals: Frames | slice
    costs: Rows

    def arrivals_of(self, rows: Frames, columns: Frames) -> Frames:
        """Return the frames `(X,)` that some departures lead to."""
        return columns if isinstance(self.arrivals, slice) else self.arrivals[rows, columns]


@dataclass(frozen=True, eq=False)
class TransitionGraph(ABC):
    """The transition graph of the examples' N stage frames (Kovar, Gleicher, Pighin 2002).

    Two costs: the transition cost of `transition_costs`, in units of the examples' movement, and the edge cost of a
    path, which counts its square in a unit of the examples' own, since two visible transitions are better than one
    that hurts.

    predecessors: for each frame the cheapest to come from. coverage: which frames show the same. sampled: the bodies.
    begins, ends: `(N,)` where the example of each frame begins and ends. shortest, usual `(N,)`, longest, lookahead:
    lengths of segments, in stage frames. rate, full_rate: stage frames and full frames per second. coverage_weight,
    noise: how strongly an initial path is drawn to what is unseen, and how much is left to chance.
    """

    bounds: Bounds
    predecessors: Predecessors
    coverage: Coverage
    sampled: Sampled
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

        The nearest alone form islands: whatever is asked for, a path would stay in the label it begins with.
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
        """Return the edges that leave after `leaves` `(L,)`: at least one each, where any is possible."""

    @abstractmethod
    def edge_costs(self, leaves: Frames, arrivals: Frames) -> Rows:
        """Return the edge cost `(X,)` of going on at one frame after another, kept or not; infinite where it is no
        transition.
        """

    @abstractmethod
    def costs_to(self, arrival: int) -> Rows:
        """Return the transition cost `(N,)` of going on at one frame after each; infinite where it is no transition."""

    def edge_costs_between(self, leaves: Frames, arrivals: Frames) -> Rows:
        """Return edge costs as `edge_costs` does, of arrays of any shapes that can be broadcast together."""
        leaves, arrivals = np.broadcast_arrays(leaves, arrivals)
        return self.edge_costs(leaves.ravel(), arrivals.ravel()).reshape(leaves.shape)

    @cached_property
    def frames(self) -> int:
        """N."""
        return len(self.ends)

    @cached_property
    def predecessor_edge_costs(self) -> Rows:
        """`(M, N)` the edge costs of going on at each frame after its predecessors, computed once.

        A result asks for them three times and more; computed each time, they took a third of a short result's time out
        of 60,000 frames.
        """
        return self.edge_costs_between(self.predecessors.frames.T, np.arange(self.frames))

    @cached_property
    def lookahead_ends(self) -> Frames:
        """`(N,)` up to where each frame looks ahead."""
        return np.minimum(np.arange(len(self.ends)) + self.lookahead, self.ends)

    @cached_property
    def near_begin(self) -> NDArray[np.bool_]:
        """`(N,)` whether less than a usual segment lies before a frame."""
        return np.asarray(np.arange(len(self.ends)) - self.begins < self.usual)

    @cached_property
    def near_end(self) -> NDArray[np.bool_]:
        """`(N,)` whether less than a usual segment is left from a frame on."""
        return np.asarray(self.ends - np.arange(len(self.ends)) < self.usual)

    @cached_property
    def firsts(self) -> Frames:
        """`(E,)` the first frame of each example."""
        return np.unique(self.begins)

    @cached_property
    def thinned_poses(self) -> Rows:
        """`(N, 3, j)` where some of the joints are, seen from the root: enough to tell how far a body moves."""
        step = -(-self.sampled.poses.shape[1] // POSE_JOINTS)
        return np.ascontiguousarray(self.sampled.poses[:, ::step].transpose(0, 2, 1))

    @cached_property
    def mean_pace(self) -> float:
        """The mean of the examples' paces."""
        return float(np.mean(self.sampled.paces))

    @cached_property
    def pace_sums(self) -> NDArray[np.float64]:
        """`(N + 1,)` how far the joints move in all frames before each."""
        return np.concatenate(([0.0], np.cumsum(self.sampled.paces, dtype=np.float64)))

    def paces_of(self, starts: Frames, lengths: Frames) -> NDArray[np.float64]:
        """Return how far the joints move in segments."""
        return np.asarray(self.pace_sums[starts + lengths] - self.pace_sums[starts])
