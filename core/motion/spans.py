# SPDX-License-Identifier: GPL-3.0-or-later
"""Spans of marked frames: the first frame of each, and the frame after its last."""

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


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
