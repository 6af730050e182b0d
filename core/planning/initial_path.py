# SPDX-License-Identifier: GPL-3.0-or-later
"""The initial path: a path through the examples at their own speed, in a new order.

The path plays segments of the examples, leaves them where a transition is cheap, and prefers frames that it has shown
too rarely. The order is therefore new, the speed natural, and every part is visited; the paper's initial guess, noise
alone, leaves this to chance. Several paths are planned and improved, and the best is kept. A long result is planned in
stretches. Each stretch has as many candidates as a short result and the same weight for unseen frames, so the quality
is the same and the time grows in proportion. All candidates of all stretches are planned together.
"""

import numpy as np

from ..arrays import Float64, Indices, Mask
from ..examples.shortlist import GOLDEN_RATIO
from ..examples.transition_graph import TransitionGraph
from ..progress import Progress, part_of_progress, parts_of_progress
from .pace import pace_noticed
from .path_improvement import improved
from .path_objective import UNSEEN_WEIGHT, objectives_of, sums_of
from .replanning import FIRST_COST, joined, replanned
from .stretches import WINDOW_SEGMENTS, Piece, Stretches
from .walks import Walkers, walks

TASTE = 30.0
"""Mean cost that a seed's preferences add to each end of a transition, in edge cost, at a noise of one. With 24, seeds
have fewer distinct transitions."""
RELIEF = 0.15
"""Share of this cost that is subtracted from every transition again. Without it, results would have fewer transitions,
not different ones."""
TASTE_SECONDS = 0.4
"""Time, in seconds, for which a seed's preference stays the same: a moment of a stride. If it changed with every frame,
seeds would only shift the same transitions by a frame."""
FIRST_WINDOWS: tuple[int, ...] = (3, 2)
"""Segments of the first window in each round of replanning. The sizes differ so that windows of the second round lie
across the ends of those of the first; a third round gains 1 %."""
SEEN_ENOUGH = 0.1
"""Unseen share of the examples above which further paths are tried. At 0.05, the local distance is a fifth higher, and
the distance of the example's windows a tenth lower."""
PATIENCE = 4
"""Largest number of rounds in which paths are tried, in which the weight of unseen frames grows by the factor URGENCY
from each to the next; and in which a path that repeats examples is planned again."""
URGENCY = 2.0
"""Factor on the weight of unseen frames from one round to the next, see PATIENCE."""
STRETCH_ROUNDS = 2.0
"""Shortest stretch of a long result, in lengths of all examples together; it has the usual weight for unseen frames. In
longer stretches the weight falls in proportion, so that its sum stays the same; otherwise each stretch would visit
ends of examples that only a bad transition leaves."""
STRETCH_SECONDS = 60.0
"""Shortest stretch, in seconds."""
STRETCH_SEGMENTS = 2 * WINDOW_SEGMENTS
"""Shortest stretch, in longest segments: long enough to replan the segments where two stretches meet."""
ARRIVALS = 0.2
"""Share of the example frames, those cheapest to arrive at, from which the beginnings of stretches are chosen. The
segments where two stretches meet are replanned afterward."""
PACE_DEFICITS = (0.0, 4.0)
"""Pace deficit of each walk of a stretch, in visits (see `walks.Walkers`). It depends on the examples which of
them is better."""
MOST_ENTRIES = 1 << 21
"""Largest number of entries in a table of scores; stretches beyond it are planned in further blocks."""


