# SPDX-License-Identifier: GPL-3.0-or-later
"""The objective of a path: edge costs, frames of the examples left unseen, a foreign pace."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..library.transition_graph import TransitionGraph
from ..motion.filters import means
from .pace import pace_cost
from .stretches import NONE, Stretches

Frames = NDArray[np.int64]
Values = NDArray[np.float64]

UNSEEN_WEIGHT = 120.0
"""Penalty, in edge cost per second, for leaving all of the examples unseen."""
NO_EDGE = 1e6
"""Edge cost of a transition that the graph does not keep, where a path has one: any other is better."""
CROSSFADE_SECONDS = 0.4
"""Usual length of a crossfade, in seconds."""


def path_objective(graph: TransitionGraph, path: Frames) -> float:
    """Return the objective of a path, the smaller the better, in edge cost per second."""
    objectives, _ = objectives_of(graph, Stretches.of_path(path, graph.bounds), np.array([UNSEEN_WEIGHT]))
    return float(objectives[0])


def objectives_of(graph: TransitionGraph, stretches: Stretches, unseen_weights: Values) -> tuple[Values, Values]:
    """Return the objective `(B,)` of each stretch, and the share of the examples that it leaves unseen."""
    sums = sums_of(graph, stretches)
    objectives = objectives_of_sums(graph, sums, stretches.frames, unseen_weights)
    return objectives, unseen_share(graph, sums.seen, stretches.frames)


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over B stretches, which their objectives are made of.

    costs: `(B,)` edge costs. moved: `(B,)` how far the joints move. seen: `(B, G)` how much of each cluster is seen.
    """

    costs: Values
    moved: Values
    seen: NDArray[np.floating]

    def take(self, which: Frames) -> "Sums":
        """Return the sums of some stretches."""
        return Sums(self.costs[which], self.moved[which], self.seen[which])

    def more(self, other: "Sums") -> "Sums":
        """Return the sums with others added."""
        return Sums(self.costs + other.costs, self.moved + other.moved, self.seen + other.seen)

    def less(self, other: "Sums") -> "Sums":
        """Return the sums without others."""
        return Sums(self.costs - other.costs, self.moved - other.moved, self.seen - other.seen)

    def dearer(self, costs: Values) -> "Sums":
        """Return the sums with costs added to theirs."""
        return replace(self, costs=self.costs + costs)

    def added(self, begins: Frames) -> "Sums":
        """Return the sums of groups of stretches, which begin at `begins`."""
        costs, moved, seen = (np.add.reduceat(one, begins, axis=0) for one in (self.costs, self.moved, self.seen))
        return Sums(costs, moved, seen)


def sums_of(graph: TransitionGraph, stretches: Stretches) -> Sums:
    """Return the sums of stretches; a transition that is none costs NO_EDGE."""
    leaves, targets = stretches.sources + stretches.lengths - 1, stretches.targets
    made = targets != NONE
    leaves, targets = np.where(made, leaves, 0), np.where(made, targets, 0)
    costs = np.where(made, np.minimum(graph.edge_costs_between(leaves, targets), NO_EDGE), 0.0).sum(axis=1)
    moved = ways_of(graph, stretches) + np.where(made, way_across(graph, leaves, targets), 0.0).sum(axis=1)
    return Sums(costs, moved, seen_of(graph, stretches))


def objectives_of_sums(graph: TransitionGraph, sums: Sums, frames: Frames, unseen_weights: Values) -> Values:
    """Return the objectives `(B,)` of stretches of `frames` stage frames that have these sums."""
    unseen = unseen_weights * unseen_share(graph, sums.seen, frames)
    return sums.costs * graph.rate / frames + pace_cost(graph, sums.moved, frames) + unseen


def seen_of(graph: TransitionGraph, stretches: Stretches) -> NDArray[np.floating]:
    """Return how much `(B, G)` of each cluster is seen in each stretch, as `Coverage.seen_of_paths` tells."""
    return graph.coverage.seen_of_paths(stretches.sources, stretches.lengths)


def ways_of(graph: TransitionGraph, stretches: Stretches) -> Values:
    """Return how far the joints move in the segments of each stretch, `(B,)`."""
    ends = stretches.sources + stretches.lengths
    return np.asarray((graph.pace_sums[ends] - graph.pace_sums[stretches.sources]).sum(axis=1))


def unseen_share(graph: TransitionGraph, seen: NDArray[np.floating], frames: Frames) -> Values:
    """Return the share of the examples that paths of `frames` do not show, as far as they are long enough to.

    seen: `(..., G)` as of `Coverage.seen_of_segments`; frames: `(...,)`, as the shares. Of several examples,
    what is left out of the worst shown one counts as much as of all.
    """
    expected = np.minimum(1.0, frames / graph.frames).astype(np.float32)
    missing = np.maximum(expected[..., None] - seen, np.float32(0.0))
    mean = graph.coverage.mean(missing)
    if len(graph.bounds.starts) == 1:
        return mean
    return np.asarray((mean + graph.coverage.mean_of_examples(missing).max(axis=-1)) / 2, np.float64)


def way_across(graph: TransitionGraph, leaves: Frames, arrivals: Frames) -> Values:
    """Return how much farther the joints move in the crossfade over each transition, in paces of stage frames.

    leaves, arrivals: of one shape, which the result has too. What the body moves during a crossfade anyway covers part
    of the way.
    """
    gaps = graph.thinned_poses[leaves] - graph.thinned_poses[arrivals]
    gaps *= gaps
    gap = means(np.sqrt(np.add.reduce(gaps, axis=-2)))
    own = CROSSFADE_SECONDS * graph.full_rate * graph.sampled.paces[leaves]
    return np.asarray((np.hypot(gap, own) - own) / graph.full_rate * graph.rate, np.float64)
