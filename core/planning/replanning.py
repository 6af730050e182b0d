# SPDX-License-Identifier: GPL-3.0-or-later
"""Replanning of paths window by window: each window is solved exactly for what the rest of its path leaves unseen.

Paths of several stretches are joined: where two meet, the segments on both sides are replanned at the least edge cost.
Each stretch is planned by itself and ends where that is best for it, often near the end of an example, where few
transitions begin. The least edge cost favors places where the body rests. If this makes the whole path too slow, these
segments are replanned with rewards for the pace.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..arrays import Float64, Indices, Mask, Rows
from ..examples.transition_graph import TransitionGraph
from ..motion.piecewise import pieces
from ..progress import Progress, part_of_progress
from .pace import pace_noticed, pace_rewards
from .path_objective import UNSEEN_WEIGHT, sums_of, taken
from .stretches import WINDOW_SEGMENTS, PathWindow, Piece, Stretches, one_after_another
from .window_search import cheapest_pieces

Values = Float64

FIRST_COST = 60.0
"""Cost, in edge cost, of beginning with the beginning of an example in place of the seed's own frame. If no transition
leads to that beginning, showing it is worth hundreds; otherwise the cost keeps results from beginning alike."""


def replanned(
    graph: TransitionGraph,
    stretches: Stretches,
    unseen_weights: Values,
    first: int,
    progress: Progress | None = None,
) -> Stretches:
    """Return paths as long as those of `stretches`, whose objectives, apart from FIRST_COST, are no larger.

    Paths may end anywhere. Those longer than all examples together may begin with the beginning of an example; shorter
    ones of several seeds would be alike, and cannot show everything. unseen_weights: `(B,)` of the objectives. first:
    segments of each path's first window; the windows after it have WINDOW_SEGMENTS, and the last may have more.
    """
    paths = stretches.pieces()
    spans = [(owner, span) for owner, path in enumerate(paths) for span in _spans(len(path.sources), first)]
    if not spans:
        return stretches
    owners = np.array([owner for owner, _ in spans])
    now = [paths[owner].part(span) for owner, span in spans]
    sums, sums_now = sums_of(graph, stretches), sums_of(graph, Stretches.of_pieces(now))
    outside, frames, weights = sums.seen[owners] - sums_now.seen, stretches.frames[owners], unseen_weights[owners]
    noticed = pace_noticed(graph, sums.moved, stretches.frames).any()
    new: list[Piece] = []
    # Rewards of all example frames for all windows of a long path would need more memory than the rest of planning.
    for block in pieces(len(spans), graph.frames):
        rewards = _rewards(graph, outside[block], frames[block], weights[block])
        if noticed:
            rewards += pace_rewards(graph, sums.moved[owners[block]], frames[block])
        windows = [
            PathWindow(
                piece,
                _first_costs(graph, piece) if span.start == 0 and long else None,
                span.stop >= count,
                reward,
            )
            for piece, (_, span), long, count, reward in zip(
                now[block],
                spans[block],
                (frames[block] > graph.frames).tolist(),
                stretches.counts[owners[block]].tolist(),
                rewards,
                strict=True,
            )
        ]
        searching = part_of_progress(progress, block.start / len(spans), block.stop / len(spans))
        new += cheapest_pieces(graph, windows, searching)
    change = sums_of(graph, Stretches.of_pieces(new)).less(sums_now)
    moved_first = np.array([piece.sources[0] != before.sources[0] for piece, before in zip(new, now, strict=True)])
    change = change.dearer(FIRST_COST * moved_first)
    better = taken(graph, stretches.frames, sums, change, owners, unseen_weights)
    return Stretches.of_pieces(_replaced(paths, spans, new, better))


def _spans(count: int, first: int) -> list[slice]:
    """Return the windows of a path of `count` segments, each of two or more; none for a single segment."""
    bounds = [0, *range(first, count, WINDOW_SEGMENTS), count]
    if len(bounds) > 2 and bounds[-1] - bounds[-2] < 2:
        del bounds[-2]
    return [slice(begin, end) for begin, end in pairwise(bounds) if end - begin > 1]


def _first_costs(graph: TransitionGraph, piece: Piece) -> Rows:
    costs = np.full(graph.frames, np.inf, np.float32)
    costs[graph.bounds.starts] = FIRST_COST
    costs[piece.sources[0]] = 0.0
    return costs


def _rewards(graph: TransitionGraph, seen: Rows, frames: Indices, weights: Values) -> Rows:
    """Return the reward `(W, N)`, in edge cost, of each example frame; seen: `(W, G)`, outside the windows."""
    expected = np.minimum(1.0, frames / graph.frames)
    missing = np.clip(expected[:, None] - seen, 0.0, 1.0).astype(np.float32)
    worth = graph.coverage.of_frames_seen(graph.coverage.gains(missing))
    return np.asarray(worth * (weights * frames / (graph.rate * graph.frames))[:, None], np.float32)


def _replaced(pieces: list[Piece], spans: list[tuple[int, slice]], new: list[Piece], taken: Mask) -> list[Piece]:
    """Return the pieces with the taken windows in place of their old segments."""
    parts: list[list[Piece]] = [[] for _ in pieces]
    done = [0] * len(pieces)
    for row in np.flatnonzero(taken).tolist():
        owner, span = spans[row]
        parts[owner] += [pieces[owner].part(slice(done[owner], span.start)), new[row]]
        done[owner] = span.stop
    return [
        one_after_another([*earlier, piece.part(slice(end, None))])
        for piece, earlier, end in zip(pieces, parts, done, strict=True)
    ]


def joined(graph: TransitionGraph, pieces: Sequence[Piece], progress: Progress | None = None) -> Piece:
    """Return pieces, each of at least two segments, as one path of the same number of frames.

    WINDOW_SEGMENTS on each side of a meeting point are replanned, at most half of a piece's segments. The first of them
    keeps its beginning, and the last its end.
    """
    if len(pieces) == 1:
        return pieces[0]
    reach = [min(WINDOW_SEGMENTS, len(piece.sources) // 2) for piece in pieces]
    begins = [0, *reach[1:]]
    ends = [len(piece.sources) - count for piece, count in zip(pieces[:-1], reach, strict=False)]
    ends.append(len(pieces[-1].sources))
    inside = [piece.part(slice(*kept)) for piece, *kept in zip(pieces, begins, ends, strict=True)]
    across = [
        one_after_another((before.part(slice(end, None)), after.part(slice(begin))))
        for (before, after), end, begin in zip(pairwise(pieces), ends[:-1], begins[1:], strict=True)
    ]
    meetings = cheapest_pieces(graph, [PathWindow(piece) for piece in across], progress)
    # All meetings together may overcorrect the pace in one round, and in the next one the other way. Each round lowers
    # the objective, so there is a last one.
    again = part_of_progress(progress, 1.0, 1.0)
    while (at_pace := _at_the_pace(graph, _path(inside, meetings), meetings, again)) is not meetings:
        meetings = at_pace
    return _path(inside, meetings)


def _path(inside: list[Piece], meetings: list[Piece]) -> Piece:
    """Return the parts between meetings, and the meetings, as one path."""
    return one_after_another([inside[0], *(part for pair in zip(meetings, inside[1:], strict=True) for part in pair)])


def _at_the_pace(graph: TransitionGraph, path: Piece, meetings: list[Piece], progress: Progress | None) -> list[Piece]:
    """Return the meetings, replanned for the pace where that lowers the objective of their path.

    The same list is returned if the pace of the path is not noticeably wrong or no meeting is better.
    """
    stretch = Stretches.of_pieces([path])
    sums = sums_of(graph, stretch)
    if not pace_noticed(graph, sums.moved, stretch.frames)[0]:
        return meetings
    rewards = pace_rewards(graph, sums.moved, stretch.frames)[0]
    replanned = cheapest_pieces(graph, [PathWindow(piece, rewards=rewards) for piece in meetings], progress)
    change = sums_of(graph, Stretches.of_pieces(replanned)).less(sums_of(graph, Stretches.of_pieces(meetings)))
    owners = np.zeros(len(replanned), np.int64)
    better = taken(graph, stretch.frames, sums, change, owners, np.array([UNSEEN_WEIGHT]))
    if not better.any():
        return meetings
    return [new if is_better else old for new, old, is_better in zip(replanned, meetings, better.tolist(), strict=True)]
