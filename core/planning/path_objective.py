# SPDX-License-Identifier: GPL-3.0-or-later
"""The objective of a path: edge costs, example frames left unseen, and deviation from the examples' pace."""

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, Float64, Indices, Mask
from ..examples.transition_graph import TransitionGraph
from ..motion.comparing import ROUNDING
from ..motion.filters import means
from .crossfades import SHORTEST_CROSSFADE_SECONDS
from .pace import pace_cost
from .stretches import NONE, Stretches

Values = Float64

UNSEEN_WEIGHT = 120.0
"""Penalty, in edge cost per second, for leaving all of the examples unseen."""
NO_EDGE = 1e6
"""Cost of a transition that the graph does not keep, or of a path that is not possible; any other is better."""


def path_objective(graph: TransitionGraph, path: Indices) -> float:
    """Return the objective of a path, the smaller the better, in edge cost per second."""
    objectives, _ = objectives_of(graph, Stretches.of_path(path, graph.bounds), np.array([UNSEEN_WEIGHT]))
    return float(objectives[0])


def objectives_of(graph: TransitionGraph, stretches: Stretches, unseen_weights: Values) -> tuple[Values, Values]:
    """Return the objective `(B,)` of each stretch, and its unseen share `(B,)` of the examples."""
    sums = sums_of(graph, stretches)
    objectives = objectives_of_sums(graph, sums, stretches.frames, unseen_weights)
    return objectives, unseen_share(graph, sums.seen, stretches.frames)


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over B stretches, from which their objectives are computed.

    costs: `(B,)` edge costs. moved: `(B,)` distances that the joints move. seen: `(B, G)` amounts of clusters seen.
    """

    costs: Values
    moved: Values
    seen: Array

    def take(self, which: Indices) -> "Sums":
        """Return the sums of some stretches."""
        return Sums(self.costs[which], self.moved[which], self.seen[which])

    def more(self, other: "Sums") -> "Sums":
        """Return the sums plus others."""
        return Sums(self.costs + other.costs, self.moved + other.moved, self.seen + other.seen)

    def less(self, other: "Sums") -> "Sums":
        """Return the sums minus others."""
        return Sums(self.costs - other.costs, self.moved - other.moved, self.seen - other.seen)

    def dearer(self, costs: Values) -> "Sums":
        """Return the sums with `costs` added to the edge costs."""
        return replace(self, costs=self.costs + costs)

    def by_owner(self, owners: Indices, count: int) -> "Sums":
        """Return the sums over the stretches of each of `count` owners; owners: `(B,)`."""
        totals = []
        for values in (self.costs, self.moved, self.seen):
            totals.append(np.zeros((count, *values.shape[1:]), values.dtype))
            np.add.at(totals[-1], owners, values)
        return Sums(*totals)


def sums_of(graph: TransitionGraph, stretches: Stretches) -> Sums:
    """Return the sums of stretches; an impossible transition costs NO_EDGE."""
    leaves, targets = stretches.sources + stretches.lengths - 1, stretches.targets
    continues = targets != NONE
    leaves, targets = np.where(continues, leaves, 0), np.where(continues, targets, 0)
    costs = np.where(continues, np.minimum(graph.edge_costs_between(leaves, targets), NO_EDGE), 0.0).sum(axis=1)
    across = np.where(continues, distance_across(graph, leaves, targets), 0.0).sum(axis=1)
    moved = distance_within(graph, stretches) + across
    return Sums(costs, moved, graph.coverage.seen_of_paths(stretches.sources, stretches.lengths))


def objectives_of_sums(graph: TransitionGraph, sums: Sums, frames: Indices, unseen_weights: Values) -> Values:
    """Return the objectives `(B,)` of stretches of `frames` stage frames that have these sums."""
    unseen = unseen_weights * unseen_share(graph, sums.seen, frames)
    return sums.costs * graph.rate / frames + pace_cost(graph, sums.moved, frames) + unseen


def taken(
    graph: TransitionGraph, frames: Indices, sums: Sums, change: Sums, owners: Indices, unseen_weights: Values
) -> Mask:
    """Return a mask `(W,)` of the changes to make: in each path all better ones, unless the best of them alone is
    better than all together.

    frames, sums, unseen_weights: of B stretches. change: of their sums, by each of W changes. owners: `(W,)` the
    stretches to which these belong.
    """
    before = objectives_of_sums(graph, sums, frames, unseen_weights)
    alone = objectives_of_sums(graph, sums.take(owners).more(change), frames[owners], unseen_weights[owners])
    gains = before[owners] - alone
    better = gains > ROUNDING
    rows = np.flatnonzero(better)
    all_of_them = sums.more(change.take(rows).by_owner(owners[rows], len(frames)))
    together = before - objectives_of_sums(graph, all_of_them, frames, unseen_weights)
    best_first = rows[np.lexsort((-gains[rows], owners[rows]))]
    paths, firsts = np.unique(owners[best_first], return_index=True)
    best = best_first[firsts]
    alone_best = gains[best] - ROUNDING > together[paths]
    better[np.isin(owners, paths[alone_best])] = False
    better[best[alone_best]] = True
    return better


def distance_within(graph: TransitionGraph, stretches: Stretches) -> Values:
    """Return the distance `(B,)` that the joints move in the segments of each stretch."""
    ends = stretches.sources + stretches.lengths
    return np.asarray((graph.pace_sums[ends] - graph.pace_sums[stretches.sources]).sum(axis=1))


def unseen_share(graph: TransitionGraph, seen: Array, frames: Indices) -> Values:
    """Return the share of the examples that paths of `frames` stage frames leave unseen.

    A path too short to show all examples is expected to show less. seen: `(..., G)` as from
    `Coverage.seen_of_segments`. frames: `(...,)`, the shape of the result. With several examples, the unseen share of
    the example that is shown least counts as much as that of all together.
    """
    expected = np.minimum(1.0, frames / graph.frames).astype(np.float32)
    missing = np.maximum(expected[..., None] - seen, np.float32(0.0))
    mean = graph.coverage.mean(missing)
    if len(graph.bounds.starts) == 1:
        return mean
    return np.asarray((mean + graph.coverage.mean_of_examples(missing).max(axis=-1)) / 2, np.float64)


def distance_across(graph: TransitionGraph, leaves: Indices, arrivals: Indices) -> Values:
    """Return the additional distance that the joints move in the crossfade over each transition, in stage frame paces.

    leaves, arrivals: of one shape, the shape of the result. The body's own movement during a crossfade covers part of
    the distance.
    """
    gaps = graph.thinned_poses[leaves] - graph.thinned_poses[arrivals]
    gaps *= gaps
    gap = means(np.sqrt(np.add.reduce(gaps, axis=-2)))
    traveled = SHORTEST_CROSSFADE_SECONDS * graph.full_rate * graph.sampled.paces[leaves]
    return np.asarray((np.hypot(gap, traveled) - traveled) / graph.full_rate * graph.rate, np.float64)
