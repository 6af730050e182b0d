# SPDX-License-Identifier: GPL-3.0-or-later
"""A path made better in place: each of its segments, and each transition, is moved to where the objective is least.

A walk through the graph decides one transition after another and never takes one back. Two kinds of moves mend that:
a segment shows another place of the examples for the same time, or two neighbors pass frames from one to the other.
Either changes two transitions at most, so that all places are looked up at once (iterated local search; the objective
is that of `path_objective`).
"""

import numpy as np
from numpy.typing import NDArray

from ..library.transition_graph import TransitionGraph
from .path_objective import UNSEEN_WEIGHT, pace_cost, unseen_share, way_across
from .segments import Segments

Frames = NDArray[np.int64]
Values = NDArray[np.float64]

SWEEPS = 3
"""Every segment is moved so many times at most; measured on 16 clips, further sweeps lower the objective by 2 %."""
TRIED = 10
"""Of all places with their edge costs, so many of the cheapest are judged by the whole objective."""
NO_EDGE = 1e6
"""Edge cost of a transition that the graph does not keep, where a path has one: any other is better."""
LEAST_GAIN = 1e-6
"""Smaller gains, in edge cost per second, are rounding."""


def improved(graph: TransitionGraph, path: Frames, *, unseen_weight: float = UNSEEN_WEIGHT, already: int = 0) -> Frames:
    """Return a path `(F,)` as long as `path`, with the same first frame, whose objective is no larger.

    unseen_weight: that of the objective. already: stage frames that the first segment has shown before the path begins.
    """
    work = _Improvement(graph, path, unseen_weight, already)
    waiting = set(range(1, len(work.starts)))
    for _ in range(SWEEPS):
        moved: set[int] = set()
        for segment in sorted(waiting):
            # Two moves of neighbors change what was best for the segments beside them.
            if work.move_segment(segment) | work.move_transition(segment - 1):
                moved |= {segment - 1, segment, segment + 1}
        waiting = moved & set(range(1, len(work.starts)))
        if not waiting:
            break
    return Segments(work.starts, work.sources, work.frames).source_frames()


