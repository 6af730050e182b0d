# SPDX-License-Identifier: GPL-3.0-or-later
"""Footholds: the places on uneven ground where feet stand, near their places on flat ground.

A foot that would stand across an edge is moved, along or across its own direction, until its whole sole is supported.
All stances are planned together, so that a long step is not followed by a short one.
"""

from dataclasses import dataclass

import numpy as np

from ...arrays import Float64, Int64
from ...errors import InputError
from .surface import Surface

STEP_UP = 0.3
"""Largest height of a step above the last foothold, as a share of the size; higher ground counts as a ceiling."""
ALONG = np.linspace(-0.12, 0.12, 21)
"""Moves of a foothold along the foot that are tried, as shares of the size: a stair is 0.18 deep at human size."""
ACROSS = np.array([-0.025, 0.0, 0.025])
"""Moves of a foothold across the foot that are tried, as shares of the size."""
UNEVEN = 0.006
"""Unevenness under a sole, height of ground in the way of a landing or leaving foot, or excess of a step's rise over
MOST_RISE, that has a cost of one, as a share of the size. On ground that deviates less from a plane the sole is tilted;
elsewhere it stands level on the highest point."""
MOVED = 0.07
"""Move of a foothold, or change of the move from one foothold to the next, that has a cost of one, as a share of the
size."""
SUPPORT = np.array([0.6, 1.0, 1.0, 1.0, 1.0, 1.0, 0.4, 0.4])
"""Weights of the points of a sole, see find_sole, in its unevenness: heel and tip may stick out a little."""
STEEPEST = np.radians(30.0)
"""Largest tilt of a foot, in radians: an ankle bends by about 30 degrees."""
SUNK = 0.004
"""Largest depth of a sole in rough ground, or in ground in its way, as a share of the size."""


@dataclass(frozen=True, eq=False)
class Passing:
    """Points of soles during N stances, shortly before they land and after they leave.

    places: `(N, Q, 2)` along the ground. above: `(N, Q)` height above flat ground plus SUNK.
    """

    places: Float64
    above: Float64


@dataclass(frozen=True, eq=False)
class Footholds:
    """Footholds of N stances, in the order of their first frames.

    moves: `(N, 2)` along the ground. heights: `(N,)` of the ground under the middle of the foot. slopes: `(N, 2)` of
    the ground along both axes.
    """

    moves: Float64
    heights: Float64
    slopes: Float64


def floors_under(surface: Surface, places: Float64, start: float, rises: Float64, size: float) -> Float64:
    """Return the height `(N,)` of the floor at places `(N, 2)` visited in this order; nan if there is none.

    start: the height before the first place, whose nearest floor is taken there. rises: `(N,)` intended rise from the
    place before to each place.
    """
    heights, before = np.full(len(places), np.nan), start
    for number, floors in enumerate(surface.all_heights(places)):
        if not len(floors):
            continue
        before += float(rises[number])
        below = floors[floors <= before + STEP_UP * size]
        nearest = floors[int(np.argmin(np.abs(floors - before)))]
        before = heights[number] = float(nearest if number == 0 or not len(below) else below[-1])
    return heights


def plan_footholds(
    surface: Surface, soles: Float64, passing: Passing, floors: Float64, size: float, most_rise: float
) -> Footholds:
    """Return the footholds of soles `(N, P, 3)` that stand on flat ground; floors: `(N,)` the heights under them.

    most_rise: from one foothold to the next, as a share of the size; higher steps are avoided.
    """
    count = len(soles)
    flat = soles[..., :2]
    forward = flat[:, -1] - flat[:, 0]
    length = np.linalg.norm(forward, axis=1, keepdims=True)
    along = np.where(length > 1e-6 * size, forward / np.maximum(length, 1e-12), np.array([1.0, 0.0]))
    beside = np.stack((-along[:, 1], along[:, 0]), axis=1)
    pairs = np.stack(np.meshgrid(ALONG, ACROSS, indexing="ij"), axis=-1).reshape(-1, 2) * size
    moves = pairs[:, :1] * along[:, None] + pairs[:, 1:] * beside[:, None]
    highest = floors + STEP_UP * size
    middle, slopes, uneven = _support(flat, _heights(surface, flat, moves, highest), size)
    cost = (uneven / (UNEVEN * size)) ** 2
    under = np.nan_to_num(_heights(surface, passing.places, moves, highest), nan=-np.inf)
    obstacles = np.maximum(under - middle[..., None] - passing.above[:, None], 0.0).max(axis=2)
    cost += (obstacles / (UNEVEN * size)) ** 2
    cost = np.where(np.isnan(middle), 1e6, cost) + (np.linalg.norm(pairs, axis=1) / (MOVED * size)) ** 2
    chosen = _cheapest(cost, moves / (MOVED * size), middle / (UNEVEN * size), most_rise / UNEVEN)
    rows = np.arange(count)
    return Footholds(moves[rows, chosen], middle[rows, chosen], slopes[rows, chosen])


