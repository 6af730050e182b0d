# SPDX-License-Identifier: GPL-3.0-or-later
"""Walks through the transition graph, many at once: each leaves its segments at cheap transitions and prefers
frames that it has shown too rarely."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Indices
from ..examples.transition_graph import TransitionGraph
from ..progress import Progress, report_progress
from .stretches import Stretches

Values = Array

MOST_LEAVES = 24
"""Largest number of frames, evenly spread, at which a walk considers leaving a segment. The frames between them are
tried when the walk is improved."""
MOST_DEFICIT = 1.5
"""Largest deficit of a frame, in visits; a larger one is not more urgent."""


@dataclass(frozen=True, eq=False)
class Walkers:
    """Parameters of B walks.

    firsts: `(B,)` first example frames. frames: `(B,)` lengths in stage frames. urgencies: `(B,)` factors of the
    preference for unseen frames. pace_deficits: `(B,)` additional deficit, in visits, of a frame without movement, in a
    walk that moves twice as fast as the examples.
    """

    firsts: Indices
    frames: Indices
    urgencies: Values
    pace_deficits: Values


def walks(graph: TransitionGraph, walkers: Walkers, progress: Progress | None = None) -> Stretches:
    """Return the path of each walk."""
    total, count = graph.frames, len(walkers.firsts)
    paces = graph.sampled.paces / max(graph.mean_pace, 1e-9)
    pace_sums = np.concatenate(([0.0], np.cumsum(paces, dtype=np.float64)))
    visits = np.zeros((count, total), np.float32)
    current, planned, moved = walkers.firsts.copy(), np.zeros(count, np.int64), np.zeros(count)
    sources: list[Indices] = []
    lengths: list[Indices] = []
    while (left := walkers.frames - planned).max() > 0:
        report_progress(progress, float(planned.sum() / walkers.frames.sum()))
        fits = (left <= graph.shortest) & (graph.ends[current] - current >= left)
        length, target = np.maximum(left, 0), current.copy()
        going = np.flatnonzero((left > 0) & ~fits)
        if len(going):
            deficit = np.minimum((planned[going] / total)[:, None] - visits[going], MOST_DEFICIT)
            too_quick = moved[going] / np.maximum(planned[going], 1) - (planned[going] > 0)
            deficit -= (walkers.pace_deficits[going] * too_quick)[:, None] * (paces - 1.0)
            last, target[going] = _next_transitions(
                graph, current[going], left[going], deficit, walkers.urgencies[going]
            )
            length[going] = np.minimum(last + 1 - current[going], left[going])
        visits += graph.coverage.of_frames_seen(graph.coverage.seen_of_segments(current, length))
        moved += pace_sums[current + length] - pace_sums[current]
        sources.append(current)
        lengths.append(length)
        planned, current = planned + length, target
    return Stretches(np.stack(sources, axis=1), np.stack(lengths, axis=1))


def _next_transitions(
    graph: TransitionGraph,
    current: Indices,
    left: Indices,
    deficit: Values,
    urgencies: Values,
) -> tuple[Indices, Indices]:
    """Return the last frame `(B,)` of each segment that begins at `current`, and the frame `(B,)` that comes next.

    left: number of frames still to be filled; a segment must leave enough of them for another segment, or none.
    deficit: `(B, N)` number of visits by which each frame falls short of its share.
    """
    count, walks = len(current), np.arange(len(current))[:, None]
    end, usual = graph.ends[current], graph.usual[current][:, None]
    first, farthest = np.minimum(current + graph.shortest, end) - 1, np.minimum(current + graph.longest, end)
    # The walk with the most room ahead sets the latest frame at which any walk can leave.
    widest = int(np.max(farthest - first, initial=1))
    steps = np.arange(0, widest, -(-widest // MOST_LEAVES))
    last = first[:, None] + steps
    possible = last < farthest[:, None]
    remainder = left[:, None] - (last + 1 - current[:, None])
    fillable = possible & ((remainder <= 0) | (remainder >= graph.shortest))
    possible = np.where(fillable.any(axis=1, keepdims=True), fillable, steps == 0)
    last = np.minimum(last, end[:, None] - 1)
    sums = np.zeros((count, deficit.shape[1] + 1))
    np.cumsum(deficit, axis=1, out=sums[:, 1:])
    spans, sums_at_last = last + 1 - current[:, None], sums[walks, last + 1]
    along = (sums_at_last - sums[walks, current[:, None]]) / spans
    # Frames between a transition and a near end of an example are hard to reach later.
    near = end[:, None] - 1 - last < usual
    left_after = np.where(near, sums[walks, end[:, None]] - sums_at_last, 0.0)
    leave = along - np.maximum(left_after, 0.0) / usual
    weights = graph.coverage_weight * urgencies[:, None]
    row = np.where(possible, weights * leave, -np.inf)
    column = weights * _arriving(graph, sums)
    departures = graph.departures(last.ravel())
    costs = departures.costs.reshape(count, len(steps), -1) * (usual / spans).astype(np.float32)[:, :, None]
    if isinstance(departures.arrivals, slice):
        gain = column.astype(np.float32)[:, None]
    else:
        gain = column.astype(np.float32)[walks[:, :, None], departures.arrivals.reshape(costs.shape)]
    score = np.subtract(gain, costs, out=costs)
    score += row.astype(np.float32)[:, :, None]
    best = score.reshape(count, -1).argmax(axis=1)
    number, option = np.divmod(best, score.shape[2])
    rows = np.arange(count) * len(steps) + number
    return last[walks[:, 0], number], departures.arrivals_of(rows, option)


def _arriving(graph: TransitionGraph, sums: Values) -> Values:
    """Return the gain `(B, N)` of continuing at each frame, from sums `(B, N + 1)` of visit deficits."""
    ahead = (sums[:, graph.lookahead_ends] - sums[:, :-1]) / graph.lookahead
    left_before = np.where(graph.near_begin, sums[:, :-1] - sums[:, graph.begins], 0.0)
    arrive = ahead - np.maximum(left_before, 0.0) / graph.usual
    arrive[:, graph.near_end] = -np.inf
    return np.asarray(arrive)
