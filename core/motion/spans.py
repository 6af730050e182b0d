# SPDX-License-Identifier: GPL-3.0-or-later
"""Spans of marked frames, the marked frames around each frame, and consecutive numbers."""

import numpy as np

from ..arrays import Indices, Mask


def spans(marked: Mask) -> list[tuple[int, int]]:
    """Return the first frame, and the frame after the last, of each span in a mask `(T,)`.

    >>> spans(np.array([False, True, True, False, True]))
    [(1, 3), (4, 5)]
    """
    edges = np.flatnonzero(np.diff(np.concatenate(([False], marked, [False])).astype(np.int8))).reshape(-1, 2)
    return [(int(first), int(end)) for first, end in edges]


def joined_spans(marked: Mask, longest_gap: float, shortest: float) -> list[tuple[int, int]]:
    """Return the spans of `shortest` frames or more in a mask `(T,)`, joined across gaps of up to `longest_gap`.

    All are in frames.

    >>> joined_spans(np.array([True, False, True, False, False, False, True]), 1, 2)
    [(0, 3)]
    """
    joined: list[tuple[int, int]] = []
    for first, end in spans(marked):
        if joined and first - joined[-1][1] <= longest_gap:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((first, end))
    return [(first, end) for first, end in joined if end - first >= shortest]


def without_gaps(marked: Mask, frames: int) -> Mask:
    """Return a mask `(T, J)` with the gaps of up to `frames` frames filled.

    >>> without_gaps(np.array([[True], [False], [True], [False]]), 1).ravel().tolist()
    [True, True, True, False]
    """
    closed = marked.copy()
    for joint in np.flatnonzero(marked.any(axis=0)).tolist():
        for first, end in spans(~marked[:, joint]):
            if first > 0 and end < len(marked) and end - first <= frames:
                closed[first:end, joint] = True
    return closed


def marks_around(marked: Indices, count: int) -> tuple[Indices, Indices]:
    """Return the numbers `(T,)` of the marked frames `(K,)`, ascending, at or before and at or after each of `count`.

    Before the first marked frame both are its number, after the last one that of the last.

    >>> [numbers.tolist() for numbers in marks_around(np.array([1, 3]), 5)]
    [[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]]
    """
    frames = np.arange(count)
    before = np.maximum(np.searchsorted(marked, frames, side="right") - 1, 0)
    return before, np.minimum(np.searchsorted(marked, frames), len(marked) - 1)


def nearest_marks(marked: Indices, count: int) -> Indices:
    """Return the nearest of the marked frames `(K,)`, ascending and distinct, for each of `count` frames.

    Of two that are as near, it is the earlier.

    >>> nearest_marks(np.array([1, 3]), 5).tolist()
    [1, 1, 1, 3, 3]
    """
    return np.asarray(marked[np.searchsorted((marked[1:] + marked[:-1]) / 2, np.arange(count))])


def consecutive_from(firsts: Indices, counts: Indices) -> Indices:
    """Return consecutive numbers `(sum of counts,)` from each of the first ones `(R,)`, as many as its count `(R,)`.

    >>> consecutive_from(np.array([3, 7]), np.array([2, 3])).tolist()
    [3, 4, 7, 8, 9]
    """
    return np.asarray(np.arange(int(counts.sum())) + np.repeat(firsts - (np.cumsum(counts) - counts), counts))
