# SPDX-License-Identifier: GPL-3.0-or-later
"""A surface of triangles seen from above: a grid of cells finds the triangles that vertical rays meet.

Several floors may lie above each other; a query gives the height from which it looks down, and gets the floor below
that.
"""

import itertools
from dataclasses import dataclass

import numpy as np

from ...arrays import Array, Float64, Int64, Mask
from ...errors import InputError
from ...motion import rotations
from ...motion.comparing import ROUNDING
from ...motion.piecewise import pieces
from ...motion.spans import consecutive_from

MOST_CELLS = 1024
"""Largest number of cells of the grid along one axis; with the pointers of the cells, about 8 MB."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles in the coordinates of the ground.

    axes: `(3, 3)` rows are two directions along the ground and the up direction, in the space of the skeleton's roots.
    planes: `(M, 3, 3)` rows give two barycentric coordinates and the height of each triangle at a place (x, y) relative
    to the origin, as factors of x, y and 1. faces_up: `(M,)`. origin, cell, shape: `(2,)` of the grid. starts, members:
    the triangles of cell i are `members[starts[i]:starts[i + 1]]`.

    >>> surface = make_surface(np.array([[[0, 0, 1], [2, 0, 1], [2, 2, 1]]], float), (0.0, 0.0, 1.0))
    >>> isinstance(surface, Surface), surface.faces_up.shape
    (True, (1,))
    """

    axes: Float64
    planes: Float64
    faces_up: Mask
    origin: Float64
    cell: Float64
    shape: Int64
    starts: Int64
    members: Int64

    def to_ground(self, points: Array) -> Float64:
        """Return points `(..., 3)` of the roots' space in the coordinates of the ground."""
        return np.asarray(points.astype(np.float64) @ self.axes.T)

    def from_ground(self, points: Float64) -> Float64:
        """Return points `(..., 3)` of the coordinates of the ground in the roots' space."""
        return np.asarray(points @ self.axes)

    def heights(self, places: Float64, highest: Float64) -> Float64:
        """Return the heights `(K,)` of the surface at places `(K, 2)`; nan where there is no surface.

        Of several floors, the highest that is not above `highest` `(K,)` counts, else the lowest. If a ray meets faces
        that point up, those that point down are undersides and do not count.
        """
        heights = np.full(len(places), np.nan)
        for block in pieces(len(places), int(np.diff(self.starts).max(initial=1))):
            heights[block] = self._heights(places[block], highest[block])
        return heights

    def _heights(self, places: Float64, highest: Float64) -> Float64:
        rays, hits = self._floors(places)
        edges = np.flatnonzero(np.diff(rays, prepend=-1))
        if not len(edges):
            return np.full(len(places), np.nan)
        below = np.maximum.reduceat(np.where(hits <= highest[rays], hits, -np.inf), edges)
        lowest = np.minimum.reduceat(hits, edges)
        heights = np.full(len(places), np.nan)
        heights[rays[edges]] = np.where(np.isfinite(below), below, lowest)
        return heights

    def all_heights(self, places: Float64) -> list[Float64]:
        """Return the heights of all floors at each of the places `(K, 2)`, ascending."""
        rays, hits = self._floors(places)
        order = np.lexsort((hits, rays))
        edges = np.searchsorted(rays[order], np.arange(len(places) + 1))
        return [hits[order[first:end]] for first, end in itertools.pairwise(edges)]

    def _floors(self, places: Float64) -> tuple[Int64, Float64]:
        """Return the numbers `(H,)` of downward rays, ascending, and the heights `(H,)` of the floors they meet."""
        at = np.floor((places - self.origin) / self.cell)
        inside = np.flatnonzero(((at >= 0) & (at < self.shape)).all(axis=1))
        at = at[inside].astype(np.int64)
        cells = at[:, 0] * self.shape[1] + at[:, 1]
        first, counts = self.starts[cells], self.starts[cells + 1] - self.starts[cells]
        rays = np.repeat(inside, counts)
        chosen = self.members[consecutive_from(first, counts)]
        x, y = (places - self.origin)[rays].T
        planes = self.planes[chosen]
        first, second, height = (planes[:, row, 0] * x + planes[:, row, 1] * y + planes[:, row, 2] for row in range(3))
        # Vertices are rounded to single precision, so that seams have no gaps.
        met = (first >= -ROUNDING) & (second >= -ROUNDING) & (first + second <= 1 + ROUNDING)
        rays, up = rays[met], self.faces_up[chosen[met]]
        looks_up = np.zeros(len(places), bool)
        looks_up[rays[up]] = True
        kept = up | ~looks_up[rays]
        return rays[kept], height[met][kept]


