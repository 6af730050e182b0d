# SPDX-License-Identifier: GPL-3.0-or-later
"""The dense transition graph: tables of all pairs of frames, for as many examples as they fit into the memory."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..settings import Settings
from .transition_costs import Bounds, Transitions
from .transition_graph import Departures, Frames, Groups, Predecessors, Rows, Sampled, TransitionGraph

PREDECESSORS = 12
"""Cheapest frames to come from that are kept for each frame ..."""
GROUP_PREDECESSORS = 4
"""... and of each group of examples, where groups are asked for: without them, paths through a library of three styles
showed the style that was asked for in 33 % of the frames, with them in 99 %."""
SHORTEST_SEGMENT_SECONDS = 0.8
USUAL_SEGMENT_SECONDS = 2.5
"""A transition's cost counts whole for a segment of this length, less for a longer one: cost per second matters."""
LONGEST_SEGMENT_SECONDS = 5.0
LONGEST_SHARE = 0.75
"""No segment shows more than this share of all examples: copying is not synthesis."""
LOOKAHEAD_SECONDS = 1.5
"""Time ahead in which the initial path counts visit deficits, in seconds."""
COVERAGE_WEIGHT = 48.0
"""Reward, in edge cost, for showing motion whose visit deficit is one."""
LEAST_COVERAGE_WEIGHT = 6.0
USUAL_PATCH = 11
USUAL_COMPLETENESS = 0.01
"""The paper's p and alpha, for which the values here are meant."""
GRAPH_TRANSITION_COST = 4.0
"""Base edge cost of any transition, even an invisible one."""
SQUARED_COST = 30.0
"""Edge cost of a transition as costly as the unit of `_edge_costs`. The knee of the trade of docs/quality.md: less lets
bad transitions through, more repeats the few best."""
LEAST_UNIT = 0.1
"""Transitions cheaper than this, in units of movement, are as good as equal: a periodic example has many of them."""
UNIT_POWER = 0.7
"""The unit grows with this power of what the examples' best transitions cost: where all are poor, none is kept out."""
FOREIGN_COST = 24.0
"""Upper bound of the cheapest transition from one example to another, in edge cost."""


