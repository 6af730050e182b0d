# SPDX-License-Identifier: GPL-3.0-or-later
"""The objective of a path: edge costs, frames of the examples left unseen, a foreign pace."""

import numpy as np
from numpy.typing import NDArray

from ..library.transition_graph import TransitionGraph

Values = NDArray[np.float64]

UNSEEN_WEIGHT = 300.0
"""Penalty, in edge cost per second, for leaving all of the examples unseen."""
PACE_WEIGHT = 100.0
"""Penalty, in edge cost per second, for moving twice as fast as the examples on the whole."""
CROSSFADE_SECONDS = 0.4
"""Usual length of a crossfade, in seconds."""


def path_objective(graph: TransitionGraph, path: NDArray[np.int64]) -> float:
    """Return the objective of a path, the smaller the better, in edge cost per second."""
    return objective_and_unseen(graph, path)[0]


def objective_and_unseen(
    graph: TransitionGraph, path: NDArray[np.int64], unseen_weight: float = UNSEEN_WEIGHT
) -> tuple[float, float]:
    """As `path_objective`, and the share of the examples that the path leaves unseen."""
    leaves = leaves_of(graph, path)
    out, into = path[leaves], path[leaves + 1]
    transitions = float(np.sum(graph.edge_costs(out, into))) / (len(path) / graph.rate)
    moved = np.sum(graph.sampled.paces[path], dtype=np.float64) + np.sum(way_across(graph, out, into))
    seen = graph.coverage.seen(graph.coverage.visits_of(path))
    left_out = float(unseen_share(graph, seen, len(path)))
    return transitions + float(pace_cost(graph, moved, len(path))) + unseen_weight * left_out, left_out


def leaves_of(graph: TransitionGraph, path: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the stage frames `(X,)` of a path after which it goes on elsewhere than with the next example frame."""
    return np.flatnonzero((np.diff(path) != 1) | (graph.ends[path[1:]] != graph.ends[path[:-1]]))


def unseen_share(graph: TransitionGraph, seen: NDArray[np.floating], frames: int) -> Values:
    """Return the share of the examples that a path of `frames` does not show, as far as it is long enough to.

    seen: `(G,)` as of `Coverage.seen`, or `(G, B)` for B paths; the shares are `()` or `(B,)`. Of several
    examples, what is left out of the worst shown one counts as much as of all.
    """
    missing = np.maximum(min(1.0, frames / graph.frames) - seen, 0.0)
    mean = graph.coverage.mean(missing)
    if len(graph.bounds.starts) == 1:
        return mean
    worst = graph.coverage.mean_of_examples(missing).max(axis=0)
    return np.asarray((mean + worst) / 2, np.float64)


def pace_cost(graph: TransitionGraph, moved: NDArray[np.floating] | np.floating, frames: int) -> Values:
    """Return the cost of moving so far in all, as `(B,)` for B paths of `frames` stage frames or a single one."""
    mean = graph.mean_pace
    if mean <= 0:
        return np.zeros(np.shape(moved))
    return np.asarray(PACE_WEIGHT * np.abs(np.log2(np.maximum(moved / (mean * frames), 1e-9))), np.float64)


def way_across(graph: TransitionGraph, leaves: NDArray[np.int64], arrivals: NDArray[np.int64]) -> Values:
    """Return how much farther the joints move in the crossfade over each transition `(X,)`, in paces of stage frames.

    What the body moves during a crossfade anyway covers part of the way.
    """
    gaps = graph.sampled.poses[leaves] - graph.sampled.poses[arrivals]
    gap = np.sqrt(np.einsum("xjc,xjc->xj", gaps, gaps)).mean(axis=1)
    own = CROSSFADE_SECONDS * graph.full_rate * graph.sampled.paces[leaves]
    return np.asarray((np.hypot(gap, own) - own) / graph.full_rate * graph.rate, np.float64)
