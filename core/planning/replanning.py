# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths made better window by window: each is planned anew, exactly, for what the rest of its path leaves unseen.

The best way is the same for every seed, so each has preferences of its own: for alignments, of which two seeds that
share one show the same frame at the same time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..library.transition_graph import TransitionGraph
from .pace import pace_noticed, pace_rewards
from .path_objective import Sums, objectives_of_sums, sums_of
from .stretches import Piece, Stretches, one_after_another
from .window_search import Window, cheapest_pieces, most_segments

Frames = NDArray[np.int64]
Values = NDArray[np.float64]
Rows = NDArray[np.float32]
Mask = NDArray[np.bool_]

WINDOW_SEGMENTS = 3
"""Segments of a window: two changes at once get out of what one change does not, a third is left as room."""
WIDE_SEGMENTS = 8
"""Segments of a wide window, for paths of several of them: what is dear to get out of may be left for longer."""
FIRST_COST = 60.0
"""Cost, in edge cost, of beginning as an example does instead of with a seed's own frame. Where nothing leads to that
beginning it is worth hundreds; elsewhere results would begin alike."""
ALIGNMENT_TASTE = 16.0
"""Mean cost of an alignment for a seed, in edge cost, at a noise of one and more: beyond, seeds differ in their
transitions, and fewer of these would be made. Without it seeds of short examples are more alike."""
FIRST_FRAMES = 2
"""A result that begins as an example does begins with one of so many of its frames, which its seed decides. With
more, the example's own beginning stays unseen."""
LEAST_GAIN = 1e-6
"""Smaller gains, in edge cost per second, are rounding."""


@dataclass(frozen=True, eq=False)
class Preferences:
    """A seed's own preferences, so that its paths are not those of other seeds.

    alignments: `(N,)` the cost of a segment by how many frames it is ahead of its path, modulo N; None: nothing. first:
    the frame of an example, of FIRST_FRAMES, that a path may begin with.
    """

    alignments: Rows | None
    first: int

    @classmethod
    def of_seed(cls, graph: TransitionGraph, random: np.random.Generator) -> "Preferences":
        """Return those of the seed that `random` is of."""
        alignments = min(graph.noise, 1.0) * ALIGNMENT_TASTE * random.standard_exponential(graph.frames)
        return cls(alignments.astype(np.float32), int(random.integers(FIRST_FRAMES)))

    def alignments_after(self, frames: Frames) -> Sequence[Rows | None]:
        """Return the alignments `(W, N)` of windows that begin so many frames `(W,)` after their paths."""
        if self.alignments is None:
            return [None] * len(frames)
        count = len(self.alignments)
        return list(self.alignments[(np.arange(count) - frames[:, None]) % count])


def wide_segments(graph: TransitionGraph) -> int:
    """Return the segments of wide windows: WIDE_SEGMENTS, or as many as need no more memory than usual windows may."""
    return min(WIDE_SEGMENTS, most_segments(graph))


def replanned(
    graph: TransitionGraph,
    stretches: Stretches,
    unseen_weights: Values,
    first: int,
    preferences: Preferences,
    others: int = WINDOW_SEGMENTS,
) -> Stretches:
    """Return paths as long as those of `stretches`, whose objectives are no larger, FIRST_COST aside.

    They may begin with the beginning of an example, where they last longer than all examples, and end anywhere: shorter
    results of several seeds would be alike, and cannot show everything. unseen_weights: `(B,)` those of the objectives.
    first, others: segments of each path's first window, and of those after it; the last may have more.
    """
    pieces = stretches.pieces()
    spans = [(owner, span) for owner, piece in enumerate(pieces) for span in _spans(len(piece.sources), first, others)]
    if not spans:
        return stretches
    owners = np.array([owner for owner, _ in spans])
    now = [pieces[owner].part(span) for owner, span in spans]
    sums, sums_now = sums_of(graph, stretches), sums_of(graph, Stretches.of_pieces(now))
    frames, weights = stretches.frames[owners], unseen_weights[owners]
    rewards = _rewards(graph, sums.seen[owners] - sums_now.seen, frames, weights)
    if pace_noticed(graph, sums.moved, stretches.frames).any():
        rewards += pace_rewards(graph, sums.moved[owners], frames)
    before = np.cumsum(stretches.lengths, axis=1) - stretches.lengths
    alignments = preferences.alignments_after(before[owners, [span.start for _, span in spans]])
    windows = [
        Window(
            piece,
            _first_costs(graph, piece, preferences.first) if span.start == 0 and long else None,
            span.stop >= count,
            reward,
            alignment,
        )
        for piece, (_, span), long, count, reward, alignment in zip(
            now,
            spans,
            (frames > graph.frames).tolist(),
            stretches.counts[owners].tolist(),
            rewards,
            alignments,
            strict=True,
        )
    ]
    new = cheapest_pieces(graph, windows)
    change = sums_of(graph, Stretches.of_pieces(new)).less(sums_now)
    moved_first = np.array([piece.sources[0] != before.sources[0] for piece, before in zip(new, now, strict=True)])
    change = change.dearer(FIRST_COST * moved_first)
    taken = windows_taken(graph, stretches, sums, change, owners, unseen_weights)
    return Stretches.of_pieces(_replaced(pieces, spans, new, taken))