def _heights(surface: Surface, places: Float64, moves: Float64, highest: Float64) -> Float64:
    """Return the heights `(N, K, P)` of the ground at places `(N, P, 2)` with each of the moves `(N, K, 2)`."""
    moved = places[:, None] + moves[:, :, None]
    limits = np.broadcast_to(highest[:, None, None], moved.shape[:3])
    return surface.heights(moved.reshape(-1, 2), limits.reshape(-1)).reshape(moved.shape[:3])


def _support(flat: Float64, heights: Float64, size: float) -> tuple[Float64, Float64, Float64]:
    """Return height `(N, K)`, slope `(N, K, 2)` and unevenness `(N, K)` of the ground at the middle of soles.

    flat: `(N, P, 2)` points of each sole. heights: `(N, K, P)` of the ground under them at K places.
    """
    weights = SUPPORT if heights.shape[2] == len(SUPPORT) else np.ones(heights.shape[2])
    centered = flat - flat.mean(axis=1, keepdims=True)
    columns = np.concatenate((np.ones((*centered.shape[:2], 1)), centered), axis=2)
    solved = np.linalg.pinv(columns, rcond=1e-6)
    planes = np.einsum("ncp,nkp->nkc", solved, heights)
    deviations = heights - np.einsum("npc,nkc->nkp", columns, planes)
    steepness = np.linalg.norm(planes[..., 1:], axis=2)
    highest = np.max(heights, axis=2)
    deep = np.sqrt(np.average((highest[..., None] - heights) ** 2, axis=2, weights=weights))
    rough = np.sqrt(np.average(deviations**2, axis=2, weights=weights))
    sloped = (rough < UNEVEN * size) & (steepness < np.tan(STEEPEST))
    middle = np.where(sloped, planes[..., 0] + np.maximum(deviations.max(axis=2) - SUNK * size, 0.0), highest)
    slopes = np.where(sloped[..., None], planes[..., 1:], 0.0)
    return middle, slopes, np.where(sloped, rough, deep)


def _cheapest(costs: Float64, moves: Float64, heights: Float64, most: float) -> Int64:
    """Return the choices `(N,)` with the least sum of costs `(N, K)` and squared changes of moves `(N, K, 2)`.

    Changes of heights `(N, K)` cost the square of what they exceed `most` by.
    """
    count = len(costs)
    total, came = costs[0].copy(), np.zeros(costs.shape, np.int64)
    for number in range(1, count):
        change = ((moves[number - 1][:, None] - moves[number][None]) ** 2).sum(axis=2)
        climbs = np.abs(heights[number - 1][:, None] - heights[number][None])
        reached = total[:, None] + change + np.maximum(np.nan_to_num(climbs) - most, 0.0) ** 2
        came[number] = np.argmin(reached, axis=0)
        total = reached.min(axis=0) + costs[number]
    chosen = np.zeros(count, np.int64)
    chosen[-1] = int(np.argmin(total))
    for number in range(count - 1, 0, -1):
        chosen[number - 1] = came[number, chosen[number]]
    return chosen


def check_floors(floors: Float64, frames: Int64, names: list[str], first_frame: float = 0.0) -> None:
    """Raise InputError, with the names of foot and frame, if there is no ground under a stance."""
    missing = np.flatnonzero(np.isnan(floors))
    if len(missing) == len(floors):
        raise InputError("There is no ground under the character; move the ground under the path of its feet.")
    if len(missing):
        stance = int(missing[0])
        raise InputError(
            f'There is no ground under "{names[stance]}" at frame {first_frame + int(frames[stance]):g}; '
            "enlarge the ground or shorten the path."
        )
