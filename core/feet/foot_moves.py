# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves of feet: onto their stances while they stand, and between them without a kink."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..motion.filters import smoothstep
from .calm_paths import accelerations
from .footsteps import Stance, Step, take_steps, within_way

Float64 = NDArray[np.float64]

LIFT = 0.3
"""A step rises by this share of its length ..."""
HIGHEST_LIFT = 0.06
"""... up to this share of the skeleton's size."""
GROUND_BAND = (0.05, 0.15)
"""Up to the first share of the skeleton's size above the ground a foot passes no lower than in the examples; from the
second on it may."""
EASE_SECONDS = 0.25
"""Time in which a foot reaches its place, and leaves it, in seconds."""
TOUCH_SECONDS = 0.033
"""A foot that lands goes so long, in seconds, as it does by itself, and as long when it lifts off: it is on the ground
in the next frame, and would slide there by what the body above it is led."""


def moves_within_way(
    places: Float64,
    own: Float64,
    found: list[Stance],
    turns: dict[int, int],
    heights: NDArray[np.floating],
    weights: NDArray[np.floating],
    up: Float64,
    rate: float,
    size: float,
    largest: float,
    longest_way: float,
    *,
    lands: bool,
) -> Float64:
    """Return by how much `(T, 3)` a foot shall move, see target_moves; in no stance it goes farther than `longest_way`
    by itself.

    In one across frames at which its leg is held, that is so where it accelerates no more than `largest` for it: such
    a pose may hold a foot to the ground that swings just then. lands: whether it lands and lifts off as by itself.
    """

    def moves_with(limited: list[Stance]) -> Float64:
        way = within_way(own, limited, longest_way)
        return target_moves(places, way, found, turns, heights, weights, up, rate, size, largest if lands else None)

    is_fixed = [bool((weights[stance.first : stance.end] == 0).any()) for stance in found]
    loose = [stance for stance, fixed in zip(found, is_fixed, strict=True) if not fixed]
    moves = moves_with(loose)
    if len(loose) == len(found):
        return moves
    limited = moves_with(found)
    hasty = accelerations(places + limited) > np.maximum(accelerations(places + moves), largest)
    near = np.any(_near(found, hasty, rate), axis=1).tolist()
    return moves_with([one for one, fixed, quick in zip(found, is_fixed, near, strict=True) if not (fixed and quick)])


def target_moves(
    places: Float64,
    own: Float64,
    found: list[Stance],
    turns: dict[int, int],
    heights: NDArray[np.floating],
    weights: NDArray[np.floating],
    up: Float64,
    rate: float,
    size: float,
    largest: float | None = None,
) -> Float64:
    """Return by how much `(T, 3)` a foot shall move: onto its stances and to its height there, eased in and out.

    places: `(T, 3)` where it is; own: `(T, 3)` where it goes by itself while it stands, as in the examples; found: its
    stances, their places without what it goes by itself; turns: see take_steps; heights: `(T,)` how high it is to be
    while it stands; weights: `(T,)` of the moves beside frames at which the leg is held, 0 on them. A stance across
    such a frame has none: its foot stands where it is held. largest: a foot lands and lifts off as it does by itself
    where it accelerates no more for it than this, units per frame squared; None: that is not known.
    """
    now = places @ up
    level, fixed, free = places - now[:, None] * up - own, weights == 0, np.array(weights, np.float64)
    moves, stands = np.zeros_like(level), np.zeros(len(level), bool)
    kept, steps = take_steps(found, turns, level, rate, size)
    for stance in kept:
        inside = slice(stance.first, stance.end)
        moves[inside] = stance.place - level[inside]
        if fixed[inside].any():
            moves[inside] -= _at_fixed(moves[inside], fixed[inside])
            free[inside] = 1.0
        moves[inside] += ((heights[inside] - now[inside]) * weights[inside])[:, None] * up
        stands[inside] = True
    touches = _touches(kept, steps, weights, rate)
    if largest is None or not touches.any():
        touches = np.zeros_like(touches)
    else:
        hasty = accelerations(places + _eased(moves, level, kept, touches, up, rate)) > largest
        touches &= ~_near(kept, hasty, rate)
    moves = _eased(moves, level, kept, touches, up, rate)
    lift = np.where(stands, 0.0, _missed(now + moves @ up, heights, size))
    for step in steps:
        _raise(lift, now + moves @ up - heights, step, stands, size)
    return np.asarray((moves + lift[:, None] * up) * free[:, None])


def _at_fixed(moves: Float64, fixed: NDArray[np.bool_]) -> Float64:
    """Return the moves `(T, 3)` at the fixed frames, and in between on a smooth way from each to the next."""
    at, frames = np.flatnonzero(fixed), np.arange(len(moves))
    after = np.minimum(np.searchsorted(at, frames), len(at) - 1)
    before = np.maximum(np.searchsorted(at, frames, side="right") - 1, 0)
    share = np.clip((frames - at[before]) / np.maximum(at[after] - at[before], 1), 0.0, 1.0)
    return np.asarray(moves[at[before]] + smoothstep(share)[:, None] * (moves[at[after]] - moves[at[before]]))