def make_surface(triangles: Array, up: tuple[float, float, float]) -> Surface:
    """Return the surface of triangles `(M, 3, 3)` in the roots' space, where `up` is the up direction.

    Raises InputError if there is no face to stand on.

    >>> square = np.array([[[0, 0, 1], [2, 0, 1], [2, 2, 1]], [[0, 0, 1], [2, 2, 1], [0, 2, 1]]], float)
    >>> surface = make_surface(square, (0.0, 0.0, 1.0))
    >>> surface.heights(surface.to_ground(np.array([[1.0, 0.5, 0.0]]))[:, :2], np.array([5.0])).tolist()
    [1.0]
    """
    axes = np.concatenate((rotations.ground_axes(up), np.array(up, np.float64)[None]))
    corners = triangles.astype(np.float64) @ axes.T
    corners = corners[np.isfinite(corners).all(axis=(1, 2))]
    edges = corners[:, 1:] - corners[:, :1]
    areas = edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0]
    extent = float(np.ptp(corners[..., :2].reshape(-1, 2), axis=0).max()) if len(corners) else 0.0
    kept = np.abs(areas) > rotations.SMALLEST_NORM * extent**2  # Others are walls, which no ray meets.
    corners, faces_up = corners[kept], np.asarray(areas[kept] > 0)
    if not len(corners):
        raise InputError("The ground has no face that looks up or down; choose a mesh with faces to stand on.")
    flat = corners[..., :2]
    low, high = flat.min(axis=1), flat.max(axis=1)
    origin, span = low.min(axis=0), np.maximum(np.ptp(flat.reshape(-1, 2), axis=0), 1e-9)
    # More cells than triangles: those of stairs are long and narrow.
    shape = np.clip(np.ceil(4 * np.sqrt(len(corners)) * span / span.max()), 1, MOST_CELLS).astype(np.int64)
    cell = span * (1 + 1e-9) / shape
    planes = _planes(corners, areas[kept], origin)
    starts, members = _grid(planes, low - origin, high - origin, cell, shape)
    return Surface(axes, planes, faces_up, origin, cell, shape, starts, members)


def _planes(corners: Float64, areas: Float64, origin: Float64) -> Float64:
    """Return the planes (see Surface) of triangles `(M, 3, 3)` with the signed, doubled areas `(M,)`."""
    start = corners[:, 0] - np.append(origin, 0.0)
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    planes = np.empty((len(corners), 3, 3))
    planes[:, 0, 0], planes[:, 0, 1] = second[:, 1] / areas, -second[:, 0] / areas
    planes[:, 1, 0], planes[:, 1, 1] = -first[:, 1] / areas, first[:, 0] / areas
    planes[:, 2, :2] = first[:, 2:] * planes[:, 0, :2] + second[:, 2:] * planes[:, 1, :2]
    planes[:, :, 2] = -(planes[:, :, :2] @ start[:, :2, None])[..., 0]
    planes[:, 2, 2] += start[:, 2]
    return planes


def _grid(planes: Float64, low: Float64, high: Float64, cell: Float64, shape: Int64) -> tuple[Int64, Int64]:
    """Return starts and members (see Surface) of triangles with bounds `low`, `high` `(M, 2)` from the origin."""
    first = np.clip(np.floor(low / cell - ROUNDING).astype(np.int64), 0, shape - 1)
    width = np.clip(np.floor(high / cell + ROUNDING).astype(np.int64), 0, shape - 1) - first + 1
    blocks_of_pairs = []
    counts = width.prod(axis=1)
    blocks = np.searchsorted(np.cumsum(counts), [piece.start for piece in pieces(int(counts.sum()))])
    for chosen in np.split(np.arange(len(low)), np.unique(blocks)):
        members = np.repeat(chosen, counts[chosen])
        offsets = consecutive_from(np.zeros(len(chosen), np.int64), counts[chosen])
        column, row = first[members, 0] + offsets // width[members, 1], first[members, 1] + offsets % width[members, 1]
        met = _meets(planes[members], (np.stack((column, row), axis=1) + 0.5) * cell, cell / 2)
        blocks_of_pairs.append(np.stack((column * shape[1] + row, members), axis=1)[met])
    pairs = np.concatenate(blocks_of_pairs)
    pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    return np.searchsorted(pairs[:, 0], np.arange(int(shape.prod()) + 1)), pairs[:, 1]


def _meets(planes: Float64, middles: Float64, half: Float64) -> Mask:
    """Return a mask `(N,)` of the triangles that meet cells; middles: `(N, 2)` of the cells, half: half their size."""
    sides = np.stack((planes[:, 0], planes[:, 1], np.array([0.0, 0.0, 1.0]) - planes[:, 0] - planes[:, 1]), axis=1)
    best = np.einsum("nka,na->nk", sides[..., :2], middles) + sides[..., 2] + np.abs(sides[..., :2]) @ half
    return np.asarray((best >= -1e-6).all(axis=1))
