# SPDX-License-Identifier: GPL-3.0-or-later
"""The initial path: a path through the examples at their own speed, in a new order.

It plays segments of the examples, leaves them where it is cheap, and is drawn to what it has shown less than its
share of. So order is new, speed natural, and everything is visited: what the paper's noise-alone guess
leaves to chance. Of several paths the best is kept.
"""

import numpy as np
from numpy.typing import NDArray

from ..library.headings import same_heading, seen_facing
from ..library.transition_graph import TransitionGraph
from .path_objective import objective_and_unseen

TASTE = 3.0
"""Mean spread of the transition costs by which seeds differ, in transition cost."""
CHANCE = 2.0
"""Spread of the random part of each choice, in transition cost."""
CANDIDATES = 16
"""Of how many paths the best is kept; fewer for very long results, which even out by themselves."""
CANDIDATE_FRAMES = 4000
"""Stage frames planned in all for one result, as far as more than one path is planned."""
SEEN_ENOUGH = 0.1
"""While the best path leaves more than this share of the examples unseen, further ones are tried ..."""
PATIENCE = 3
"""... up to this many times as many."""
HEADING_COST = 16.0
"""Penalty, in transition cost, for leaving the result facing a right angle away from the example."""
MOST_DEFICIT = 1.5
"""More than this many visits short is not more urgent."""
PACE_DEFICIT = 4.0
"""See _random_walk."""
GOLDEN_RATIO = 0.6180339887498949


def plan_initial_path(graph: TransitionGraph, frames: int, seed: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return the example frame `(F,)` that each of `frames` stage frames shows.

    Neighboring seeds begin far apart: at multiples of the golden ratio of the examples' length.
    """
    beginnings = np.flatnonzero(graph.ends - np.arange(len(graph.ends)) >= graph.shortest)
    first = int(beginnings[int(seed * GOLDEN_RATIO % 1.0 * len(beginnings))])
    count = min(max(CANDIDATE_FRAMES // frames, 1), CANDIDATES)
    # Each seed has a preference of its own for transitions, or all would end with the one best path.
    total = len(graph.ends)
    leaving, arriving = random.standard_exponential(total), random.standard_exponential(total)
    tasted = graph.with_preferences(leaving, arriving, graph.noise * TASTE)
    best, least, unseen = np.empty(0, np.int64), np.inf, 1.0
    for attempt in range(count * PATIENCE):
        # Every other path minds its pace while it goes; which way is better, the examples decide.
        path = _random_walk(tasted, frames, first, PACE_DEFICIT * (attempt % 2), random)
        cost, left_out = objective_and_unseen(tasted, path)
        if cost < least:
            best, least, unseen = path, cost, left_out
        if attempt >= count - 1 and unseen <= SEEN_ENOUGH:
            break
    return best


def _random_walk(
    graph: TransitionGraph, frames: int, first: int, pace_deficit: float, random: np.random.Generator
) -> NDArray[np.int64]:
    """One path that begins at frame `first`.

    pace_deficit: how many visits short a frame counts that would bring a path twice too quick back to the examples'
    pace.
    """
    total = len(graph.ends)
    paces = graph.sampled.paces / max(float(np.mean(graph.sampled.paces)), 1e-9)
    visits = np.zeros(total)
    segments: list[NDArray[np.int64]] = []
    current, planned, turned, moved = first, 0, 0.0, 0.0
    while planned < frames:
        left = frames - planned
        if left <= graph.shortest and graph.ends[current] - current >= left:
            segments.append(np.arange(current, current + left))
            break
        deficit = np.minimum(planned / total - visits, MOST_DEFICIT)
        if planned:
            deficit = deficit - pace_deficit * (moved / planned - 1.0) * (paces - 1.0)
        last, target = _next_transition(graph, current, left, turned, deficit, random)
        segment = np.arange(current, last + 1)
        visits += graph.seen_with(segment) * same_heading(np.array(turned))
        segments.append(segment)
        planned += len(segment)
        moved += float(paces[segment].sum())
        turned += float(graph.sampled.headings[last] - graph.sampled.headings[target])
        current = target
    return np.concatenate(segments)[:frames]


def _next_transition(
    graph: TransitionGraph,
    current: int,
    left: int,
    turned: float,
    deficit: NDArray[np.float64],
    random: np.random.Generator,
) -> tuple[int, int]:
    """The last frame of the segment that begins at `current`, and where to go on.

    left: how many frames are still to be filled, which no segment may leave too short to be one. turned: how far the
    result
    faces away from the example, radians.
    deficit: `(N,)` by how many visits each frame falls short of its share.
    """
    total, end = len(deficit), int(graph.ends[current])
    last = np.arange(min(current + graph.shortest, end) - 1, min(current + graph.longest, end))
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
    if graph.turns:
        # Shown turned, what is still to be seen is not seen.
        facing = np.cos(turned + graph.sampled.headings[last][:, None] - graph.sampled.headings[arrivals])
        gain = leave[:, None] * same_heading(np.array(turned)) + arrive[arrivals] * seen_facing(facing)
        score = graph.coverage_weight * gain - cost
        score -= HEADING_COST * (1.0 - facing)
    else:
        score = graph.coverage_weight * (leave[:, None] + arrive[arrivals]) - cost
    score += graph.noise * CHANCE * (random.gumbel(size=(len(last), 1)) + random.gumbel(size=total)[arrivals])
    row, column = np.unravel_index(int(np.argmax(score)), score.shape)
    return int(last[row]), departures.arrival(int(row), int(column))
