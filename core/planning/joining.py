# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches joined: where two of them meet, the segments on both sides are planned anew, at the least edge cost.

Each stretch is planned by itself, and ends where that is best for it: often at the end of an example, from where
little leads on.
"""

from collections.abc import Sequence
from itertools import pairwise

from ..library.transition_graph import TransitionGraph
from .stretches import Piece, one_after_another
from .window_search import Window, cheapest_pieces

SEGMENTS = 3
"""Segments on each side of a meeting that are planned anew, half of a piece's at most; the first of them keeps its
beginning, the last its end."""


def joined(graph: TransitionGraph, pieces: Sequence[Piece]) -> Piece:
    """Return pieces of two segments and more as one path of as many frames."""
    if len(pieces) == 1:
        return pieces[0]
    reach = [min(SEGMENTS, len(piece.sources) // 2) for piece in pieces]
    begins = [0, *reach[1:]]
    ends = [len(piece.sources) - count for piece, count in zip(pieces[:-1], reach, strict=False)]
    ends.append(len(pieces[-1].sources))
    inside = [piece.part(slice(*own)) for piece, *own in zip(pieces, begins, ends, strict=True)]
    across = [
        one_after_another((before.part(slice(end, None)), after.part(slice(begin))))
        for (before, after), end, begin in zip(pairwise(pieces), ends[:-1], begins[1:], strict=True)
    ]
    better = cheapest_pieces(graph, [Window(piece) for piece in across])
    return one_after_another([inside[0], *(part for pair in zip(better, inside[1:], strict=True) for part in pair)])