def plan_initial_path(
    graph: TransitionGraph,
    frames: int,
    seed: int,
    random: np.random.Generator,
    progress: Progress | None = None,
) -> Indices:
    """Return the example frame `(F,)` that each of `frames` stage frames shows.

    Neighboring seeds begin far apart, at multiples of the golden ratio of the examples' length; with a noise below
    one, they may begin near the beginning of an example that only bad transitions reach (see `_opening`). No seed
    begins at the first frame by itself, because the cheapest path from there is the example itself.

    A gesture that ends as it began could go on to the end where other transitions cost more: of many examples, those of
    which the path shows frames three times become costlier to arrive at, and the path is planned again; progress is at
    its end by then.
    """
    beginnings = np.flatnonzero(graph.ends - np.arange(graph.frames) >= graph.shortest)
    share = (seed + 1) * GOLDEN_RATIO % 1.0
    first = int(beginnings[int(share * len(beginnings))])
    # Each seed has its own preferences for transitions; otherwise all seeds would find the same best path.
    count, stretch = stretch_count(graph, frames), _stretch_frames(graph)
    tasted = _with_taste(graph, random)
    ends = np.linspace(0, frames, count + 1).astype(np.int64)
    lengths = ends[1:] - ends[:-1]
    firsts = np.append(first, _arrivals(tasted, count - 1, random))
    weight = UNSEEN_WEIGHT
    if count > 1:
        weight *= STRETCH_ROUNDS * graph.frames / stretch
    # Beginning alike is the price, so it is for those who want less variety than usual.
    opening = _opening(graph, share) if graph.noise < 1.0 and lengths[0] > graph.frames else None
    for _ in range(1 + PATIENCE):
        planning, joining = part_of_progress(progress, 0.0, 0.9), part_of_progress(progress, 0.9, 1.0)
        path = joined(tasted, _pieces(tasted, lengths, firsts, weight, opening, planning), joining).path
        progress = part_of_progress(progress, 1.0, 1.0)
        repeated = _repeated(graph, path)
        if not repeated.any():
            break
        costlier = repeated[graph.bounds.example_of(np.arange(graph.frames))].astype(np.float64)
        tasted = tasted.with_preferences(np.zeros(graph.frames), costlier, FIRST_COST)
    return path


