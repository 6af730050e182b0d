# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones under a brush: lines in the world, projected to a region's pixels, and their distance to a stroke."""

from dataclasses import dataclass

import numpy as np

from ...core import Float64, Int64, Mask

NEAREST = 1e-6
"""Distance in front of the near plane at which lines are cut, in clip space."""


@dataclass(frozen=True, eq=False)
class Lines:
    """Straight lines that stand for bones: their ends `(N, 2, D)`, and the number of each line's bone `(N,)`."""

    ends: Float64
    bones: Int64


@dataclass(frozen=True, eq=False)
class View:
    """The view of a region: the matrix from the world to clip space `(4, 4)`, and the region's size in pixels."""

    matrix: Float64
    width: float
    height: float


def lines_on_screen(lines: Lines, view: View) -> Lines:
    """Return the visible pieces of the lines, in pixels `(M, 2, 2)`: cut at the near plane."""
    points = np.concatenate((lines.ends, np.ones((*lines.ends.shape[:2], 1))), axis=2) @ view.matrix.T
    # Distance of each end in front of the near plane, where z = -w.
    depth = points[..., 2] + points[..., 3] - NEAREST
    seen = (depth > 0.0).any(axis=1)
    points, depth = points[seen], depth[seen]
    hidden = depth <= 0.0
    span = depth[:, ::-1] - depth
    share = np.where(hidden, -depth / np.where(hidden, span, 1.0), 0.0)
    points = points + share[..., None] * (points[:, ::-1] - points)
    places = (points[..., :2] / points[..., 3:] + 1.0) * 0.5 * (view.width, view.height)
    return Lines(places, lines.bones[seen])


def bones_in_stroke(lines: Lines, start: tuple[float, float], end: tuple[float, float], radius: float) -> set[int]:
    """Return the bones that a brush touches on a straight line between two points; lengths in pixels."""
    near = distances_to_stroke(lines.ends, np.array(start, np.float64), np.array(end, np.float64)) <= radius
    return set(lines.bones[near].tolist())


def distances_to_stroke(ends: Float64, start: Float64, end: Float64) -> Float64:
    """Return the shortest distance `(N,)` of each 2D line segment `(N, 2, 2)` to the segment from `start` to `end`."""
    first, last = ends[:, 0], ends[:, 1]
    stroke = np.broadcast_to(np.stack((start, end)), ends.shape)
    corners = (
        _point_to_line(start, first, last),
        _point_to_line(end, first, last),
        _point_to_line(first, stroke[:, 0], stroke[:, 1]),
        _point_to_line(last, stroke[:, 0], stroke[:, 1]),
    )
    crossing = _on_both_sides(first, last, start, end) & _on_both_sides(stroke[:, 0], stroke[:, 1], first, last)
    distance: Float64 = np.where(crossing, 0.0, np.min(corners, axis=0))
    return distance


def points_between(start: tuple[float, float], end: tuple[float, float], step: float) -> Float64:
    """Return points `(P, 2)` from `start`, itself excluded, to `end`, at most `step` pixels apart."""
    first, last = np.array(start, np.float64), np.array(end, np.float64)
    count = max(1, int(np.ceil(np.linalg.norm(last - first) / step)))
    points: Float64 = first + (last - first) * np.arange(1, count + 1)[:, None] / count
    return points


def _point_to_line(point: Float64, first: Float64, last: Float64) -> Float64:
    """Return the distance of points to line segments; each argument is `(2,)` or `(N, 2)`."""
    along = last - first
    square = (along * along).sum(axis=-1)
    share = ((point - first) * along).sum(axis=-1) / np.where(square > 0.0, square, 1.0)
    nearest = first + np.clip(share, 0.0, 1.0)[..., None] * along
    distance: Float64 = np.linalg.norm(point - nearest, axis=-1)
    return distance


def _on_both_sides(first: Float64, last: Float64, start: Float64, end: Float64) -> Mask:
    """Return whether `start` and `end` lie on different sides of the infinite line through `first` and `last`."""
    return _side(first, last, start) * _side(first, last, end) < 0.0


def _side(first: Float64, last: Float64, point: Float64) -> Float64:
    along, across = last - first, point - first
    side: Float64 = along[..., 0] * across[..., 1] - along[..., 1] * across[..., 0]
    return side
