# SPDX-License-Identifier: GPL-3.0-or-later
"""The motions of a library that a stretch is planned from: those that come nearest to what is before and after it."""

import numpy as np
from numpy.typing import NDArray

from ..search.pose_index import PoseIndex, rows_of
from .surroundings import Surroundings

MOST_MOTIONS = 12
"""Motions that a stretch is planned from; these are made ready in some 0.2 s."""
MOST_FRAMES = 3000
"""Frames of them together, at most; one motion at least."""
GOES_ON_SECONDS = 0.4
"""A pose counts where its motion goes on for so long after it, or came on for so long before it."""


def nearby_motions(index: PoseIndex, around: Surroundings, most_frames: int = MOST_FRAMES) -> NDArray[np.int64]:
    """Return the numbers, ascending, of the motions with the poses nearest to those beside a stretch.

    Those of both sides in turn. Raises InputError for surroundings on another skeleton.

    >>> from genmm_addon.core.search import build_pose_index
    >>> nearby_motions(build_pose_index([swing, swing]), Surroundings(before=swing.slice(0, 20))).tolist()
    [0, 1]
    """
    orders = []
    if around.before is not None:
        row = rows_of(index.space, around.before)[-1]
        orders.append(_order(index, index.squared_distances(row), 1))
    if around.after is not None:
        row = rows_of(index.space, around.after)[0]
        orders.append(_order(index, index.squared_distances(row), -1))
    lengths, chosen, total = index.stops - index.starts, list[int](), 0
    for number in np.stack(orders, axis=1).ravel().tolist():
        if number in chosen:
            continue
        if len(chosen) == MOST_MOTIONS or (chosen and total + lengths[number] > most_frames):
            break
        chosen.append(number)
        total += int(lengths[number])
    return np.array(sorted(chosen), np.int64)


def _order(index: PoseIndex, distances: NDArray[np.float32], direction: int) -> NDArray[np.int64]:
    """Return the motions `(M,)` in the order of their nearest poses, from which they go on in a direction of time."""
    room = round(GOES_ON_SECONDS * index.frames_per_second)
    at = np.arange(index.frames)
    left = index.stops[index.clips] - 1 - at if direction > 0 else at - index.starts[index.clips]
    # Where a motion is too short for it, its poses still count for something.
    costs = distances + np.where(left < room, np.float32(4.0) * distances.max(initial=1.0), np.float32(0.0))
    return np.argsort(np.minimum.reduceat(costs, index.starts), kind="stable")