def _pieces(
    graph: TransitionGraph,
    lengths: Indices,
    firsts: Indices,
    weight: float,
    opening: int | None,
    progress: Progress | None,
) -> list[Piece]:
    """Return the best paths of all stretches, planned in blocks that fit into memory; see `_best_pieces`."""
    block = max(1, MOST_ENTRIES // (len(PACE_DEFICITS) * graph.frames * (graph.longest - graph.shortest + 1)))
    pieces: list[Piece] = []
    for begin in range(0, len(lengths), block):
        here = slice(begin, begin + block)
        planning = part_of_progress(progress, begin / len(lengths), min((begin + block) / len(lengths), 1.0))
        pieces += _best_pieces(graph, lengths[here], firsts[here], weight, opening if begin == 0 else None, planning)
    return pieces


def _repeated(graph: TransitionGraph, path: Indices) -> Mask:
    """Return a mask `(E,)` of the examples of which a path shows frames more than twice.

    None counts where that may be necessary: with one example, or less than twice as many frames as the path has.
    """
    repeated = np.zeros(len(graph.bounds.starts), bool)
    if len(repeated) > 1 and 2 * len(path) <= graph.frames:
        repeated[graph.bounds.example_of(np.flatnonzero(np.bincount(path) > 2))] = True
    return repeated


def stretch_count(graph: TransitionGraph, frames: int) -> int:
    """Return the number of stretches in which a path of `frames` stage frames is planned; one if it is short."""
    return max(1, round(frames / _stretch_frames(graph)))


def _stretch_frames(graph: TransitionGraph) -> float:
    return max(STRETCH_ROUNDS * graph.frames, STRETCH_SECONDS * graph.rate, STRETCH_SEGMENTS * graph.longest)


def _with_taste(graph: TransitionGraph, random: np.random.Generator) -> TransitionGraph:
    """Return the graph with a seed's own edge costs, which differ from those of other seeds more with more noise."""
    leaving, arriving = (frame_preferences(graph, random, TASTE_SECONDS) - RELIEF for _ in range(2))
    return graph.with_preferences(leaving, arriving, TASTE * graph.noise)


def frame_preferences(graph: TransitionGraph, random: np.random.Generator, seconds: float) -> Float64:
    """Return a seed's random preference costs `(N,)` of frames, with a mean of one, each constant for `seconds`."""
    width = max(1, round(seconds * graph.rate))
    shift = int(random.integers(width))
    return np.repeat(random.standard_exponential(graph.frames // width + 2), width)[shift : shift + graph.frames]


def _arrivals(graph: TransitionGraph, count: int, random: np.random.Generator) -> Indices:
    """Return frames `(count,)` at which stretches begin, chosen among those that are cheap to arrive at."""
    costs = graph.predecessor_edge_costs.min(axis=0)
    costs[graph.near_end] = np.inf
    places = np.argsort(costs, kind="stable")[: max(1, round(ARRIVALS * graph.frames))]
    shares = (random.random() + GOLDEN_RATIO * np.arange(count)) % 1.0
    return places[(shares * len(places)).astype(np.int64)]


def _opening(graph: TransitionGraph, share: float) -> int | None:
    """Return a frame near the beginning that is costliest to arrive at, if every transition there exceeds FIRST_COST.

    share: a seed's own share, 0 to 1, of the shortest segment that lies before the frame; otherwise seeds that begin
    there would be alike.
    """
    starts, ends = graph.bounds.starts, graph.bounds.ends
    arriving = graph.predecessor_edge_costs.min(axis=0)[starts]
    costliest = int(arriving.argmax())
    if arriving[costliest] <= FIRST_COST:
        return None
    later = min(int(share * graph.shortest), max(int(ends[costliest] - starts[costliest]) - graph.shortest, 0))
    return int(starts[costliest]) + later


def _best_pieces(
    graph: TransitionGraph,
    lengths: Indices,
    firsts: Indices,
    unseen_weight: float,
    opening: int | None,
    progress: Progress | None,
) -> list[Piece]:
    """Return the best of several improved paths for each of S stretches.

    lengths, firsts: `(S,)` stage frames and first example frame of each stretch. opening: another frame with which the
    first stretch may begin, at FIRST_COST; None for no other. Any round may be the last; each is the same share of the
    progress that those before it leave.
    """
    least, fewest = np.full(len(lengths), np.inf), np.full(len(lengths), np.inf)
    best = [Piece(firsts, lengths)] * len(lengths)
    waiting = np.arange(len(lengths))
    owners, begins = np.arange(len(lengths)), firsts
    if opening is not None:
        owners, begins = np.append(owners, 0), np.append(begins, opening)
    for patience in range(PATIENCE):
        weight = URGENCY**patience * unseen_weight
        here = np.isin(owners, waiting)
        this_round = part_of_progress(progress, 1.0 - PATIENCE**-patience, 1.0 - PATIENCE ** -(patience + 1))
        walking, improving, *replanning = parts_of_progress(this_round, 2 + len(FIRST_WINDOWS))
        tried = _walks(graph, lengths[owners[here]], begins[here], URGENCY**patience, walking)
        tried = improved(graph, tried, _each(tried, weight), improving)
        tried, _, _ = _best(graph, tried, weight, np.repeat(np.arange(np.count_nonzero(here)), len(PACE_DEFICITS)))
        for segments, window in zip(FIRST_WINDOWS, replanning, strict=True):
            tried = replanned(graph, tried, _each(tried, weight), segments, window)
        tried = _at_the_pace(graph, tried, weight, part_of_progress(this_round, 1.0, 1.0))
        tried, objectives, unseen = _best(graph, tried, weight, owners[here], firsts[owners[here]])
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


def _at_the_pace(graph: TransitionGraph, tried: Stretches, weight: float, progress: Progress | None) -> Stretches:
    """Return the paths, with those of a noticeably wrong pace replanned in the same rounds."""
    for segments in FIRST_WINDOWS:
        noticed = pace_noticed(graph, sums_of(graph, tried).moved, tried.frames)
        if not noticed.any():
            break
        pieces, off_pace = tried.pieces(), tried.take(noticed)
        new = replanned(graph, off_pace, _each(off_pace, weight), segments, progress).pieces()
        for path, piece in zip(np.flatnonzero(noticed).tolist(), new, strict=True):
            pieces[path] = piece
        tried = Stretches.of_pieces(pieces)
    return tried


def _each(stretches: Stretches, weight: float) -> Float64:
    """Return the same weight for each stretch."""
    return np.full(len(stretches.sources), weight)


def _best(
    graph: TransitionGraph, tried: Stretches, weight: float, owners: Indices, firsts: Indices | None = None
) -> tuple[Stretches, Float64, Float64]:
    """Return the best path of each owner, ascending, its objective and its unseen share.

    owners: `(B,)` of the paths. firsts: `(B,)` example frames; others cost FIRST_COST more.
    """
    objectives, unseen = objectives_of(graph, tried, _each(tried, weight))
    if firsts is not None:
        objectives += FIRST_COST * (tried.sources[:, 0] != firsts) * graph.rate / tried.frames
    best_first = np.lexsort((objectives, owners))
    chosen = best_first[np.unique(owners[best_first], return_index=True)[1]]
    return tried.take(chosen), objectives[chosen], unseen[chosen]


def _walks(
    graph: TransitionGraph, lengths: Indices, firsts: Indices, urgency: float, progress: Progress | None
) -> Stretches:
    """Return a walk with each of PACE_DEFICITS for each stretch, one after another."""
    count = len(PACE_DEFICITS)
    deficits = np.tile(PACE_DEFICITS, len(lengths))
    walkers = Walkers(np.repeat(firsts, count), np.repeat(lengths, count), np.full(len(deficits), urgency), deficits)
    return walks(graph, walkers, progress)
