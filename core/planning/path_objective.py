# SPDX-License-Identifier: GPL-3.0-or-later
"""The objective of a path: edge costs, frames of the examples left unseen, a foreign pace."""

import numpy as np
from numpy.typing import NDArray

from ..library.transition_graph import TransitionGraph
from .stretches import NONE, Stretches

Frames = NDArray[np.int64]
Values = NDArray[np.float64]

UNSEEN_WEIGHT = 120.0
"""Penalty, in edge cost per second, for leaving all of the examples unseen."""
PACE_WEIGHT = 100.0
"""Penalty, in edge cost per second, for moving twice as fast as the examples on the whole."""
CROSSFADE_SECONDS = 0.4
"""Usual length of a crossfade, in seconds."""


def path_objective(graph: TransitionGraph, path: Frames) -> float:
    """Return the objective of a path, the smaller the better, in edge cost per second."""
    objectives, _ = objectives_of(graph, Stretches.of_path(path, graph.bounds), np.array([UNSEEN_WEIGHT]))
    return float(objectives[0])


def objectives_of(graph: TransitionGraph, stretches: Stretches, unseen_weights: Values) -> tuple[Values, Values]:
    """Return the objective `(B,)` of each stretch, and the share of the examples that it leaves unseen."""
    frames = stretches.frames
    leaves, targets = stretches.sources + stretches.lengths - 1, stretches.targets
    made = targets != NONE
    costs = np.where(made, graph.edge_costs_between(leaves, np.where(made, targets, 0)), 0.0).sum(axis=1)
    moved = ways_of(graph, stretches) + np.where(made, way_across(graph, leaves, targets), 0.0).sum(axis=1)
    unseen = unseen_share(graph, seen_of(graph, stretches), frames)
    return costs * graph.rate / frames + pace_cost(graph, moved, frames) + unseen_weights * unseen, unseen


def seen_of(graph: TransitionGraph, stretches: Stretches) -> NDArray[np.floating]:
    """Return how much `(B, G)` of each cluster is seen in each stretch, as `Coverage.seen_of_segments` tells."""
    seen = graph.coverage.seen_of_segments(stretches.sources[:, 0], stretches.lengths[:, 0])
    for segment in range(1, stretches.sources.shape[1]):
        seen = seen + graph.coverage.seen_of_segments(stretches.sources[:, segment], stretches.lengths[:, segment])
    return seen


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


def pace_cost(graph: TransitionGraph, moved: NDArray[np.floating], frames: Frames) -> Values:
    """Return the cost of moving so far in all, of paths of `frames` stage frames, both of one shape."""
    mean = graph.mean_pace
    if mean <= 0:
        return np.zeros(np.shape(moved))
    return np.asarray(PACE_WEIGHT * np.abs(np.log2(np.maximum(moved / (mean * frames), 1e-9))), np.float64)


def way_across(graph: TransitionGraph, leaves: Frames, arrivals: Frames) -> Values:
    """Return how much farther the joints move in the crossfade over each transition, in paces of stage frames.

    leaves, arrivals: of one shape, which the result has too. What the body moves during a crossfade anyway covers part
    of the way.
    """
    gaps = graph.thinned_poses[leaves] - graph.thinned_poses[arrivals]
    gaps *= gaps
    gap = np.sqrt(gaps.sum(axis=-2)).mean(axis=-1)
    own = CROSSFADE_SECONDS * graph.full_rate * graph.sampled.paces[leaves]
    return np.asarray((np.hypot(gap, own) - own) / graph.full_rate * graph.rate, np.float64)