class _Improvement:
    """A path that is being improved, as segments, with the sums that its objective is made of.

    starts, sources: `(R,)` as of `Segments`. seen: `(G,)` how much of each cluster is seen. moved: how far the joints
    move in all segments; across: `(R - 1,)` and over each transition.
    """

    def __init__(self, graph: TransitionGraph, path: Frames, unseen_weight: float, already: int) -> None:
        segments = Segments.of_path(path, graph.bounds)
        self.graph, self.frames, self.unseen_weight, self.already = graph, len(path), unseen_weight, already
        self.starts, self.sources = segments.starts.copy(), segments.sources.copy()
        paces = graph.sampled.paces.astype(np.float64)
        self.pace_sums = np.concatenate(([0.0], np.cumsum(paces)))
        self.moved = float(paces[path].sum())
        self.across = way_across(graph, self.sources[:-1] + segments.lengths[:-1] - 1, self.sources[1:])
        self.seen: NDArray[np.floating] = graph.coverage.seen(graph.coverage.visits_of(path))

    def move_segment(self, segment: int) -> bool:
        """Let a segment show the best other place of the examples; True where there is a better one."""
        graph, source, length = self.graph, int(self.sources[segment]), self._length(segment)
        leave = int(self.sources[segment - 1]) + self._length(segment - 1) - 1
        departures = graph.departures(np.array([leave]))
        places = np.arange(graph.frames)[departures.arrivals].ravel()
        fitting = graph.ends[places] - places >= length
        places = places[fitting]
        edges: NDArray[np.floating] = departures.costs[0, fitting]
        now = graph.edge_costs(np.array([leave]), np.array([source]))[0]
        follows = segment + 1 < len(self.starts)
        if follows:
            arrival = int(self.sources[segment + 1])
            edges = edges + graph.edge_costs(places + length - 1, np.full(len(places), arrival))
            now = now + graph.edge_costs(np.array([source + length - 1]), np.array([arrival]))[0]
        now = min(float(now), NO_EDGE)
        places, edges = _cheapest(places, edges)
        if not len(places):
            return False
        across = way_across(graph, np.full(len(places), leave), places)
        more = across - self.across[segment - 1]
        after = way_across(graph, places + length - 1, np.full(len(places), arrival)) if follows else across
        if follows:
            more = more + after - self.across[segment]
        more = more + self._paces(places, length) - self._paces(np.array([source]), length)
        visits = self._visits(places, length) - self._visits(np.array([source]), length)
        best = self._best(edges - now, visits, more)
        if best is None or places[best] == source:
            return False
        self.moved += float(more[best] - (across[best] - self.across[segment - 1]))
        if follows:
            self.moved -= float(after[best] - self.across[segment])
            self.across[segment] = after[best]
        self.across[segment - 1], self.sources[segment] = across[best], places[best]
        return True

    def move_transition(self, segment: int) -> bool:
        """Let a segment end, and the next begin, earlier or later, as is best; True where that is better."""
        graph = self.graph
        source, length = int(self.sources[segment]), self._length(segment)
        target, rest = int(self.sources[segment + 1]), self._length(segment + 1)
        longest = graph.longest - (self.already if segment == 0 else 0)
        low = max(graph.shortest - length, int(graph.begins[target]) - target, rest - graph.longest)
        high = min(rest - graph.shortest, int(graph.ends[source]) - source - length, longest - length)
        by = np.arange(low, high + 1)
        last = source + length - 1
        if not len(by):
            return False
        now = min(float(graph.edge_costs(np.array([last]), np.array([target]))[0]), NO_EDGE)
        by, edges = _cheapest(by, graph.edge_costs(last + by, target + by))
        if not len(by):
            return False
        across = way_across(graph, last + by, target + by)
        more = self._paces(np.array([source]), length + by) - self._paces(np.array([source]), length)
        more += self._paces(target + by, rest - by) - self._paces(np.array([target]), rest)
        own = self._visits(np.full(len(by), source), length + by) - self._visits(np.array([source]), length)
        others = self._visits(target + by, rest - by) - self._visits(np.array([target]), rest)
        best = self._best(edges - now, own + others, more + across - self.across[segment])
        if best is None or by[best] == 0:
            return False
        self.moved += float(more[best])
        self.across[segment] = across[best]
        self.starts[segment + 1] += by[best]
        self.sources[segment + 1] += by[best]
        return True

    def _best(self, edges: Values, visits: NDArray[np.float32], more: Values) -> int | None:
        """Return the index of the change that lowers the objective most, if any does, and take what it shows as seen.

        edges: `(B,)` change of edge costs. visits: `(G, B)` change of visits. more: `(B,)` change of the way moved.
        """
        seen = self.seen[:, None] + self.graph.coverage.seen(visits)
        total = self.moved + float(self.across.sum())
        unseen = unseen_share(self.graph, seen, self.frames)
        objective = edges / (self.frames / self.graph.rate) + self.unseen_weight * unseen
        objective = objective + pace_cost(self.graph, total + more, self.frames)
        now = self.unseen_weight * float(unseen_share(self.graph, self.seen, self.frames))
        now += float(pace_cost(self.graph, np.float64(total), self.frames))
        best = int(np.argmin(objective))
        if objective[best] >= now - LEAST_GAIN:
            return None
        self.seen = seen[:, best]
        return best

    def _length(self, segment: int) -> int:
        end = self.starts[segment + 1] if segment + 1 < len(self.starts) else self.frames
        return int(end - self.starts[segment])

    def _paces(self, sources: Frames, lengths: Frames | int) -> Values:
        return np.asarray(self.pace_sums[sources + lengths] - self.pace_sums[sources])

    def _visits(self, sources: Frames, lengths: Frames | int) -> NDArray[np.float32]:
        """Return the visits `(G, B)` of B segments."""
        return self.graph.coverage.visits_of_segments(sources, np.broadcast_to(lengths, sources.shape))


def _cheapest(places: Frames, edges: NDArray[np.floating]) -> tuple[Frames, Values]:
    """Return the places that can be reached, the cheapest of them where they are many, and their edge costs."""
    if len(edges) > TRIED:
        kept = np.argpartition(edges, TRIED - 1)[:TRIED]
        places, edges = places[kept], edges[kept]
    finite = np.isfinite(edges)
    return places[finite], edges[finite].astype(np.float64)