def _spans(count: int, first: int, others: int) -> list[slice]:
    """Return the windows of a path of `count` segments; none of a single one."""
    bounds = [0, *range(first, count, others), count]
    if len(bounds) > 2 and bounds[-1] - bounds[-2] < 2:
        del bounds[-2]
    return [slice(begin, end) for begin, end in pairwise(bounds) if end - begin > 1]


def _first_costs(graph: TransitionGraph, piece: Piece, first: int) -> Rows:
    costs = np.full(graph.frames, np.inf, np.float32)
    costs[np.minimum(graph.firsts + first, graph.ends[graph.firsts] - 1)] = FIRST_COST
    costs[piece.sources[0]] = 0.0
    return costs


def _rewards(graph: TransitionGraph, seen: Rows, frames: Frames, weights: Values) -> Rows:
    """Return the worth of each example frame, `(W, N)` in edge cost, where `(W, G)` is seen outside the windows."""
    expected = np.minimum(1.0, frames / graph.frames)
    missing = np.clip(expected[:, None] - seen, 0.0, 1.0).astype(np.float32)
    worth = graph.coverage.of_frames_seen(graph.coverage.gains(missing))
    return np.asarray(worth * (weights * frames / (graph.rate * graph.frames))[:, None], np.float32)


def windows_taken(
    graph: TransitionGraph, stretches: Stretches, sums: Sums, change: Sums, owners: Frames, unseen_weights: Values
) -> Mask:
    """Return a mask `(W,)` of the windows to be replaced: of each path all that are better, unless the best of them by
    itself is better than all.
    """
    frames = stretches.frames
    before = objectives_of_sums(graph, sums, frames, unseen_weights)
    alone = objectives_of_sums(graph, sums.take(owners).more(change), frames[owners], unseen_weights[owners])
    gains = before[owners] - alone
    taken = np.zeros(len(owners), bool)
    rows = np.flatnonzero(gains > LEAST_GAIN)
    if not len(rows):
        return taken
    paths, begins, path_of = np.unique(owners[rows], return_index=True, return_inverse=True)
    leaders = rows[np.lexsort((-gains[rows], path_of))[begins]]
    all_of_them = sums.take(paths).more(change.take(rows).added(begins))
    together = before[paths] - objectives_of_sums(graph, all_of_them, frames[paths], unseen_weights[paths])
    joint = together >= gains[leaders] - LEAST_GAIN
    taken[rows] = joint[path_of] | (rows == leaders[path_of])
    return taken


def _replaced(pieces: list[Piece], spans: list[tuple[int, slice]], new: list[Piece], taken: Mask) -> list[Piece]:
    """Return the pieces with the windows that are taken in place of their own."""
    parts: list[list[Piece]] = [[] for _ in pieces]
    done = [0] * len(pieces)
    for row in np.flatnonzero(taken).tolist():
        owner, span = spans[row]
        parts[owner] += [pieces[owner].part(slice(done[owner], span.start)), new[row]]
        done[owner] = span.stop
    return [
        one_after_another([*found, piece.part(slice(end, None))])
        for piece, found, end in zip(pieces, parts, done, strict=True)
    ]
