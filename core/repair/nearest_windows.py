# SPDX-License-Identifier: GPL-3.0-or-later
"""Search for the windows of examples nearest to the windows of a motion, compared by poses along them."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Float32, Indices, Mask
from ..errors import InputError
from ..infill.alternatives import ROWS
from ..library.pose_index import SAME_PLACE_SECONDS, PoseIndex
from ..motion.piecewise import pieces

BLOCK = 2**23
"""Number of distances that are held at a time: 32 MB."""


@dataclass(frozen=True, eq=False)
class WindowLayout:
    """Windows of L frames that cover a motion; starts: their first frames `(Q,)`, ascending."""

    starts: Indices
    length: int


def lay_windows(frames: int, length: int, step: int) -> WindowLayout:
    """Return windows of `length` frames, or of the whole motion if shorter, that begin at most `step` frames apart.

    >>> lay_windows(20, 9, 4).starts.tolist()
    [0, 4, 8, 11]
    """
    length = min(length, frames)
    last = frames - length
    return WindowLayout(np.unique(np.append(np.arange(0, last, step), last)), length)


def nearest_windows(
    index: PoseIndex, rows: Float32, layout: WindowLayout, count: int, allowed: Mask | None = None
) -> Indices:
    """Return the first frames `(Q, K)` in the index of the windows nearest to each window of `rows` `(T, C)`.

    K is `count`, or less if there are fewer windows. allowed: `(M,)` the motions that may be used; None is all.
    Raises InputError if no motion is long enough.
    """
    starts, possible = layout.starts, _possible(index, layout.length, allowed)
    offsets = np.unique(np.linspace(0, layout.length - 1, ROWS).round().astype(np.int64))
    spacing = max(1, round(SAME_PLACE_SECONDS * index.frames_per_second))
    places = np.flatnonzero(possible)
    if not len(places):
        raise InputError("No example is long enough to compare with; learn from longer ones.")
    constant = sum(index.squares[places + offset] for offset in offsets)
    chosen: list[list[int]] = []
    block = max(1, BLOCK // len(places))
    for first in range(0, len(starts), block):
        queries = starts[first : first + block]
        distances = np.broadcast_to(constant, (len(queries), len(places))).copy()
        for offset in offsets:
            for piece in pieces(len(places)):
                distances[:, piece] -= 2 * (rows[queries + offset] @ index.rows[places[piece] + offset].T)
        chosen += [_spread(line, places, count, spacing) for line in distances]
    fewest = min(len(numbers) for numbers in chosen)
    return np.array([numbers[:fewest] for numbers in chosen], np.int64)


def _possible(index: PoseIndex, length: int, allowed: Mask | None) -> Mask:
    """Return a mask `(N,)` of the frames at which a window within one motion may begin."""
    last = np.arange(index.frames) + length <= index.stops[index.clips]
    return np.asarray(last if allowed is None else last & allowed[index.clips])


def _spread(distances: Float32, places: Indices, count: int, spacing: int) -> list[int]:
    """Return the places with the least distances, at least `spacing` frames apart."""
    # Each window that is taken excludes those that begin within the spacing on either side.
    most = min((2 * spacing - 1) * count, len(places))
    best = np.argpartition(distances, most - 1)[:most] if most < len(places) else np.arange(len(places))
    ascending = places[best[np.argsort(distances[best], kind="stable")]]
    taken: list[int] = []
    while len(taken) < count and len(ascending):
        taken.append(int(ascending[0]))
        ascending = ascending[np.abs(ascending - taken[-1]) >= spacing]
    return taken
