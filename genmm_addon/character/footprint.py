# SPDX-License-Identifier: GPL-3.0-or-later
"""Footprints of whole motions on the ground, and the nearest place where one is clear of others; arrays only."""

from dataclasses import dataclass

import numpy as np

from ..core import Float64

MOST_ROWS = 128
"""Most rows of a stored footprint, a few kilobytes with each result."""
ROWS_PER_SIZE = 4
"""Rows along a body's largest extent, unless the footprint is too long: fine enough for another to pass beside it."""


@dataclass(frozen=True, eq=False)
class BodyExtent:
    """The extents of a character at rest, in the world.

    axes: `(2, 2)`, the unit vectors aside and ahead on the ground. size: the largest extent. reach: distance by which
    the surface extends beyond the joints. gap: distance to keep from others.
    """

    axes: Float64
    size: float
    reach: float
    gap: float


def swept_footprint(points: Float64, body: BodyExtent) -> Float64:
    """Return the ground `(B, 4, 2)` that a motion covers, as corners of rectangles in the world.

    points: `(T, J, 2)`, the joints on the ground, in the world. Each rectangle is a row across the body's second axis,
    as wide as the motion is there, so that a bent or oblique path leaves free the ground that it does not touch.
    """
    local = points @ body.axes.T
    lows, highs = local.min(axis=1) - body.reach, local.max(axis=1) + body.reach
    if len(lows) > 1:
        # The ground passed between two frames is covered as well.
        lows, highs = np.minimum(lows[:-1], lows[1:]), np.maximum(highs[:-1], highs[1:])
    first, last = float(lows[:, 1].min()), float(highs[:, 1].max())
    height = max(body.size / ROWS_PER_SIZE, (last - first) / MOST_ROWS) or 1.0
    rows = max(int(np.ceil((last - first) / height - 1e-9)), 1)
    begin = np.clip(((lows[:, 1] - first) / height).astype(np.int64), 0, rows - 1)
    end = np.clip(np.ceil((highs[:, 1] - first) / height).astype(np.int64), begin + 1, rows)
    left, right = np.full(rows, np.inf), np.full(rows, -np.inf)
    for row in range(int((end - begin).max())):
        reaching = begin + row < end
        at = begin[reaching] + row
        np.minimum.at(left, at, lows[reaching, 0])
        np.maximum.at(right, at, highs[reaching, 0])
    bottoms: Float64 = first + height * np.arange(rows, dtype=np.float64)
    tops = np.minimum(bottoms + height, last)
    used = left <= right
    return _rectangles(left[used], right[used], bottoms[used], tops[used]) @ body.axes


def box_footprint(points: Float64, body: BodyExtent) -> Float64:
    """Return the ground `(1, 4, 2)` below points `(N, 2)` in the world, as one rectangle along the body's axes."""
    local = points @ body.axes.T
    (left, bottom), (right, top) = local.min(axis=0), local.max(axis=0)
    return _rectangles(*(np.array([side]) for side in (left, right, bottom, top))) @ body.axes


def free_offset(footprint: Float64, taken: Float64, body: BodyExtent, along: int = 0) -> Float64:
    """Return the shortest offset `(2,)` along one of the body's axes that makes a footprint clear of covered ground.

    footprint: `(B, 4, 2)`. taken: `(N, 4, 2)` the covered ground.
    """
    return np.asarray(body.axes[along] * _free_distance(footprint, taken, body, along))


def narrow_axis(footprint: Float64, body: BodyExtent) -> int:
    """Return the axis along which to stand beside a motion: aside (0), or ahead (1) of one that goes sideways."""
    low, high = _sides(footprint, body)
    aside, ahead = high.max(axis=0) - low.min(axis=0)
    return int(aside > ahead + body.size)


def _free_distance(footprint: Float64, taken: Float64, body: BodyExtent, along: int) -> float:
    """Return the shortest distance forward along one of the axes at which nothing overlaps."""
    low, high = _sides(footprint, body)
    others_low, others_high = _sides(taken, body)
    across = 1 - along
    beside = (low[:, None, across] < others_high[:, across] + body.gap) & (
        high[:, None, across] > others_low[:, across] - body.gap
    )
    starts = (others_low[:, along] - high[:, None, along] - body.gap)[beside]
    ends = (others_high[:, along] - low[:, None, along] + body.gap)[beside]
    distance = 0.0
    order = np.argsort(starts, kind="stable")
    for start, end in zip(starts[order].tolist(), ends[order].tolist(), strict=True):
        if distance <= start:
            break
        distance = max(distance, end)
    return distance


def _sides(rectangles: Float64, body: BodyExtent) -> tuple[Float64, Float64]:
    """Return the lowest and highest corner `(N, 2)` of each rectangle, in the body's axes."""
    local = rectangles @ body.axes.T
    return local.min(axis=1), local.max(axis=1)


def _rectangles(left: Float64, right: Float64, bottom: Float64, top: Float64) -> Float64:
    corners = ((left, bottom), (right, bottom), (right, top), (left, top))
    return np.stack([np.stack(corner, axis=-1) for corner in corners], axis=1)
