# SPDX-License-Identifier: GPL-3.0-or-later
"""Footholds: the places on uneven ground where feet stand, near those where they stood on flat ground.

A foot that would stand across an edge is moved along or beside itself until its whole sole has something under it; all
stances choose together, so that one long step does not become a short one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .surface import Surface

Float64 = NDArray[np.float64]

STEP_UP = 0.3
"""Ground up to this share of the size above the last foothold is stepped onto; what is higher is a ceiling."""
ALONG = np.linspace(-0.12, 0.12, 21)
"""Moves of a foothold along the foot that are tried, shares of the size: a stair is 0.18 deep at human size."""
ACROSS = np.array([-0.025, 0.0, 0.025])
"""Moves beside it."""
UNEVEN = 0.006
"""Unevenness under a sole, share of the size, that costs as much as ..."""
MOVED = 0.07
"""... a foothold moved by this share, or ..."""
CHANGED = 0.07
"""... by this share otherwise than the one before."""
IN_WAY = 0.005
"""Ground this much, share of the size, in the way of a foot that lands or leaves costs as much as well."""
MOST_UNEVEN = 0.04
"""Deeper ground under a point of a sole, share of the size, costs no more."""
SUPPORT = np.array([0.6, 1.0, 1.0, 1.0, 1.0, 1.0, 0.4, 0.4])
"""Weight of the points of a sole (see find_sole) in its unevenness: heel and tip may stand out a little."""
STEEPEST = np.radians(30.0)
"""A foot tilts up to this angle, radians: an ankle bends some 30 degrees."""
SUNK = 0.004
"""A sole may be this far in rough ground, share of the size."""
ROUGH = 0.012
"""Ground that a plane fits this well, share of the size, is a slope; else a sole stands level on what is highest."""


@dataclass(frozen=True, eq=False)
class Passing:
    """Points of soles while they stand, shortly before they land and after they leave, of N stances.

    places: `(N, Q, 2)` along the ground. above: `(N, Q)` how high they are above flat ground, and how much higher the
    ground under them may be without haste. weights: `(Q,)` of what is in their way.
    """

    places: Float64
    above: Float64
    weights: Float64


@dataclass(frozen=True, eq=False)
class Footholds:
    """The footholds of N stances, in the order of their first frames.

    moves: `(N, 2)` along the ground. heights: `(N,)` of the ground under the middle of the foot. slopes: `(N, 2)` rise
    of the ground along both axes.
    """

    moves: Float64
    heights: Float64
    slopes: Float64


def floors_under(surface: Surface, places: Float64, start: float, rises: Float64, size: float) -> Float64:
    """Return the height `(N,)` of the ground under places `(N, 2)` that are come to one after another; nan for none.

    start: the height come from at first, whose nearest floor is taken. rises: `(N,)` how much higher each place is
    meant to be than the one before.
    """
    found, before = np.full(len(places), np.nan), start
    for number, floors in enumerate(surface.all_heights(places)):
        if not len(floors):
            continue
        before += float(rises[number])
        below = floors[floors <= before + STEP_UP * size]
        nearest = floors[int(np.argmin(np.abs(floors - before)))]
        before = found[number] = float(nearest if number == 0 or not len(below) else below[-1])
    return found


def plan_footholds(
    surface: Surface, soles: Float64, passing: Passing, floors: Float64, times: Float64, size: float
) -> Footholds:
    """Return the footholds of soles `(N, P, 3)` that stand on flat ground; floors: `(N,)` the heights under them.

    times: `(N,)` in strides; stances far apart in time do not care for each other's moves.
    """
    count = len(soles)
    flat = soles[..., :2]
    way = flat[:, -1] - flat[:, 0]
    length = np.linalg.norm(way, axis=1, keepdims=True)
    along = np.where(length > 1e-6 * size, way / np.maximum(length, 1e-12), np.array([1.0, 0.0]))
    beside = np.stack((-along[:, 1], along[:, 0]), axis=1)
    pairs = np.stack(np.meshgrid(ALONG, ACROSS, indexing="ij"), axis=-1).reshape(-1, 2) * size
    moves = pairs[:, :1] * along[:, None] + pairs[:, 1:] * beside[:, None]
    highest = floors + STEP_UP * size
    middle, slopes, uneven = _support(flat, _heights(surface, flat, moves, highest), size)
    cost = (np.minimum(uneven, MOST_UNEVEN * size) / (UNEVEN * size)) ** 2
    under = np.nan_to_num(_heights(surface, passing.places, moves, highest), nan=-np.inf)
    in_way = (passing.weights * np.maximum(under - middle[..., None] - passing.above[:, None], 0.0)).max(axis=2)
    cost += (in_way / (IN_WAY * size)) ** 2
    cost = np.where(np.isnan(middle), 1e6, cost) + (np.linalg.norm(pairs, axis=1) / (MOVED * size)) ** 2
    chosen = _cheapest(cost, moves / (CHANGED * size), times)
    rows = np.arange(count)
    return Footholds(moves[rows, chosen], middle[rows, chosen], slopes[rows, chosen])


def _heights(surface: Surface, places: Float64, moves: Float64, highest: Float64) -> Float64:
    """Return the heights `(N, K, P)` of the ground at places `(N, P, 2)` with each of the moves `(N, K, 2)`."""
    moved = places[:, None] + moves[:, :, None]
    limits = np.broadcast_to(highest[:, None, None], moved.shape[:3])
    return surface.heights(moved.reshape(-1, 2), limits.reshape(-1)).reshape(moved.shape[:3])


def _support(flat: Float64, heights: Float64, size: float) -> tuple[Float64, Float64, Float64]:
    """Return the height `(N, K)` of the middle of soles on the ground, its slope `(N, K, 2)` and unevenness `(N, K)`.

    flat: `(N, P, 2)` the points of each sole; heights: `(N, K, P)` of the ground under them at K places.
    """
    weights = SUPPORT if heights.shape[2] == len(SUPPORT) else np.ones(heights.shape[2])
    centered = flat - flat.mean(axis=1, keepdims=True)
    columns = np.concatenate((np.ones((*centered.shape[:2], 1)), centered), axis=2)
    solved = np.linalg.pinv(columns, rcond=1e-6)
    planes = np.einsum("ncp,nkp->nkc", solved, heights)
    rest = heights - np.einsum("npc,nkc->nkp", columns, planes)
    steepness = np.linalg.norm(planes[..., 1:], axis=2)
    highest = np.max(heights, axis=2)
    deep = np.sqrt(
        np.average(np.minimum(highest[..., None] - heights, MOST_UNEVEN * size) ** 2, axis=2, weights=weights)
    )
    rough = np.sqrt(np.average(rest**2, axis=2, weights=weights))
    sloped = (rough < ROUGH * size) & (steepness < np.tan(STEEPEST))
    middle = np.where(sloped, planes[..., 0] + np.maximum(rest.max(axis=2) - SUNK * size, 0.0), highest)
    slopes = np.where(sloped[..., None], planes[..., 1:], 0.0)
    return middle, slopes, np.where(sloped, rough, deep)


def _cheapest(costs: Float64, moves: Float64, times: Float64) -> NDArray[np.int64]:
    """Return the choices `(N,)` with the least sum of costs `(N, K)` and of squared changes of moves `(N, K, 2)`."""
    count = len(costs)
    total, came = costs[0].copy(), np.zeros(costs.shape, np.int64)
    for number in range(1, count):
        near = 1.0 / max(float(times[number] - times[number - 1]), 1.0) ** 2
        change = near * ((moves[number - 1][:, None] - moves[number][None]) ** 2).sum(axis=2)
        reached = total[:, None] + change
        came[number] = np.argmin(reached, axis=0)
        total = reached.min(axis=0) + costs[number]
    chosen = np.zeros(count, np.int64)
    chosen[-1] = int(np.argmin(total))
    for number in range(count - 1, 0, -1):
        chosen[number - 1] = came[number, chosen[number]]
    return chosen


def check_floors(floors: Float64, frames: NDArray[np.int64], names: list[str], first_frame: float = 0.0) -> None:
    """Raise InputError, naming foot and frame, where there is no ground under a stance."""
    missing = np.flatnonzero(np.isnan(floors))
    if len(missing) == len(floors):
        raise InputError("The ground is nowhere under the character; put it under the way of its feet.")
    if len(missing):
        one = int(missing[0])
        raise InputError(
            f'There is no ground under "{names[one]}" at frame {first_frame + int(frames[one]):g}; '
            "make the ground larger or the way shorter."
        )
