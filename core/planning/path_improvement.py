# SPDX-License-Identifier: GPL-3.0-or-later
"""Local improvement of paths: each segment and each transition is moved to where the objective is least.

A walk through the graph chooses one transition after another and never revises one. Two kinds of moves correct that: a
segment shows another place of the examples for the same time, or a transition moves, so that one of two neighbors
becomes longer and the other shorter. Each move changes at most two transitions, so the places for many segments of all
stretches are looked up at once (iterated local search with the objective of `path_objective`).
"""

import numpy as np

from ..arrays import Array, Float64, Indices
from ..examples.transition_graph import TransitionGraph
from ..motion.piecewise import pieces
from ..progress import Progress, parts_of_progress, report_progress
from .path_objective import NO_EDGE, Sums, distance_across, objectives_of_sums, sums_of, taken
from .stretches import NONE, Stretches

Values = Array
Weights = Float64

TRIED = 6
"""Number of places, those of least edge cost, that are judged by the whole objective; ten would gain 2 %."""


def improved(
    graph: TransitionGraph, stretches: Stretches, unseen_weights: Weights, progress: Progress | None = None
) -> Stretches:
    """Return paths with the lengths and first frames of those in `stretches`, and objectives that are no larger.

    unseen_weights: `(B,)` of the objectives. Each segment and each transition is moved once.
    """
    work = _Improvement(graph, stretches, unseen_weights)
    index = np.arange(stretches.sources.shape[1])
    movable = (index > 0) & (index < stretches.counts[:, None])
    for parity, moving in enumerate(parts_of_progress(progress, 2)):
        paths, segments = np.nonzero(movable & (index % 2 == parity))
        for block in pieces(len(paths), graph.frames):
            report_progress(moving, block.start / len(paths))
            work.move_segments(paths[block], segments[block])
            work.move_transitions(paths[block], segments[block] - 1)
    return Stretches(work.sources, work.lengths)


