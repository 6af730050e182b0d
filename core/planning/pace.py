# SPDX-License-Identifier: GPL-3.0-or-later
"""The pace of a path beside the examples': its cost, and what showing each frame is worth to come back to it.

Good transitions lie where the body rests. A gesture that begins and ends at rest is thus easily shown once and the rest
for longer, in a motion that is slower than its example.
"""

import numpy as np
from numpy.typing import NDArray

from ..library.transition_graph import TransitionGraph

Frames = NDArray[np.int64]
Values = NDArray[np.float64]
Rows = NDArray[np.float32]
Mask = NDArray[np.bool_]

PACE_WEIGHT = 100.0
"""Penalty, in edge cost per second, for moving twice as fast as the examples on the whole, did nobody notice."""
NOTICED = float(np.log2(1.1))
"""A pace that is farther from the examples', in octaves, is noticed: it may be a tenth quicker or slower (the bound of
mean speeds in docs/quality.md). Beyond, the penalty grows with the square."""


def pace_cost(graph: TransitionGraph, moved: NDArray[np.floating], frames: Frames) -> Values:
    """Return the cost of moving so far in all, of paths of `frames` stage frames, both of one shape.

    The cost of a path too short to show all of the examples does not grow with the square: it shows a part of them,
    which may have a pace of its own.
    """
    if graph.mean_pace <= 0:
        return np.zeros(np.shape(moved))
    away = _octaves_away(graph, moved, frames)
    return np.asarray(PACE_WEIGHT * away * np.where(frames >= graph.frames, np.maximum(1.0, away / NOTICED), 1.0))


def pace_noticed(graph: TransitionGraph, moved: NDArray[np.floating], frames: Frames) -> Mask:
    """Return which of the paths could show all of the examples, and have a pace that is noticed not to be theirs."""
    if graph.mean_pace <= 0:
        return np.zeros(np.shape(moved), bool)
    return np.asarray((frames >= graph.frames) & (_octaves_away(graph, moved, frames) > NOTICED))


def pace_rewards(graph: TransitionGraph, moved: Values, frames: Frames) -> Rows:
    """Return what showing each example frame is worth `(B, N)`, in edge cost, to paths whose pace is noticed.

    moved, frames: `(B,)`. All of the cost of the pace is spread over what it takes to be rid of it: a frame as quick as
    the examples on the mean is worth nothing.
    """
    away = moved - graph.mean_pace * frames
    noticed = pace_noticed(graph, moved, frames)
    cost = pace_cost(graph, moved, frames) * frames / graph.rate
    worth = np.divide(-cost, away, out=np.zeros(len(away)), where=noticed)
    return np.asarray(worth[:, None] * (graph.sampled.paces - graph.mean_pace), np.float32)


def _octaves_away(graph: TransitionGraph, moved: NDArray[np.floating], frames: Frames) -> Values:
    return np.abs(np.log2(np.maximum(moved / (graph.mean_pace * frames), 1e-9)))
