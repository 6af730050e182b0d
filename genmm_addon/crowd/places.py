# SPDX-License-Identifier: GPL-3.0-or-later
"""Places and directions of the agents of a crowd: arrays alone."""

from dataclasses import dataclass

import numpy as np

from ..core import Float64, Int64

CANDIDATES = 12
"""Number of random points tried per agent on a surface."""
WIDER = 1.12
"""Smallest factor between one spacing and the next one tried."""


@dataclass(frozen=True, eq=False)
class AgentPlaces:
    """Positions `(N, 3)` in the world, and directions `(N,)` in radians from the world's X; None if any will do."""

    positions: Float64
    directions: Float64 | None = None


def grid(count: int, spacing: float, columns: int | None, scatter: float, random: np.random.Generator) -> AgentPlaces:
    """Return rows along X, one behind another towards Y, with the first at Y = 0 and X centered.

    columns: None makes as many rows as columns. scatter: distance from the places in the rows, as a share of half the
    spacing.
    """
    wide = columns or int(np.ceil(np.sqrt(count)))
    numbers = np.arange(count)
    flat = np.stack((numbers % wide - (wide - 1) / 2, numbers // wide), axis=1) * spacing
    flat += random.uniform(-0.5, 0.5, flat.shape) * scatter * spacing
    return AgentPlaces(np.column_stack((flat, np.zeros(count))))


def along(points: Float64, closed: bool, count: int) -> AgentPlaces:
    """Return places evenly spaced along a line of points `(M, 3)`, looking ahead."""
    if closed:
        points = np.concatenate((points, points[:1]))
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    far = np.concatenate(([0.0], np.cumsum(steps)))
    at = np.linspace(0.0, far[-1], count, endpoint=not closed) if count > 1 else np.zeros(1)
    positions = np.stack([np.interp(at, far, points[:, axis]) for axis in range(3)], axis=1)
    # Directions are taken a small step ahead, so that at a corner they are halfway between both sides.
    step = far[-1] / max(4 * count, 64)
    around = np.mod if closed else np.clip
    bounds = (far[-1],) if closed else (0.0, far[-1])
    ends = [
        np.stack([np.interp(around(at + side * step, *bounds), far, points[:, axis]) for axis in range(2)], axis=1)
        for side in (-1, 1)
    ]
    ahead = ends[1] - ends[0]
    return AgentPlaces(positions, np.arctan2(ahead[:, 1], ahead[:, 0]))


def on_triangles(corners: Float64, count: int, spacing: float, random: np.random.Generator) -> AgentPlaces:
    """Return places on triangles `(M, 3, 3)`, `spacing` apart if that many fit, otherwise nearer to each other."""
    edges = corners[:, 1:] - corners[:, :1]
    areas = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1)
    chosen = random.choice(len(areas), CANDIDATES * count, p=areas / areas.sum())
    first, second = random.random((2, len(chosen), 1))
    outside = first + second > 1
    first, second = np.where(outside, 1 - first, first), np.where(outside, 1 - second, second)
    points = corners[chosen, 0] + first * edges[chosen, 0] + second * edges[chosen, 1]
    return AgentPlaces(points[_spread(points, count, spacing)])


def is_spread(places: AgentPlaces, spacing: float) -> bool:
    """Return whether all places are at least the spacing apart."""
    return len(_no_nearer(places.positions, len(places.positions), spacing)) == len(places.positions)


def _spread(points: Float64, count: int, spacing: float) -> Int64:
    """Return the numbers of `count` points, in their order, as far apart as possible up to the spacing."""
    kept: list[int] = []
    least = 1e-6 * float(np.ptp(points, axis=0).max())
    while len(kept) < count and spacing > least:
        kept = _no_nearer(points, count, spacing)
        spacing /= WIDER
    return np.array((kept + [number for number in range(len(points)) if number not in set(kept)])[:count], np.int64)


def _no_nearer(points: Float64, count: int, spacing: float) -> list[int]:
    cells: dict[tuple[int, ...], list[Float64]] = {}
    kept: list[int] = []
    for number, (point, cell) in enumerate(zip(points, np.floor(points / spacing).astype(int), strict=True)):
        x, y, z = cell.tolist()
        near = [
            other
            for i in (x - 1, x, x + 1)
            for j in (y - 1, y, y + 1)
            for k in (z - 1, z, z + 1)
            for other in cells.get((i, j, k), ())
        ]
        if all(np.linalg.norm(point - other) >= spacing for other in near):
            cells.setdefault((x, y, z), []).append(point)
            kept.append(number)
            if len(kept) == count:
                break
    return kept
