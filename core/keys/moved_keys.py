# SPDX-License-Identifier: GPL-3.0-or-later
"""Time map of a motion whose keys were moved, deleted or added: the original frame that each frame shows."""

import itertools

import numpy as np

from ..arrays import Float64
from ..motion.interpolation import monotone_cubic

ON_KEY = 0.01
"""Distance, in frames, below which keys are the same, as in Blender."""


def matched_keys(before: Float64, now: Float64) -> tuple[Float64, Float64]:
    """Return the frames of keys that still exist, before `(K,)` and now `(K,)`, both ascending.

    A key at the same frame is the same key. Between two such keys, if there are as many keys now as before, they are
    the same keys, moved; otherwise they are not matched.

    >>> matched_keys(np.array([0.0, 30.0, 60.0]), np.array([0.0, 36.0, 60.0]))[1].tolist()
    [0.0, 36.0, 60.0]
    """
    nearest = np.abs(before[:, None] - now[None]) if len(before) and len(now) else np.zeros((len(before), len(now)))
    pairs = [(int(old), int(new)) for old, new in np.argwhere(nearest < ON_KEY)] if nearest.size else []
    matched: list[tuple[int, int]] = []
    for (old, new), (next_old, next_new) in itertools.pairwise([(-1, -1), *pairs, (len(before), len(now))]):
        if next_old - old == next_new - new:
            matched += [(old + step, new + step) for step in range(1, next_old - old)]
        if next_old < len(before):
            matched.append((next_old, next_new))
    old_rows, new_rows = np.array(matched, np.int64).reshape(-1, 2).T
    return before[old_rows], now[new_rows]


def original_times(before: Float64, now: Float64, at: Float64) -> Float64:
    """Return the frame of the original `(T,)` that each frame `at` `(T,)` shows, by the keys before and now.

    Time runs at the original speed where no key was moved, and beyond the first and the last key.

    >>> original_times(np.array([0.0, 30.0]), np.array([0.0, 60.0]), np.array([30.0, 70.0])).tolist()
    [15.0, 40.0]
    """
    old, new = matched_keys(before, now)
    if not len(new) or np.abs(old - new).max() < ON_KEY:
        return np.asarray(at, np.float64).copy()
    inside = np.clip(at, new[0], new[-1])
    return np.asarray(inside + monotone_cubic(new, old - new, inside) + (at - inside))
