# SPDX-License-Identifier: GPL-3.0-or-later
"""The initial path: a path through the examples at their own speed, in a new order.

It plays segments of the examples, leaves them where it is cheap, and is drawn to what it has shown less than its
share of. So order is new, speed natural, and everything is visited: what the paper's noise-alone guess
leaves to chance. Of several paths, each improved, the best is kept. A long result is planned in stretches, each with as
many candidates, and as eager to show everything, as a short one: so it is as good, and takes time in proportion. All
candidates of all stretches are planned together.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..library.transition_graph import TransitionGraph
from .joining import SEGMENTS, joined
from .pace import pace_noticed
from .path_improvement import improved
from .path_objective import UNSEEN_WEIGHT, objectives_of, sums_of
from .random_walks import Walkers, random_walks
from .replanning import WINDOW_SEGMENTS, Preferences, replanned, wide_segments
from .stretches import Piece, Stretches

Frames = NDArray[np.int64]
Rounds = tuple[tuple[int, int], ...]

TASTE = 12.0
"""Mean spread of the edge costs by which seeds differ, in edge cost, at a noise of one ..."""
SHORT_TASTE = 36.0
"""... and of results of a single stretch, for which seeds have a fifth more distinct transitions at the same distance.
Long results are unlike anyway, and parts would keep step less ..."""
SHORT_RELIEF = 0.2
"""... so much of what that costs more on the mean is taken back from each transition: else results would have fewer of
them, not other ones; with twice as much they have more, and the more are the same for all seeds ..."""
MORE_TASTE = 24.0
"""... and how much more the spread is for each one more noise ..."""
TASTE_RELIEF = 0.4
"""... of which so much is taken back ..."""
MOST_RELIEVED = 4.0
"""... up to so much more noise, where the slider ends."""
TASTE_SECONDS = 0.4
"""A seed's taste is the same for so long: for a moment of a stride, not for one of its frames, or it would move each
transition by a frame and leave it where every other seed has it."""
CANDIDATES = 4
"""Walks for each stretch. More make seeds more alike: six cost a tenth of time and of the distinct transitions, for a
tenth less of local distance on half of the clips."""
IMPROVED = 2
"""Of the walks, so many are improved, each of their segments once ..."""
FINALISTS = 1
"""... and so many of these planned anew in windows ..."""
FIRST_WINDOWS: tuple[int, ...] = (3, 2)
"""... the first of which have so many segments, so that the second time they lie across the ends of the first. A third
time gains 1 %. Stretches of long results are planned anew in windows of the first size, and then twice in wide ones:
these leave out what other windows show already."""
SEEN_ENOUGH = 0.1
"""While the best path leaves more than this share of the examples unseen, further ones are tried: at 0.05, local
distance is a fifth higher for a tenth less of the distance of the example's windows ..."""
PATIENCE = 4
"""... in so many rounds, each of which minds what is unseen URGENCY times as much as the one before."""
URGENCY = 2.0
STRETCH_ROUNDS = 2.0
"""A stretch is long enough to show all of the examples so many times ..."""
STRETCH_SECONDS = 60.0
"""... and no shorter than this ..."""
STRETCH_SEGMENTS = 2 * SEGMENTS
"""... nor than so many of the longest segments, so that where two stretches meet can be planned anew."""
USUAL_ROUNDS = 2.0
"""A result that shows all of the examples so many times minds what is unseen as usual. One of several stretches minds
it less, by how much longer it is: in all as much as such a result, or each would go to ends that only a bad transition
leaves."""
ARRIVALS = 0.2
"""Share of the examples, the cheapest to arrive at, that stretches begin at; where two meet is planned anew after
all."""
PACE_DEFICIT = 4.0
"""The pace deficit of every other walk, see `random_walks.Walkers`; which way is better, the examples decide."""
MOST_ENTRIES = 1 << 21
"""Entries of the largest table of scores; more stretches are planned in blocks."""
GOLDEN_RATIO = 0.6180339887498949


