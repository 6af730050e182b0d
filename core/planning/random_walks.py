# SPDX-License-Identifier: GPL-3.0-or-later
"""Random walks through the transition graph, many at once: each leaves its segments where it is cheap, for what it has
shown less than its share of."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..library.transition_graph import TransitionGraph
from .stretches import Stretches

Frames = NDArray[np.int64]
Values = NDArray[np.floating]

CHANCE = 2.0
"""Spread of the random part of each choice, in edge cost."""
MOST_LEAVES = 24
"""Frames, at most, among which a walk chooses where to leave a segment, evenly spread; those between are tried when it
is improved."""
MOST_DEFICIT = 1.5
"""More than this many visits short is not more urgent."""


@dataclass(frozen=True, eq=False)
class Walkers:
    """B walks to be made: the first example frame of each, and how many stage frames it lasts, `(B,)`.

    urgencies: `(B,)` how many times as strongly as usual each is drawn to what is unseen. pace_deficits: `(B,)` how
    many visits short a frame counts that would bring a path twice too quick back to the examples' pace.
    """

    firsts: Frames
    frames: Frames
    urgencies: Values
    pace_deficits: Values


def random_walks(graph: TransitionGraph, walkers: Walkers, random: np.random.Generator) -> Stretches:
    """Return a path for each of the walks."""
    total, count = graph.frames, len(walkers.firsts)
    paces = graph.sampled.paces / max(graph.mean_pace, 1e-9)
    pace_sums = np.concatenate(([0.0], np.cumsum(paces, dtype=np.float64)))
    visits = np.zeros((count, total), np.float32)
    current, planned, moved = walkers.firsts.copy(), np.zeros(count, np.int64), np.zeros(count)
    sources: list[Frames] = []
    lengths: list[Frames] = []
    while (left := walkers.frames - planned).max() > 0:
        fits = (left <= graph.shortest) & (graph.ends[current] - current >= left)
        length, target = np.maximum(left, 0), current.copy()
        going = np.flatnonzero((left > 0) & ~fits)
        if len(going):
            deficit = np.minimum((planned[going] / total)[:, None] - visits[going], MOST_DEFICIT)
            too_quick = moved[going] / np.maximum(planned[going], 1) - (planned[going] > 0)
            deficit -= (walkers.pace_deficits[going] * too_quick)[:, None] * (paces - 1.0)
            last, target[going] = _next_transitions(
                graph, current[going], left[going], deficit, walkers.urgencies[going], random
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
    current: Frames,
    left: Frames,
    deficit: Values,
    urgencies: Values,
    random: np.random.Generator,
) -> tuple[Frames, Frames]:
    """Return the last frame `(B,)` of each segment that begins at `current`, and where to go on.

    left: how many frames are still to be filled, which no segment may leave too short to be one. deficit: `(B, N)` by
    how many visits each frame falls short of its share.
    """
    count, walks = len(current), np.arange(len(current))[:, None]
    end, usual = graph.ends[current], graph.usual[current][:, None]
    first, farthest = np.minimum(current + graph.shortest, end) - 1, np.minimum(current + graph.longest, end)
    # No walk can leave later than the one with most room ahead of it.
    widest = int(np.max(farthest - first, initial=1))
    steps = np.arange(0, widest, -(-widest // MOST_LEAVES))
    last = first[:, None] + steps
    possible = last < farthest[:, None]
    remainder = left[:, None] - (last + 1 - current[:, None])
    whole = possible & ((remainder <= 0) | (remainder >= graph.shortest))
    possible = np.where(whole.any(axis=1, keepdims=True), whole, steps == 0)
    last = np.minimum(last, end[:, None] - 1)
    sums = np.zeros((count, deficit.shape[1] + 1))
    np.cumsum(deficit, axis=1, out=sums[:, 1:])
    spans, sums_at_last = last + 1 - current[:, None], sums[walks, last + 1]
    along = (sums_at_last - sums[walks, current[:, None]]) / spans
    # What lies between a transition and the near end of an example is hard to come back to.
    near = end[:, None] - 1 - last < usual
    left_after = np.where(near, sums[walks, end[:, None]] - sums_at_last, 0.0)
    leave = along - np.maximum(left_after, 0.0) / usual
    weights = graph.coverage_weight * urgencies[:, None]
    chance = graph.noise * CHANCE
    row = np.where(possible, weights * leave + chance * random.gumbel(size=last.shape), -np.inf)
    column = weights * _arriving(graph, sums) + chance * random.gumbel(size=deficit.shape)
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
    """Return what is gained by going on at each frame `(B, N)`, of sums `(B, N + 1)` of visit deficits."""
    ahead = (sums[:, graph.lookahead_ends] - sums[:, :-1]) / graph.lookahead
    left_before = np.where(graph.near_begin, sums[:, :-1] - sums[:, graph.begins], 0.0)
    arrive = ahead - np.maximum(left_before, 0.0) / graph.usual
    arrive[:, graph.near_end] = -np.inf
    return np.asarray(arrive)
