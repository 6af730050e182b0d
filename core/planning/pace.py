# SPDX-License-Identifier: GPL-3.0-or-later
"""Pace of a path compared with that of the examples: its cost, and rewards of frames that restore the pace.

Good transitions lie where the body rests. A path may therefore show a gesture that begins and ends at rest only once,
and the rest for longer, so that the motion is slower than its example.
"""

import numpy as np

from ..arrays import Array, Float64, Indices, Mask, Rows
from ..examples.transition_graph import TransitionGraph

Values = Float64

PACE_WEIGHT = 100.0
"""Penalty, in edge cost per second, for each octave by which the mean pace differs from that of the examples. It grows
faster beyond NOTICED."""
NOTICED = float(np.log2(1.1))
"""Largest difference in pace, in octaves, that viewers do not notice: a tenth faster or slower (the bound of mean
speeds in docs/quality.md). Beyond it, the penalty grows with the square."""


def pace_cost(graph: TransitionGraph, moved: Array, frames: Indices) -> Values:
    """Return the cost of the pace of paths that move the distance `moved` in `frames` stage frames, of one shape.

    The cost does not grow with the square if a path is too short to show all of the examples: it shows a part of them,
    which may have a different pace.
    """
    if graph.mean_pace <= 0:
        return np.zeros(np.shape(moved))
    away = _octaves_away(graph, moved, frames)
    return np.asarray(PACE_WEIGHT * away * np.where(frames >= graph.frames, np.maximum(1.0, away / NOTICED), 1.0))


def pace_noticed(graph: TransitionGraph, moved: Array, frames: Indices) -> Mask:
    """Return a mask of the paths that are long enough to show all examples and have a noticeably different pace."""
    if graph.mean_pace <= 0:
        return np.zeros(np.shape(moved), bool)
    return np.asarray((frames >= graph.frames) & (_octaves_away(graph, moved, frames) > NOTICED))


def pace_rewards(graph: TransitionGraph, moved: Values, frames: Indices) -> Rows:
    """Return the rewards `(B, N)`, in edge cost, of showing each example frame in paths of a noticeably wrong pace.

    moved, frames: `(B,)`. The whole cost of the pace is spread over the change in distance that would remove it. A
    frame at the examples' mean pace has no reward.
    """
    away = moved - graph.mean_pace * frames
    noticed = pace_noticed(graph, moved, frames)
    cost = pace_cost(graph, moved, frames) * frames / graph.rate
    worth = np.divide(-cost, away, out=np.zeros(len(away)), where=noticed)
    return np.asarray(worth[:, None] * (graph.sampled.paces - graph.mean_pace), np.float32)


def _octaves_away(graph: TransitionGraph, moved: Array, frames: Indices) -> Values:
    return np.abs(np.log2(np.maximum(moved / (graph.mean_pace * frames), 1e-9)))