class _Improvement:
    """Paths during improvement, with the sums from which their objectives are computed.

    sources, lengths: as in `Stretches`. across: `(B, R)` distance that the joints move over the transition after each
    segment. sums: see `Sums`.
    """

    def __init__(self, graph: TransitionGraph, stretches: Stretches, unseen_weights: Weights) -> None:
        self.graph, self.unseen_weights = graph, unseen_weights
        self.counts, self.frames, self.sums = stretches.counts, stretches.frames, sums_of(graph, stretches)
        self.sources, self.lengths = stretches.sources.copy(), stretches.lengths.copy()
        targets, leaves = stretches.targets, stretches.sources + stretches.lengths - 1
        self.across = np.where(targets != NONE, distance_across(graph, leaves, targets), 0.0)

    def move_segments(self, paths: Indices, segment: Indices) -> None:
        """Move segments `(P,)` of some paths, no two of them neighbors, to the best other place of the examples."""
        graph, source, length = self.graph, self.sources[paths, segment], self.lengths[paths, segment]
        leave = self._last(paths, segment - 1)
        arrival = self._target(paths, segment)
        follows, arrival = (arrival != NONE)[:, None], np.maximum(arrival, 0)
        departures = graph.departures(leave)
        places = departures.arrivals
        if isinstance(places, slice):
            places = np.broadcast_to(np.arange(graph.frames), departures.costs.shape)
        fits = graph.ends[places] - places >= length[:, None]
        lasts = np.where(fits, places + length[:, None] - 1, 0)
        onward = graph.edge_costs_between(lasts, arrival[:, None])
        edges = np.where(fits, departures.costs + np.where(follows, onward, np.float32(0.0)), np.float32(np.inf))
        now = graph.edge_costs(leave, source)
        now = now + np.where(follows[:, 0], graph.edge_costs(source + length - 1, arrival), np.float32(0.0))
        places, edges = _cheapest(places, edges, now)
        lasts = np.where(np.isfinite(edges), places + length[:, None] - 1, 0)
        before = distance_across(graph, np.broadcast_to(leave[:, None], places.shape), places)
        after = np.where(follows, distance_across(graph, lasts, np.broadcast_to(arrival[:, None], lasts.shape)), 0.0)
        more = before + after - (self.across[paths, segment - 1] + self.across[paths, segment])[:, None]
        more += graph.paces_of(lasts + 1 - length[:, None], length[:, None]) - graph.paces_of(source, length)[:, None]
        lengths = np.broadcast_to(length[:, None], lasts.shape)
        seen = self._seen(lasts + 1 - lengths, lengths) - graph.coverage.seen_of_segments(source, length)[:, None]
        rows, best = self._taken(paths, edges, more, seen)
        paths, segment = paths[rows], segment[rows]
        self.across[paths, segment - 1], self.across[paths, segment] = before[rows, best], after[rows, best]
        self.sources[paths, segment] = places[rows, best]

    def move_transitions(self, paths: Indices, segment: Indices) -> None:
        """Move the transitions after segments `(P,)` of some paths earlier or later; no two segments are neighbors."""
        graph = self.graph
        source, length = self.sources[paths, segment], self.lengths[paths, segment]
        target, next_length = self.sources[paths, segment + 1], self.lengths[paths, segment + 1]
        last = source + length - 1
        low = np.maximum(
            np.maximum(graph.shortest - length, graph.begins[target] - target), next_length - graph.longest
        )
        high = np.minimum(
            np.minimum(next_length - graph.shortest, graph.ends[source] - 1 - last), graph.longest - length
        )
        by = low[:, None] + np.arange(max(int((high - low).max()), 0) + 1)
        possible = by <= high[:, None]
        by = np.where(possible, by, 0)
        edges = np.where(
            possible, graph.edge_costs_between(last[:, None] + by, target[:, None] + by), np.float32(np.inf)
        )
        by, edges = _cheapest(by, edges, graph.edge_costs(last, target))
        across = distance_across(graph, last[:, None] + by, target[:, None] + by)
        longer, less = (
            np.minimum(last[:, None] + 1, last[:, None] + 1 + by),
            np.minimum(target[:, None], target[:, None] + by),
        )
        sign, count = np.sign(by), np.abs(by)
        more = sign * (graph.paces_of(longer, count) - graph.paces_of(less, count))
        more += across - self.across[paths, segment][:, None]
        seen = sign[:, :, None].astype(np.float32) * (self._seen(longer, count) - self._seen(less, count))
        rows, best = self._taken(paths, edges, more, seen)
        paths, segment = paths[rows], segment[rows]
        self.across[paths, segment] = across[rows, best]
        self.lengths[paths, segment] += by[rows, best]
        self.lengths[paths, segment + 1] -= by[rows, best]
        self.sources[paths, segment + 1] += by[rows, best]

    def _taken(self, paths: Indices, edges: Values, more: Values, change: Values) -> tuple[Indices, Indices]:
        """Make the best changes of some paths, and return the rows `(Q,)` in which one is made, and its number there.

        paths: `(P,)`, ascending. edges: `(P, T)` change of edge costs. more: `(P, T)` change of the distance moved.
        change: `(P, T, G)` change of the amounts seen.
        """
        sums = self.sums.take(paths[:, None])
        tried = Sums(sums.costs + edges, sums.moved + more, sums.seen + change)
        frames = np.broadcast_to(self.frames[paths, None], edges.shape)
        objectives = objectives_of_sums(self.graph, tried, frames, self.unseen_weights[paths, None])
        rows, best = np.arange(len(paths)), objectives.argmin(axis=1)
        best_of_all = Sums(edges[rows, best], more[rows, best], change[rows, best])
        rows = np.flatnonzero(taken(self.graph, self.frames, self.sums, best_of_all, paths, self.unseen_weights))
        self.sums = self.sums.more(best_of_all.take(rows).by_owner(paths[rows], len(self.frames)))
        return rows, best[rows]

    def _last(self, paths: Indices, segment: Indices) -> Indices:
        """Return the last frame of segments of some paths."""
        return np.asarray(self.sources[paths, segment] + self.lengths[paths, segment] - 1)

    def _target(self, paths: Indices, segment: Indices) -> Indices:
        """Return the frame that comes after segments of some paths; NONE after the last segment."""
        following = self.sources[paths, np.minimum(segment + 1, self.sources.shape[1] - 1)]
        return np.where(segment + 1 < self.counts[paths], following, NONE)

    def _seen(self, starts: Indices, lengths: Indices) -> Values:
        """Return the amount `(P, T, G)` of each cluster that segments `(P, T)` show."""
        seen = self.graph.coverage.seen_of_segments(starts.ravel(), lengths.ravel())
        return seen.reshape(*starts.shape, seen.shape[-1])


def _cheapest(places: Indices, edges: Values, now: Values) -> tuple[Indices, Values]:
    """Return the cheapest of places `(P, K)`, and their edge costs less the current ones `(P,)`."""
    if edges.shape[1] > TRIED:
        kept = np.argpartition(edges, TRIED - 1, axis=1)[:, :TRIED]
        places, edges = np.take_along_axis(places, kept, axis=1), np.take_along_axis(edges, kept, axis=1)
    return places, edges.astype(np.float64) - np.minimum(now, NO_EDGE)[:, None]
