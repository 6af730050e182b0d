# SPDX-License-Identifier: GPL-3.0-or-later
"""Joining of stretches: where two of them meet, the segments on both sides are replanned at the least edge cost.

Each stretch is planned by itself and ends where that is best for it, often near the end of an example, where few
transitions begin. The least edge cost favors places where the body rests. If this makes the whole path too slow, these
segments are replanned with rewards for the pace.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..examples.transition_graph import TransitionGraph
from ..progress import Progress, part_of_progress
from .pace import pace_noticed, pace_rewards
from .path_objective import UNSEEN_WEIGHT, sums_of, taken
from .stretches import WINDOW_SEGMENTS, PathWindow, Piece, Stretches, one_after_another
from .window_search import cheapest_pieces


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