@dataclass(frozen=True, eq=False)
class DenseGraph(TransitionGraph):
    """A transition graph that keeps every edge.

    costs: `(N, N)` transition costs, leaving after the row's frame and going on at the column's; infinite where it is
    none. all_edge_costs: `(N, N)` the edge costs. similarity: `(N, N)` how much of the row's frame is seen when
    the column's is shown, rows summing to one.
    """

    costs: Rows
    all_edge_costs: Rows
    similarity: Rows

    def with_groups(self, groups: Groups) -> "DenseGraph":
        """Return the graph with predecessors of every group; all departures are kept as they are."""
        if not groups:
            return self
        pieces = [self.predecessors]
        example = self.bounds.example_of(np.arange(self.frames))
        for group in groups:
            members = np.flatnonzero(np.isin(example, np.asarray(group)))
            if len(members):
                of_group = cheapest_predecessors(self.costs[members], GROUP_PREDECESSORS)
                pieces.append(Predecessors(members[of_group.frames], of_group.costs))
        frames = np.concatenate([piece.frames for piece in pieces], axis=1)
        return replace(self, predecessors=Predecessors(frames, np.concatenate([one.costs for one in pieces], axis=1)))

    def with_preferences(
        self, leaving: NDArray[np.floating], arriving: NDArray[np.floating], scale: float
    ) -> "DenseGraph":
        """Return the graph with edge costs raised at both ends."""
        preference = (scale * np.add.outer(leaving, arriving)).astype(np.float32)
        return replace(self, all_edge_costs=self.all_edge_costs + preference)

    def departures(self, leaves: Frames) -> Departures:
        """Return all edges that leave after `leaves` `(L,)`."""
        return Departures(slice(None), self.all_edge_costs[leaves])

    def edge_costs(self, leaves: Frames, arrivals: Frames) -> Rows:
        """Return the edge costs `(X,)`."""
        return self.all_edge_costs[leaves, arrivals]

    def costs_to(self, arrival: int) -> Rows:
        """Return the transition costs `(N,)` of going on at one frame."""
        return self.costs[:, arrival]

    def seen_with(self, frames: Frames) -> NDArray[np.floating]:
        """Return the share `(N,)` of each frame that is seen when `frames` are shown."""
        return np.asarray(self.similarity[:, frames].sum(axis=1))

    def seen(self, visits: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return the share `(N,)` of each frame that is seen after so many visits of each."""
        return np.asarray(self.similarity @ visits)


def build_transition_graph(
    transitions: Transitions, sampled: Sampled, bounds: Bounds, rate: float, full_rate: float, settings: Settings
) -> DenseGraph:
    """Return the transition graph of N stage frames at `rate` per second, of `full_rate` frames.

    Larger patches make longer segments, a smaller alpha pulls harder, more noise leaves more to chance.
    """
    scale = settings.patch_frames / USUAL_PATCH
    total = bounds.frames
    example = bounds.example_of(np.arange(total))
    shortest = max(1, min(round(scale * SHORTEST_SEGMENT_SECONDS * rate), total // 3))
    ends, begins = bounds.ends[example], bounds.starts[example]
    return DenseGraph(
        bounds=bounds,
        predecessors=cheapest_predecessors(transitions.costs, PREDECESSORS),
        sampled=sampled,
        begins=begins,
        ends=ends,
        shortest=shortest,
        usual=np.minimum(scale * USUAL_SEGMENT_SECONDS * rate, (ends - begins) / 2),
        longest=max(shortest + 1, min(round(scale * LONGEST_SEGMENT_SECONDS * rate), round(LONGEST_SHARE * total))),
        lookahead=max(1, min(round(LOOKAHEAD_SECONDS * rate), total)),
        rate=rate,
        full_rate=full_rate,
        coverage_weight=_coverage_weight(settings.completeness),
        noise=settings.noise,
        costs=transitions.costs,
        all_edge_costs=_within_reach(_edge_costs(transitions.costs), bounds),
        similarity=transitions.similarity,
    )


def cheapest_predecessors(costs: Rows, count: int) -> Predecessors:
    """Return the `count` cheapest rows of transition costs `(n, N)` for each column, or all where there are fewer."""
    count = min(count, len(costs))
    frames = np.argpartition(costs, count - 1, axis=0)[:count].T
    of_frame = costs[frames, np.arange(costs.shape[1])[:, None]]
    return Predecessors(np.ascontiguousarray(frames), np.ascontiguousarray(of_frame))


def _edge_costs(costs: Rows) -> Rows:
    """Return the edge costs `(N, N)` of transition costs: squared, in a unit of what the best way on from a frame
    costs.

    In a walk the best transitions cost 0.4 and one of 1 is seen; in a dance they cost 1.2. One unit for both would let
    every walk jump about, or keep a dance from showing all.
    """
    best = costs.min(axis=1, initial=np.inf)
    best = best[np.isfinite(best)]
    unit = max(float(np.median(best)), LEAST_UNIT) ** UNIT_POWER if len(best) else 1.0
    return np.asarray(GRAPH_TRANSITION_COST + SQUARED_COST * (costs / np.float32(unit)) ** 2, np.float32)


def _within_reach(edge_costs: Rows, bounds: Bounds) -> Rows:
    """Return the edge costs `(N, N)` with the best way from each example to each other one within reach.

    Between two styles every transition is costly; yet both were given to be seen.
    """
    least = np.minimum.reduceat(np.minimum.reduceat(edge_costs, bounds.starts, axis=0), bounds.starts, axis=1)
    far = np.isfinite(least) & (least > FOREIGN_COST)
    np.fill_diagonal(far, False)
    factors = np.where(far, FOREIGN_COST / np.where(far, least, 1.0).astype(np.float64), 1.0).astype(np.float32)
    lengths = bounds.ends - bounds.starts
    for example in np.flatnonzero(far.any(axis=1)):
        rows = slice(bounds.starts[example], bounds.ends[example])
        edge_costs[rows] *= np.repeat(factors[example], lengths)
    return edge_costs


def _coverage_weight(completeness: float | None) -> float:
    """Return the weight of coverage in a path for an alpha; plain matching keeps a small one."""
    if completeness is None:
        return LEAST_COVERAGE_WEIGHT
    return max(COVERAGE_WEIGHT * float((USUAL_COMPLETENESS / completeness) ** 0.25), LEAST_COVERAGE_WEIGHT)
