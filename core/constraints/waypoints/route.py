# SPDX-License-Identifier: GPL-3.0-or-later
"""A route: the smooth path over the ground through all places, and the distance of each along it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Float64, Int64
from ...motion import rotations
from ...motion.interpolation import monotone_cubic
from ...motion.skeleton import SAME_PLACE
from ..travel import angle_of
from .waypoint import Targets, Vector

SAMPLES = 48
"""Number of points from one place to the next: pieces of a half circle are then straight within 0.1 %."""


@dataclass(frozen=True, eq=False)
class Route:
    """A path through K places: its points `(M, 3)`, and the distance `(K,)` of each place along it."""

    points: Float64
    lengths: Float64

    @property
    def length(self) -> float:
        """Return the length of the whole path."""
        return float(self.lengths[-1])


def route_of(targets: Targets, size: float, up: tuple[float, float, float]) -> Route | None:
    """Return the path through the places, with the requested direction at each; None if all are one place."""
    axes = rotations.ground_axes(up)
    flat = targets.places @ axes.T
    steps = np.linalg.norm(np.diff(flat, axis=0), axis=1)
    moves = steps > SAME_PLACE * size
    if not moves.any():
        return None
    # A place at which the character waits is one point of the path.
    kept = np.concatenate(([True], moves))
    number = np.cumsum(kept) - 1
    going = np.full(int(number[-1]) + 1, np.nan)
    for corner, angle in zip(number, targets.going, strict=True):
        going[corner] = angle if np.isnan(going[corner]) else going[corner]
    corners = flat[kept]
    directions = _directions(corners, going)
    pieces, ends = [corners[:1]], [0.0]
    for index in range(len(corners) - 1):
        piece = _piece(corners[index : index + 2], directions[index : index + 2])
        ends.append(ends[-1] + float(np.linalg.norm(np.diff(piece, axis=0), axis=1).sum()))
        pieces.append(piece[1:])
    return Route(np.concatenate(pieces) @ axes, np.array(ends)[number])


def paths_between(places: Float64, facings: Sequence[Vector | None], size: float) -> list[Float64]:
    """Return the paths from each of K places `(K, 3)` to the next, as points `(M, 3)` on the ground; up is Z.

    facings: direction of the path at each place; None: free. Two equal places have a path without length.

    >>> [path.shape for path in paths_between(np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]), [None, None], 1.7)]
    [(49, 3)]
    """
    up = (0.0, 0.0, 1.0)
    axes, empty = rotations.ground_axes(up), np.empty(0)
    going = np.array([np.nan if facing is None else angle_of(np.array(facing), axes) for facing in facings])
    flat = places * (1.0, 1.0, 0.0)
    targets = Targets(np.arange(len(places)), flat, ("",) * len(places), empty.astype(np.int64), empty, going)
    route = route_of(targets, size, up) if len(places) > 1 else None
    paths, first = list[Float64](), 0
    for number in range(len(places) - 1):
        if route is None or route.lengths[number + 1] == route.lengths[number]:
            paths.append(flat[number : number + 2])
        else:
            paths.append(route.points[first : first + SAMPLES + 1])
            first += SAMPLES
    return paths


def distances_along(route: Route, frames: Int64, covered: Float64) -> Float64:
    """Return the root's distance along the path at each of F frames; covered: `(F,)` distance that it covers by itself.

    It is at the K places at their `frames` `(K,)`. Between them its own speed is multiplied by a factor that changes
    smoothly (monotone cubic interpolation, Fritsch and Carlson 1980). It continues before and after them.
    """
    widths = np.maximum(np.diff(covered[frames]), 1e-9 * np.ptp(covered))
    knots = covered[frames[0]] + np.append(0.0, np.cumsum(widths))
    return monotone_cubic(knots, route.lengths, covered, level_ends=False)


def _directions(corners: Float64, going: Float64) -> Float64:
    """Return the direction `(C, 2)` of the path at each corner: as requested, else between those beside it."""
    chords = np.diff(corners, axis=0)
    units = chords / np.linalg.norm(chords, axis=1)[:, None]
    directions = np.concatenate((units[:1], units[:-1] + units[1:], units[-1:]))
    back = np.linalg.norm(directions, axis=1) < 1e-6
    # A path that goes straight back turns to the left, along a bow.
    directions[back] = np.stack((-units[:, 1], units[:, 0]), axis=1)[np.flatnonzero(back) - 1]
    asked = ~np.isnan(going)
    directions[asked] = np.stack((np.cos(going[asked]), np.sin(going[asked])), axis=1)
    return np.asarray(directions / np.linalg.norm(directions, axis=1)[:, None])


def _piece(ends: Float64, directions: Float64) -> Float64:
    """Return points `(SAMPLES + 1, 2)` of a cubic from one corner to the next, in their directions."""
    share = np.linspace(0.0, 1.0, SAMPLES + 1)[:, None]
    remaining, reach = 1.0 - share, float(np.linalg.norm(ends[1] - ends[0]))
    return np.asarray(
        ends[0] * remaining**2 * (1 + 2 * share)
        + ends[1] * share**2 * (3 - 2 * share)
        + reach * (directions[0] * share * remaining**2 - directions[1] * share**2 * remaining)
    )