def plan_initial_path(
    graph: TransitionGraph, frames: int, seed: int, random: np.random.Generator, together: bool = False
) -> Frames:
    """Return the example frame `(F,)` that each of `frames` stage frames shows.

    Neighboring seeds begin far apart: at multiples of the golden ratio of the examples' length. None begins at the
    first frame, from where the cheapest path is the example itself. together: True for one of several parts, which
    have to go together: seeds then differ less.
    """
    beginnings = np.flatnonzero(graph.ends - np.arange(graph.frames) >= graph.shortest)
    first = int(beginnings[int((seed + 1) * GOLDEN_RATIO % 1.0 * len(beginnings))])
    # Each seed has a preference of its own for transitions, or all would end with the one best path.
    count, stretch = stretch_count(graph, frames), _stretch_frames(graph)
    tasted = _with_taste(graph, TASTE if count > 1 or together else SHORT_TASTE, random)
    preferences = Preferences.of_seed(graph, random)
    rounds = tuple((segments, WINDOW_SEGMENTS) for segments in FIRST_WINDOWS)
    if count > 1:
        # Long results of two seeds are unlike anyway.
        preferences, rounds = replace(preferences, alignments=None), _rounds_of_stretches(tasted)
    ends = np.linspace(0, frames, count + 1).astype(np.int64)
    lengths = ends[1:] - ends[:-1]
    firsts = np.append(first, _arrivals(tasted, count - 1, random))
    weight = UNSEEN_WEIGHT
    if count > 1:
        weight *= min(1.0, USUAL_ROUNDS * graph.frames / stretch)
    block = max(1, MOST_ENTRIES // (CANDIDATES * graph.frames * (graph.longest - graph.shortest + 1)))
    pieces: list[Piece] = []
    for begin in range(0, count, block):
        here = slice(begin, begin + block)
        pieces += _best_pieces(tasted, lengths[here], firsts[here], weight, preferences, rounds, random)
    return joined(tasted, pieces).path


def stretch_count(graph: TransitionGraph, frames: int) -> int:
    """Return in how many stretches a path of so many stage frames is planned; one where it is not long."""
    return max(1, round(frames / _stretch_frames(graph)))


def _stretch_frames(graph: TransitionGraph) -> float:
    return max(STRETCH_ROUNDS * graph.frames, STRETCH_SECONDS * graph.rate, STRETCH_SEGMENTS * graph.longest)


def _rounds_of_stretches(graph: TransitionGraph) -> Rounds:
    """Return the rounds in which stretches of long results are planned anew."""
    usual, wide = (FIRST_WINDOWS[0], WINDOW_SEGMENTS), wide_segments(graph)
    return (usual, (wide, wide), (wide // 2, wide)) if wide > WINDOW_SEGMENTS else (usual,)


def _with_taste(graph: TransitionGraph, usual: float, random: np.random.Generator) -> TransitionGraph:
    """Return the graph with the edge costs of a seed: the more noise, the farther from those of other seeds.

    usual: their mean spread at a noise of one.
    """
    leaving, arriving = (dislikes(graph, random, TASTE_SECONDS) for _ in range(2))
    gentle, more = min(graph.noise, 1.0), max(0.0, graph.noise - 1.0)
    taste = usual * gentle + MORE_TASTE * more
    if not taste:
        return graph.with_preferences(leaving, arriving, 0.0)
    taken_back = SHORT_RELIEF * (usual - TASTE) * gentle + TASTE_RELIEF * MORE_TASTE * min(more, MOST_RELIEVED)
    relief = taken_back / taste
    return graph.with_preferences(leaving - relief, arriving - relief, taste)


def dislikes(graph: TransitionGraph, random: np.random.Generator, seconds: float) -> NDArray[np.float64]:
    """Return a seed's dislikes `(N,)` of frames, of mean one, each for so many seconds."""
    width = max(1, round(seconds * graph.rate))
    shift = int(random.integers(width))
    return np.repeat(random.standard_exponential(graph.frames // width + 2), width)[shift : shift + graph.frames]


def _arrivals(graph: TransitionGraph, count: int, random: np.random.Generator) -> Frames:
    """Return frames `(count,)` to begin stretches at, such as are cheap to arrive at."""
    costs = graph.predecessor_edge_costs.min(axis=0)
    costs[graph.near_end] = np.inf
    places = np.argsort(costs, kind="stable")[: max(1, round(ARRIVALS * graph.frames))]
    shares = (random.random() + GOLDEN_RATIO * np.arange(count)) % 1.0
    return places[(shares * len(places)).astype(np.int64)]


def _best_pieces(
    graph: TransitionGraph,
    lengths: Frames,
    firsts: Frames,
    unseen_weight: float,
    preferences: Preferences,
    rounds: Rounds,
    random: np.random.Generator,
) -> list[Piece]:
    """Return the best of some improved paths for each of S stretches, of their lengths and first frames `(S,)`.

    rounds: in which these are planned anew: the segments of the first window, and of the others.
    """
    least, fewest = np.full(len(lengths), np.inf), np.full(len(lengths), np.inf)
    best = [Piece(firsts, lengths)] * len(lengths)
    waiting = np.arange(len(lengths))
    for patience in range(PATIENCE):
        weight = URGENCY**patience * unseen_weight
        tried = _candidates(graph, lengths[waiting], firsts[waiting], URGENCY**patience, random)
        tried, _, _ = _best(graph, tried, weight, len(waiting), IMPROVED)
        tried = improved(graph, tried, _each(tried, weight))
        tried, _, _ = _best(graph, tried, weight, len(waiting), FINALISTS)
        for first, others in rounds:
            tried = replanned(graph, tried, _each(tried, weight), first, preferences, others)
        tried = _at_the_pace(graph, tried, weight, preferences, rounds)
        tried, objectives, unseen = _best(graph, tried, weight, len(waiting), 1)
        lower = objectives < least[waiting]
        better = waiting[lower]
        for stretch, piece in zip(better.tolist(), tried.take(lower).pieces(), strict=True):
            best[stretch] = piece
        least[better], fewest[better] = objectives[lower], unseen[lower]
        waiting = waiting[fewest[waiting] > SEEN_ENOUGH]
        if not len(waiting):
            break
        least[waiting] += (URGENCY - 1.0) * weight * fewest[waiting]
    return best


def _at_the_pace(
    graph: TransitionGraph, tried: Stretches, weight: float, preferences: Preferences, rounds: Rounds
) -> Stretches:
    """Return the paths, of which those whose pace is noticed are planned anew: in the same rounds, and in wide ones,
    since a gesture and the rest before and after it may need more room than a usual window has.
    """
    for first, others in dict.fromkeys((*rounds, *_rounds_of_stretches(graph))):
        noticed = pace_noticed(graph, sums_of(graph, tried).moved, tried.frames)
        if not noticed.any():
            break
        pieces, some = tried.pieces(), tried.take(noticed)
        anew = replanned(graph, some, _each(some, weight), first, preferences, others).pieces()
        for path, piece in zip(np.flatnonzero(noticed).tolist(), anew, strict=True):
            pieces[path] = piece
        tried = Stretches.of_pieces(pieces)
    return tried


def _each(stretches: Stretches, weight: float) -> NDArray[np.float64]:
    """Return a weight for each of the stretches."""
    return np.full(len(stretches.sources), weight)


def _best(
    graph: TransitionGraph, tried: Stretches, weight: float, count: int, kept: int
) -> tuple[Stretches, NDArray[np.float64], NDArray[np.float64]]:
    """Return the `kept` best paths of each of `count` stretches, their objectives, and what they leave unseen."""
    objectives, unseen = objectives_of(graph, tried, _each(tried, weight))
    order = np.argsort(objectives.reshape(count, -1), axis=1, kind="stable")[:, :kept]
    chosen = (order + np.arange(count)[:, None] * (len(objectives) // count)).ravel()
    return tried.take(chosen), objectives[chosen], unseen[chosen]


def _candidates(
    graph: TransitionGraph,
    lengths: Frames,
    firsts: Frames,
    urgency: float,
    random: np.random.Generator,
) -> Stretches:
    """Return CANDIDATES walks for each stretch, one after another."""
    deficits = np.tile(PACE_DEFICIT * (np.arange(CANDIDATES) % 2), len(lengths))
    urgencies = np.full(len(deficits), urgency)
    walkers = Walkers(np.repeat(firsts, CANDIDATES), np.repeat(lengths, CANDIDATES), urgencies, deficits)
    return random_walks(graph, walkers, random)
