# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of a library that are similar to a stretch of motion."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Float32, Float64, Int64, Mask
from ..computation import computing
from ..errors import InputError
from ..motion.piecewise import COLUMNS, MOMENTS, PIECE, evenly, pieces
from .pose_index import PoseIndex, coarse_columns

OVERLAP = 0.5
"""Largest share of frames that two places of one clip may have in common."""


@dataclass(frozen=True)
class SimilarPlace:
    """A stretch of a motion.

    clip: the number of the motion. first: its first frame there. frames: its length. distance: mean distance of the
    compared frames, as a share of the skeleton's size; 0 is identical.

    >>> SimilarPlace(clip=0, first=10, frames=20, distance=0.0).first
    10
    """

    clip: int
    first: int
    frames: int
    distance: float


@computing()
def find_similar(
    index: PoseIndex,
    rows: Float32,
    count: int = 12,
    allowed: Mask | None = None,
    *,
    farthest: float = np.inf,
) -> tuple[SimilarPlace, ...]:
    """Return the places most similar to a stretch with rows `(T, C)`, the best first, without large overlaps.

    Pieces of the index are compared as a whole only where the leading columns of their rows permit a good place, so
    that no place is missed. allowed: mask `(M,)` of the motions to search; None is all. farthest: the largest distance
    of a place. Raises InputError for a stretch without frames, and if every motion is shorter than the stretch.

    >>> index = build_pose_index([swing])
    >>> [place.first for place in find_similar(index, rows_of(index.space, swing)[10:30], count=1)]
    [10]
    """
    length = len(rows)
    if not length:
        raise InputError("There is no frame to look for; choose a stretch with frames in it.")
    last_starts = index.stops - length
    if allowed is not None:
        last_starts = np.where(allowed, last_starts, -1)
    if not (last_starts >= index.starts).any():
        raise InputError(f"No clip to search in is as long as the stretch of {length} frames; choose a shorter one.")
    moments = evenly(length, MOMENTS)
    few = moments[evenly(len(moments), coarse_columns(rows.shape[1]))]
    may_start, searched = _first_frames(index, last_starts), list(pieces(index.frames))
    bounds = _least_bounds(index, rows, few, len(moments), may_start)
    limit = min(farthest**2, float(np.finfo(np.float64).max))
    starts, costs = np.empty(0, np.int64), np.empty(0)
    reach = max(1, round(OVERLAP * length))
    for number in np.argsort(bounds, kind="stable").tolist():
        if bounds[number] > limit:
            break
        piece = searched[number]
        closer = _bounds(index, piece, rows, moments, len(moments), may_start)
        order, first = np.flatnonzero(closer <= limit), 0
        order = order[np.argsort(closer[order], kind="stable")]
        while first < len(order) and closer[order[first]] <= limit:
            # The nearest ones lower the limit for the others.
            chosen = order[first : 2 * first + count]
            near = piece.start + np.sort(chosen[closer[chosen] <= limit])
            first = 2 * first + count
            found = _mean_squares(index.rows, near, rows[moments], moments)
            starts, costs = np.append(starts, near), np.append(costs, found)
            starts, costs = starts[costs <= limit], costs[costs <= limit]
            # Each place that is returned overlaps at most two of these, so that half as many of them are returned.
            separate = _without_overlaps(index, starts, costs, 2 * count, reach)
            if len(separate) == 2 * count:
                limit = min(limit, float(costs[separate[-1]]))
    return tuple(
        _place(index, int(starts[best]), length, float(costs[best]))
        for best in _without_overlaps(index, starts, costs, count, reach)
    )


def _place(index: PoseIndex, start: int, length: int, cost: float) -> SimilarPlace:
    clip = int(index.clips[start])
    # By rounding, the distance of a row from itself may be some millionths.
    distance = float(np.sqrt(max(cost, 0.0)))
    return SimilarPlace(clip, start - int(index.starts[clip]), length, 0.0 if distance < 1e-3 else distance)


