# SPDX-License-Identifier: GPL-3.0-or-later
"""Approaches to places and back: displacements of a path that rise and decay without jumps of its speed."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...arrays import Float64, Int64, Mask
from .reach import Reach

APPROACH_SECONDS = (0.2, 0.27, 0.35, 0.45, 0.6, 0.8, 1.05, 1.4, 1.9, 2.5)
"""Durations of an approach, in seconds, tried in this order: a quick grasp takes about 0.3 s, a reach across a table 1
s, and the longest are those of a character whose every movement is slow."""


@dataclass(frozen=True, eq=False)
class Approach:
    """Displacements `(T, 3)` that bring a path to its places, and their shares `(T,)`: 1 at a place, 0 far from it."""

    moves: Float64
    shares: Float64


Detour = Callable[[Float64, Float64, slice], Float64]
"""Function that returns the offsets `(F, 3)` by which a path `(F, 3)` avoids an obstacle; its other arguments are the
shares `(F,)` of an approach and the frames of the path, see ends.detour_of."""


def approach_places(
    path: Float64, reach: Reach, free: Mask, rate: float, limit: float, detour: Detour | None = None
) -> Approach:
    """Return the displacements of a path `(T, 3)` to its places.

    free: `(T,)` frames that may change. limit: largest acceleration of a calm approach, in units per frame squared;
    approaches become longer until they are calm, if there are frames for it. detour: added to the path when its
    acceleration is measured.
    """
    moves, shares = np.zeros_like(path), np.zeros(len(path))
    moves[reach.active] = reach.positions[reach.active] - path[reach.active]
    shares[reach.active] = 1.0
    stretches = reach.stretches
    for number, (first, end) in enumerate(stretches):
        inside = moves[first:end]
        before = stretches[number - 1][1] if number else None
        after = stretches[number + 1][0] if number + 1 < len(stretches) else None
        for edge, direction, other in ((first, -1, before), (end - 1, 1, after)):
            slope = np.zeros(3)
            if len(inside) > 1:
                slope = inside[0] - inside[1] if direction < 0 else inside[-1] - inside[-2]
            room = _room(free, edge, direction, None if other is None else abs(other - edge) - (direction > 0))
            _ease(path, moves, shares, edge, direction, slope, room, rate, limit, detour)
    return Approach(moves, np.minimum(shares, 1.0))


def _room(free: Mask, edge: int, direction: int, to_next: int | None) -> int | None:
    """Return the number of free frames between an edge and the next place or fixed frame; None if there is none."""
    beside = free[:edge][::-1] if direction < 0 else free[edge + 1 :]
    if to_next is not None:
        beside = beside[:to_next]
    stays = np.flatnonzero(~beside)
    return int(stays[0]) if len(stays) else to_next


def _ease(
    path: Float64,
    moves: Float64,
    shares: Float64,
    edge: int,
    direction: int,
    slope: Float64,
    room: int | None,
    rate: float,
    limit: float,
    detour: Detour | None,
) -> None:
    """Add the approach beyond one edge of a stretch: the shortest that is calm enough, else the calmest."""
    best: tuple[float, Float64, Float64, Int64] | None = None
    for seconds in APPROACH_SECONDS:
        length = max(round(seconds * rate), 1)
        length = length if room is None else min(length, room + 1)
        steps = np.arange(1, length)
        frames = edge + direction * steps
        inside = (frames >= 0) & (frames < len(path))
        share = steps[inside] / length
        eased, changing = minimum_jerk(share), _with_slope(share)
        added = eased[:, None] * moves[edge] + changing[:, None] * length * slope
        tried, parts = (path + moves, shares.copy())
        tried[frames[inside]] += added
        parts[frames[inside]] += eased
        acceleration = _acceleration_beside(tried, parts, frames[inside], edge, detour)
        if best is None or acceleration < best[0]:
            best = acceleration, added, eased, frames[inside]
        if acceleration <= limit or (room is not None and length > room):
            break
    assert best is not None
    moves[best[3]] += best[1]
    shares[best[3]] += best[2]


def minimum_jerk(share: Float64) -> Float64:
    """Return the quintic that falls from 1 to 0 at shares from 0 to 1, without speed or acceleration at either end.

    It is the minimum-jerk movement of hands (Flash, Hogan 1985).

    >>> minimum_jerk(np.array([0.0, 0.5, 1.0])).tolist()
    [1.0, 0.5, 0.0]
    """
    return np.asarray(1.0 - share**3 * (10.0 - 15.0 * share + 6.0 * share**2))


def _with_slope(share: Float64) -> Float64:
    """Return the quintic that goes from 0 with slope 1 back to 0, without acceleration at either end."""
    return share * (1.0 - share) ** 3 * (1.0 + 3.0 * share)


def _acceleration_beside(path: Float64, shares: Float64, frames: Int64, edge: int, detour: Detour | None) -> float:
    """Return the largest acceleration of a path `(T, 3)`, its detour included, around some frames."""
    if not len(frames):
        return 0.0
    beside = slice(max(min(int(frames.min()), edge) - 2, 0), min(max(int(frames.max()), edge) + 3, len(path)))
    piece = path[beside]
    if detour is not None:
        piece = piece + detour(piece, shares[beside], beside)
    return float(np.linalg.norm(np.diff(piece, 2, axis=0), axis=1).max(initial=0.0))
