# SPDX-License-Identifier: GPL-3.0-or-later
"""The objective of a path: transition costs, frames of the examples left unseen, a foreign pace, a foreign heading."""

import numpy as np
from numpy.typing import NDArray

from ..library.headings import commonest_turn, same_heading
from ..library.transition_graph import TransitionGraph

UNSEEN_WEIGHT = 150.0
"""Penalty, in transition cost per second, for leaving all of the examples unseen."""
PACE_WEIGHT = 100.0
"""Penalty, in transition cost per second, for moving twice as fast as the examples on the whole."""
HEADING_WEIGHT = 20.0
"""Penalty, in transition cost per second, for facing a right angle away from the examples."""
CROSSFADE_SECONDS = 0.4
"""Usual length of a crossfade, in seconds."""


def path_objective(graph: TransitionGraph, path: NDArray[np.int64]) -> float:
    """Return the objective of a path, the smaller the better, in transition cost per second."""
    return objective_and_unseen(graph, path)[0]


def objective_and_unseen(graph: TransitionGraph, path: NDArray[np.int64]) -> tuple[float, float]:
    """As `path_objective`, and the share of the examples that the path leaves unseen."""
    leaves = _leaves(graph, path)
    turned = _turned(graph, path, leaves)
    transitions = float(np.sum(graph.edge_costs(path[leaves], path[leaves + 1]))) / (len(path) / graph.rate)
    facing = HEADING_WEIGHT * float(np.mean(1.0 - np.cos(turned)))
    pace = PACE_WEIGHT * abs(float(np.log2(max(_pace(graph, path, leaves), 1e-9))))
    left_out = _unseen(graph, path, turned)
    return transitions + facing + pace + UNSEEN_WEIGHT * left_out, left_out


def _leaves(graph: TransitionGraph, path: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the frames of the path that transitions leave after."""
    return np.flatnonzero((np.diff(path) != 1) | (graph.ends[path[1:]] != graph.ends[path[:-1]]))


def _turned(graph: TransitionGraph, path: NDArray[np.int64], leaves: NDArray[np.int64]) -> NDArray[np.floating]:
    """Return the angles `(F,)` between the headings of result and example, radians, the whole result turned best."""
    turns = np.cumsum(graph.sampled.headings[path[leaves]] - graph.sampled.headings[path[leaves + 1]])
    turned = np.repeat(np.append(0.0, turns), np.diff(np.concatenate(([0], leaves + 1, [len(path)]))))
    return turned - commonest_turn(turned)


def _unseen(graph: TransitionGraph, path: NDArray[np.int64], turned: NDArray[np.floating]) -> float:
    """The share of the examples that a path does not show, as far as it is long enough to.

    Of several, what is left out of the worst shown one counts as much as of all.
    """
    visits = np.asarray(np.bincount(path, weights=same_heading(turned), minlength=len(graph.ends)), np.float64)
    expected = min(1.0, len(path) / len(graph.ends))
    missing = np.maximum(expected - graph.seen(visits), 0.0)
    firsts = np.unique(graph.begins)
    if len(firsts) == 1:
        return float(np.mean(missing))
    worst = np.max(np.add.reduceat(missing, firsts) / np.diff(np.append(firsts, len(missing))))
    return float(np.mean(missing) + worst) / 2


def _pace(graph: TransitionGraph, path: NDArray[np.int64], leaves: NDArray[np.int64]) -> float:
    """Return the path's mean pace, in the examples' mean: of its frames, and of the way across its transitions."""
    mean = float(np.mean(graph.sampled.paces))
    if mean <= 0:
        return 1.0
    gaps = graph.sampled.poses[path[leaves]] - graph.sampled.poses[path[leaves + 1]]
    gap = np.linalg.norm(gaps, axis=2).mean(axis=1)
    # What the body moves during a crossfade anyway covers part of the way.
    own = CROSSFADE_SECONDS * graph.full_rate * graph.sampled.paces[path[leaves]]
    across = float(np.sum(np.hypot(gap, own) - own))
    return (float(np.sum(graph.sampled.paces[path])) + across / graph.full_rate * graph.rate) / (mean * len(path))