def _touches(kept: list[Stance], steps: list[Step], weights: NDArray[np.floating], rate: float) -> NDArray[np.bool_]:
    """Return for each stance `(S, 2)` whether its foot lands, and lifts off, by itself: out of a swing and into one."""
    beside, swing = max(1, round(TOUCH_SECONDS * rate)), round(EASE_SECONDS * rate)
    stepping = {step.end for step in steps}, {step.first for step in steps}
    found = np.zeros((len(kept), 2), bool)
    for index, stance in enumerate(kept):
        before = kept[index - 1].end if index else 0
        after = kept[index + 1].first if index + 1 < len(kept) else len(weights)
        edges = (
            (stance.first, stance.first - before, slice(stance.first - beside, stance.first + 1)),
            (stance.end, after - stance.end, slice(stance.end - 1, stance.end + beside)),
        )
        for side, (edge, room, around) in enumerate(edges):
            swings = edge not in stepping[side] and room >= 2 * beside + swing
            found[index, side] = swings and weights[around].min() == 1
    return found


def _near(kept: list[Stance], hasty: NDArray[np.bool_], rate: float) -> NDArray[np.bool_]:
    """Return for each stance `(S, 2)` whether one of the `hasty` `(T,)` frames is near its landing, and lifting off."""
    reach = max(1, round(TOUCH_SECONDS * rate)) + round(EASE_SECONDS * rate)
    edges = [(stance.first, stance.end) for stance in kept]
    return np.array([[hasty[max(edge - reach, 0) : edge + reach].any() for edge in pair] for pair in edges], bool)


def _eased(
    moves: Float64, level: Float64, kept: list[Stance], touches: NDArray[np.bool_], up: Float64, rate: float
) -> Float64:
    """Return the moves `(T, 3)` of stances, eased in and out; level: see target_moves, touches: see _touches."""
    eased, beside = moves.copy(), max(1, round(TOUCH_SECONDS * rate))
    for index, stance in enumerate(kept):
        before = kept[index - 1].end if index else 0
        after = kept[index + 1].first if index + 1 < len(kept) else len(moves)
        first, last, room = stance.first, stance.end - 1, [stance.first - before, after - stance.end]
        if touches[index, 0]:
            _go_on(eased, level, first, slice(first - beside, first), up)
            first, room[0] = first - beside, room[0] - 2 * beside
        if touches[index, 1]:
            _go_on(eased, level, last, slice(last + 1, last + 1 + beside), up)
            last, room[1] = last + beside, room[1] - 2 * beside
        _ease(eased, first, -1, room[0], last + 1 - first, rate)
        _ease(eased, last, 1, room[1], last + 1 - first, rate)
    return eased


def _go_on(moves: Float64, level: Float64, edge: int, beyond: slice, up: Float64) -> None:
    """Set the moves of frames beyond an edge of a stance: the foot goes along the ground as it does by itself."""
    way = level[edge] - level[beyond]
    moves[beyond] = moves[edge] + way - (way @ up)[:, None] * up


def _ease(moves: Float64, edge: int, direction: int, room: int, inside: int, rate: float) -> None:
    """Add to the frames beyond the edge of a stance a move that leaves it as fast as the stance's moves change there.

    direction: -1 before, 1 after the stance; room: frames to the next stance; inside: frames of the stance.
    """
    length = min(round(EASE_SECONDS * rate), room)
    if length < 1:
        return
    share, kept, rest = _shares(length)
    # The cubic with this value and slope at the edge, level at zero at its other end.
    eased = moves[edge] * kept
    if inside > 1:
        eased += (moves[edge] - moves[edge - direction]) * (length + 1) * share * rest
    if direction > 0:
        moves[edge + 1 : edge + 1 + length] += eased
    else:
        moves[edge - length : edge] += eased[::-1]


@lru_cache(maxsize=64)
def _shares(length: int) -> tuple[Float64, Float64, Float64]:
    """Return the share `(length, 1)` of the way from an edge that each frame lies at, and its powers in a cubic."""
    share = np.arange(1, length + 1)[:, None] / (length + 1)
    return share, np.asarray(1.0 - smoothstep(share), np.float64), (1.0 - share) ** 2


def _missed(now: Float64, heights: NDArray[np.floating], size: float) -> Float64:
    """Return by how much `(T,)` a foot in the air must rise to pass no lower than the examples' feet do.

    Near the ground that is exact; high in the air nobody minds.
    """
    above = (heights - heights.min()) / size
    share = np.clip((above - GROUND_BAND[0]) / (GROUND_BAND[1] - GROUND_BAND[0]), 0.0, 1.0)
    return np.asarray(np.maximum(heights - now, 0.0) * (1.0 - smoothstep(share)))


def _raise(lift: Float64, clear: Float64, step: Step, stands: NDArray[np.bool_], size: float) -> None:
    """Lift a foot for a step, less by how far it is in the air by itself."""
    frames = np.arange(max(step.first, 0), min(step.end, len(lift)))
    frames = frames[~stands[frames]]
    if len(frames):
        share = (np.arange(len(frames)) + 0.5) / len(frames)
        needed = min(LIFT * step.length, HIGHEST_LIFT * size) - max(float(clear[frames].max()), 0.0)
        lift[frames] += np.sin(np.pi * share) ** 2 * max(needed, 0.0)