def _first_frames(index: PoseIndex, last_starts: Int64) -> Mask:
    """Return the mask `(N,)` of the frames at which a place of their motion may start."""
    begun = np.zeros(index.frames + 1, np.int8)
    some = last_starts >= index.starts
    begun[index.starts[some]] += 1
    begun[last_starts[some] + 1] -= 1
    return np.cumsum(begun[:-1], dtype=np.int8).astype(bool)


def _least_bounds(index: PoseIndex, rows: Float32, moments: Int64, count: int, may_start: Mask) -> Float64:
    """Return the least bound of each piece; pieces with as many values as one of COLUMNS are read at once."""
    length, least = PIECE * (COLUMNS // index.coarse_rows.shape[1]), []
    for first in range(0, index.frames, length):
        bounds = _bounds(index, slice(first, min(first + length, index.frames)), rows, moments, count, may_start)
        least.append(np.minimum.reduceat(bounds, np.arange(0, len(bounds), PIECE)))
    return np.concatenate(least)


def _bounds(
    index: PoseIndex,
    piece: slice,
    rows: Float32,
    moments: Int64,
    count: int,
    may_start: Mask,
) -> Float64:
    """Return a lower bound of the mean squared distance of each place that starts in a piece, infinite without one.

    moments: some of those at which frames are compared, and count: the number of all of them.
    """
    starts = may_start[piece]
    if not starts.any():
        return np.full(len(starts), np.inf)
    leading = index.coarse_rows[piece.start : piece.stop + int(moments[-1])]
    columns, targets = leading.shape[1] - 2, rows[moments].astype(np.float64)
    rest, squares = np.linalg.norm(targets[:, columns:], axis=1), np.einsum("mc,mc->m", targets, targets)
    weights = np.column_stack((-2 * targets[:, :columns], -2 * rest, np.ones(len(targets)))).astype(np.float32)
    sums = np.where(starts, _summed(weights @ leading.T, piece, moments), np.inf)
    # Twice the error of sums of products of rounded numbers (Higham 2002, 3.1), in any order.
    largest = float(np.sqrt(leading[:, -1].max()) + np.sqrt(squares.max()))
    rounding = (leading.shape[1] + len(moments)) * float(np.finfo(np.float32).eps) * largest**2
    return np.asarray((sums.astype(np.float64) + squares.sum() - len(moments) * rounding) / count)


def _mean_squares(index_rows: Float32, starts: Int64, rows: Float32, moments: Int64) -> Float64:
    """Return the mean squared distance of the place at each start, which does not depend on the other starts."""
    costs = np.empty(len(starts))
    for piece in pieces(len(starts), columns=rows.size):
        compared = index_rows[(starts[piece, None] + moments).ravel()].reshape(-1, *rows.shape)
        differences = compared.astype(np.float64) - rows
        costs[piece] = np.square(differences).reshape(len(differences), -1).sum(axis=1) / len(moments)
    return costs


def _summed(products: Array, piece: slice, moments: Int64) -> Array:
    """Return for each frame of a piece the sum of the rows of products, each at its moment after it; else infinite."""
    total = np.full(piece.stop - piece.start, np.inf, products.dtype)
    count = min(max(products.shape[1] - int(moments[-1]), 0), len(total))
    whole = total[:count]
    whole[:] = 0.0
    for row, moment in zip(products, moments.tolist(), strict=True):
        whole += row[moment : moment + count]
    return total


def _without_overlaps(index: PoseIndex, starts: Int64, costs: Float64, count: int, reach: int) -> list[int]:
    """Return the cheapest of the places at `starts` of which none are less than `reach` frames apart in a clip."""
    chosen, clips, remaining = list[int](), index.clips[starts], np.ones(len(starts), bool)
    for best in np.lexsort((starts, costs)).tolist():
        if len(chosen) == count:
            break
        if remaining[best]:
            chosen.append(best)
            remaining &= (np.abs(starts - starts[best]) >= reach) | (clips != clips[best])
    return chosen
