# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a tour: what its cuts cost, what it leaves unseen, a foreign pace, a foreign heading."""

import numpy as np
from numpy.typing import NDArray

from ..library.transition_graph import TransitionGraph, commonest_turn, same_heading

UNSEEN_WEIGHT = 150.0
"""What it costs a tour, in transition cost per second, to leave the examples unseen."""
PACE_WEIGHT = 100.0
"""What it costs a tour to move twice as fast as the examples on the whole."""
HEADING_WEIGHT = 20.0
"""What it costs a tour to face a right angle away from where the examples faced, in transition cost per second."""
FADE_SECONDS = 0.4
"""How long the way across a cut takes, about."""


def price(graph: TransitionGraph, tour: NDArray[np.int64]) -> float:
    """What is wrong with a tour: its cuts' cost per second, what it leaves unseen, a foreign pace or heading."""
    return price_and_unseen(graph, tour)[0]


def price_and_unseen(graph: TransitionGraph, tour: NDArray[np.int64]) -> tuple[float, float]:
    """As `price`, and the share of the examples that the tour leaves unseen."""
    leaves = _leaves(graph, tour)
    turned = _turned(graph, tour, leaves)
    cutting = float(np.sum(graph.transition_costs[tour[leaves], tour[leaves + 1]])) / (len(tour) / graph.rate)
    facing = HEADING_WEIGHT * float(np.mean(1.0 - np.cos(turned)))
    pace = PACE_WEIGHT * abs(float(np.log2(max(_pace(graph, tour, leaves), 1e-9))))
    left_out = _unseen(graph, tour, turned)
    return cutting + facing + pace + UNSEEN_WEIGHT * left_out, left_out


def _leaves(graph: TransitionGraph, tour: NDArray[np.int64]) -> NDArray[np.int64]:
    """The frames of the tour after which it cuts."""
    return np.flatnonzero((np.diff(tour) != 1) | (graph.ends[tour[1:]] != graph.ends[tour[:-1]]))


def _turned(graph: TransitionGraph, tour: NDArray[np.int64], leaves: NDArray[np.int64]) -> NDArray[np.floating]:
    """How far `(F,)` the result faces away from the example at each frame, radians, once it is turned as a whole."""
    turns = np.cumsum(graph.sampled.headings[tour[leaves]] - graph.sampled.headings[tour[leaves + 1]])
    turned = np.repeat(np.append(0.0, turns), np.diff(np.concatenate(([0], leaves + 1, [len(tour)]))))
    return turned - commonest_turn(turned)


def _unseen(graph: TransitionGraph, tour: NDArray[np.int64], turned: NDArray[np.floating]) -> float:
    """The share of the examples that a tour does not show, as far as it is long enough to.

    Of several, what is left out of the worst shown one counts as much as of all.
    """
    shown = np.bincount(tour, weights=same_heading(turned), minlength=len(graph.ends))
    expected = min(1.0, len(tour) / len(graph.ends))
    missing = np.maximum(expected - graph.similarity @ shown, 0.0)
    firsts = np.unique(graph.begins)
    if len(firsts) == 1:
        return float(np.mean(missing))
    worst = np.max(np.add.reduceat(missing, firsts) / np.diff(np.append(firsts, len(missing))))
    return float(np.mean(missing) + worst) / 2


def _pace(graph: TransitionGraph, tour: NDArray[np.int64], leaves: NDArray[np.int64]) -> float:
    """How fast the tour moves on the mean, in the examples' mean: its frames, and the way across its cuts."""
    mean = float(np.mean(graph.sampled.paces))
    if mean <= 0:
        return 1.0
    gaps = graph.sampled.poses[tour[leaves]] - graph.sampled.poses[tour[leaves + 1]]
    gap = np.linalg.norm(gaps, axis=2).mean(axis=1)
    # What the body moves during a fade anyway covers part of the way.
    own = FADE_SECONDS * graph.full_rate * graph.sampled.paces[tour[leaves]]
    across = float(np.sum(np.hypot(gap, own) - own))
    return (float(np.sum(graph.sampled.paces[tour])) + across / graph.full_rate * graph.rate) / (mean * len(tour))
