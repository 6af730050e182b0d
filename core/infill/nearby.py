# SPDX-License-Identifier: GPL-3.0-or-later
"""Selection of a library's motions for a stretch: those nearest to the motion before and after it."""

import numpy as np

from ..arrays import Float32, Int64
from ..constraints.pose_targets import CONTEXT_SECONDS
from ..features.graph_size import ALL_EDGES_FRAMES
from ..features.pyramid import PLANNING_RATE
from ..library.pose_index import PoseIndex, rows_of
from .surroundings import Surroundings


def nearby_motions(index: PoseIndex, around: Surroundings, most_frames: int | None = None) -> Int64:
    """Return the numbers, ascending, of the motions whose poses are nearest to those beside a stretch.

    Motions for both sides are taken in turn, the first of them in any case. most_frames: the largest number of frames
    in all of them; by default, as many as can be planned with all edges. Raises InputError for surroundings on another
    skeleton.

    >>> from genmm_addon.core.library import build_pose_index
    >>> nearby_motions(build_pose_index([swing, swing]), Surroundings(before=swing.slice(0, 20))).tolist()
    [0, 1]
    """
    if most_frames is None:
        most_frames = round(ALL_EDGES_FRAMES * index.frames_per_second / PLANNING_RATE)
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
        if chosen and total + lengths[number] > most_frames:
            break
        chosen.append(number)
        total += int(lengths[number])
    return np.array(sorted(chosen), np.int64)


def _order(index: PoseIndex, distances: Float32, direction: int) -> Int64:
    """Return the motions `(M,)` in the order of their nearest poses; direction: of time, in which they continue."""
    room = round(CONTEXT_SECONDS * index.frames_per_second)
    at = np.arange(index.frames)
    left = index.stops[index.clips] - 1 - at if direction > 0 else at - index.starts[index.clips]
    # Poses after which, or before which, their motions do not go on for long still count, but at a higher cost.
    costs = distances + np.where(left < room, np.float32(4.0) * distances.max(initial=1.0), np.float32(0.0))
    return np.argsort(np.minimum.reduceat(costs, index.starts), kind="stable")
