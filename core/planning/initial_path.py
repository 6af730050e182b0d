# SPDX-License-Identifier: GPL-3.0-or-later
"""The initial path: a path through the examples at their own speed, in a new order.

It plays segments of the examples, leaves them where it is cheap, and is drawn to what it has shown less than its
share of. So order is new, speed natural, and everything is visited: what the paper's noise-alone guess
leaves to chance. Of several paths, each improved, the best is kept. A long result is planned in stretches, each with as
many candidates, and as eager to show everything, as a short one: so it is as good, and takes time in proportion.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..library.transition_graph import TransitionGraph
from .path_improvement import improved
from .path_objective import UNSEEN_WEIGHT, leaves_of, objective_and_unseen

Frames = NDArray[np.int64]

TASTE = 12.0
"""Mean spread of the edge costs by which seeds differ, in edge cost, at a noise of one."""
TASTE_SECONDS = 0.4
"""A seed's taste is the same for so long: for a moment of a stride, not for one of its frames, or it would move each
transition by a frame and leave it where every other seed has it."""
CHANCE = 2.0
"""Spread of the random part of each choice, in edge cost."""
CANDIDATES = 2
"""Of how many improved paths the best is kept. More find the one best path for every seed: four instead of two lower
the number of distinct transitions by a tenth."""
SEEN_ENOUGH = 0.02
"""While the best path leaves more than this share of the examples unseen, further ones are tried ..."""
PATIENCE = 3
"""... in so many rounds, each of which minds what is unseen URGENCY times as much as the one before."""
URGENCY = 3.0
STRETCH_ROUNDS = 2.0
"""A stretch is long enough to show all of the examples so many times ..."""
STRETCH_SECONDS = 25.0
"""... and no shorter than this."""
MOST_DEFICIT = 1.5
"""More than this many visits short is not more urgent."""
PACE_DEFICIT = 4.0
"""See _random_walk."""
GOLDEN_RATIO = 0.6180339887498949


def plan_initial_path(graph: TransitionGraph, frames: int, seed: int, random: np.random.Generator) -> Frames:
    """Return the example frame `(F,)` that each of `frames` stage frames shows.

    Neighboring seeds begin far apart: at multiples of the golden ratio of the examples' length. None begins at the
    first frame, from where the cheapest path is the example itself.
    """
    beginnings = np.flatnonzero(graph.ends - np.arange(graph.frames) >= graph.shortest)
    first = int(beginnings[int((seed + 1) * GOLDEN_RATIO % 1.0 * len(beginnings))])
    # Each seed has a preference of its own for transitions, or all would end with the one best path.
    tasted = graph.with_preferences(_taste(graph, random), _taste(graph, random), graph.noise * TASTE)
    stretch = max(STRETCH_ROUNDS * graph.frames, STRETCH_SECONDS * graph.rate)
    count = max(1, round(frames / stretch))
    lengths = np.diff(np.linspace(0, frames, count + 1).astype(np.int64))
    pieces: list[Frames] = []
    already = 0
    for length in lengths.tolist():
        piece = _best_path(tasted, length, first, already, random)
        pieces.append(piece)
        first, already = _goes_on(tasted, piece)
    return np.concatenate(pieces)


def _taste(graph: TransitionGraph, random: np.random.Generator) -> NDArray[np.float64]:
    """Return a seed's dislikes `(N,)`, of mean one, each for TASTE_SECONDS."""
    width = max(1, round(TASTE_SECONDS * graph.rate))
    shift = int(random.integers(width))
    return np.repeat(random.standard_exponential(graph.frames // width + 2), width)[shift : shift + graph.frames]


def _best_path(graph: TransitionGraph, frames: int, first: int, already: int, random: np.random.Generator) -> Frames:
    """Return the best of some improved paths `(frames,)` that begin at `first`; already: see `improved`."""
    best, least, fewest = np.empty(0, np.int64), np.inf, np.inf
    for patience in range(PATIENCE):
        urgency = URGENCY**patience
        weight = urgency * UNSEEN_WEIGHT
        eager = replace(graph, coverage_weight=urgency * graph.coverage_weight)
        # Every other path minds its pace while it goes; which way is better, the examples decide.
        paths = [
            _random_walk(eager, frames, first, already, PACE_DEFICIT * (attempt % 2), random)
            for attempt in range(CANDIDATES)
        ]
        path = min(paths, key=lambda path, weight=weight: objective_and_unseen(graph, path, weight)[0])  # type: ignore[misc]
        path = improved(graph, path, unseen_weight=weight, already=already)
        objective, unseen = objective_and_unseen(graph, path, weight)
        if objective < least:
            best, least, fewest = path, objective, unseen
        if fewest <= SEEN_ENOUGH:
            break
        least += (URGENCY - 1.0) * weight * fewest
    return best


def _goes_on(graph: TransitionGraph, path: Frames) -> tuple[int, int]:
    """Return where the stretch after a path begins, and for how many frames its first segment is shown already."""
    last = int(path[-1])
    leaves = leaves_of(graph, path)
    already = len(path) - 1 - int(leaves[-1]) if len(leaves) else len(path)
    if graph.ends[last] - last > graph.shortest and already + graph.shortest <= graph.longest:
        return last + 1, already
    departures = graph.departures(np.array([last]))
    costs = np.where(graph.near_end[departures.arrivals], np.inf, departures.costs)
    return departures.arrival(0, int(np.argmin(costs))), 0


def _random_walk(
    graph: TransitionGraph,
    frames: int,
    first: int,
    already: int,
    pace_deficit: float,
    random: np.random.Generator,
) -> Frames:
    """Return one path that begins at frame `first`, whose segment has been shown for `already` frames.

    pace_deficit: how many visits short a frame counts that would bring a path twice too quick back to the examples'
    pace.
    """
    total = graph.frames
    paces = graph.sampled.paces / max(float(np.mean(graph.sampled.paces)), 1e-9)
    visits = np.zeros(total)
    segments: list[Frames] = []
    current, planned, moved = first, 0, 0.0
    while planned < frames:
        left = frames - planned
        if left <= graph.shortest and graph.ends[current] - current >= left:
            segments.append(np.arange(current, current + left))
            break
        deficit = np.minimum(planned / total - visits, MOST_DEFICIT)
        if planned:
            deficit = deficit - pace_deficit * (moved / planned - 1.0) * (paces - 1.0)
        longest = graph.longest - (0 if planned else already)
        last, target = _next_transition(graph, current, left, longest, deficit, random)
        segment = np.arange(current, last + 1)
        visits += graph.coverage.seen_with(segment)
        segments.append(segment)
        planned += len(segment)
        moved += float(paces[segment].sum())
        current = target
    return np.concatenate(segments)[:frames]


def _next_transition(
    graph: TransitionGraph,
    current: int,
    left: int,
    longest: int,
    deficit: NDArray[np.float64],
    random: np.random.Generator,
) -> tuple[int, int]:
    """Return the last frame of the segment that begins at `current`, and where to go on.

    left: how many frames are still to be filled, which no segment may leave too short to be one. longest: of the
    segment. deficit: `(N,)` by how many visits each frame falls short of its share.
    """
    total, end = len(deficit), int(graph.ends[current])
    last = np.arange(min(current + graph.shortest, end) - 1, min(current + longest, end))
    remainder = left - (last + 1 - current)
    whole = (remainder <= 0) | (remainder >= graph.shortest)
    last = last[whole] if whole.any() else last[:1]
    sums = np.concatenate((np.zeros(1), np.cumsum(deficit)))
    ahead = (sums[graph.lookahead_ends] - sums[:-1]) / graph.lookahead
    along = (sums[last + 1] - sums[current]) / (last + 1 - current)
    # What lies between a transition and the near end of an example is hard to come back to.
    left_before = np.where(graph.near_begin, sums[:-1] - sums[graph.begins], 0.0)
    left_after = np.where(end - 1 - last < graph.usual[current], sums[end] - sums[last + 1], 0.0)
    leave = along - np.maximum(left_after, 0.0) / graph.usual[current]
    arrive = ahead - np.maximum(left_before, 0.0) / graph.usual
    arrive[graph.near_end] = -np.inf
    share = graph.usual[current] / (last + 1 - current)
    departures = graph.departures(last)
    arrivals, cost = departures.arrivals, departures.costs * share[:, None]
    score = graph.coverage_weight * (leave[:, None] + arrive[arrivals]) - cost
    score += graph.noise * CHANCE * (random.gumbel(size=(len(last), 1)) + random.gumbel(size=total)[arrivals])
    row, column = np.unravel_index(int(np.argmax(score)), score.shape)
    return int(last[row]), departures.arrival(int(row), int(column))
