# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves of feet onto their stances while they stand, with smooth moves between stances."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ..arrays import Array, Float64, Int64, Mask
from ..motion.filters import smoothstep
from ..motion.spans import marks_around
from .calm_paths import FRAME_SECONDS, accelerations
from .footsteps import Stance, Step, Swing, SwingHeights, step_heights, swings, take_steps, with_limited_drift

SWING_HEIGHTS = (0.05, 0.15)
"""Heights above the ground, as shares of the skeleton's size. Below the first a foot passes no lower than in the
examples; from the second on its height is free."""
EASE_SECONDS = 0.25
"""Time, in seconds, in which a foot moves to its place and away from it, and beside fixed poses; and deviation of the
Gaussian that smooths moves of the pelvis with the feet."""


@dataclass(frozen=True, eq=False)
class FootToMove:
    """A foot that is to be moved onto stances.

    places: `(T, 3)` positions of the foot. movement: `(T, 3)` its movement while it stands, as in the examples.
    heights: `(T,)` target heights while it stands. weights: `(T,)` of the moves near frames at which the leg is fixed,
    0 on them. up: `(3,)`. rate: frames per second. size: of the skeleton. of_swings: see lock_feet.
    """

    places: Float64
    movement: Float64
    heights: Array
    weights: Array
    up: Float64
    rate: float
    size: float
    of_swings: SwingHeights | None = None


def moves_with_limited_drift(
    foot: FootToMove,
    planned: list[Stance],
    transitions: Int64,
    turns: dict[int, int],
    largest: float,
    longest_drift: float,
    *,
    lands: bool,
) -> Float64:
    """Return the moves `(T, 3)` of a foot, see target_moves, that drifts at most `longest_drift` in a stance with a
    transition or a fixed pose; in all others it drifts as in the examples.

    A stance with a fixed pose is limited only if the foot then accelerates no more than `largest`: the pose may hold a
    swinging foot to the ground. lands: whether it lands and lifts off by itself.
    """

    def moves_with(limited: list[Stance]) -> Float64:
        slower = replace(foot, movement=with_limited_drift(foot.movement, limited, longest_drift))
        return target_moves(slower, planned, turns, largest if lands else None)

    is_fixed = [bool((foot.weights[stance.first : stance.end] == 0).any()) for stance in planned]
    crossed = [bool(np.any((transitions > stance.first) & (transitions < stance.end))) for stance in planned]
    loose = [stance for stance, fixed, crosses in zip(planned, is_fixed, crossed, strict=True) if crosses and not fixed]
    moves = moves_with(loose)
    if not any(is_fixed):
        return moves
    posed = [stance for stance, fixed in zip(planned, is_fixed, strict=True) if fixed]
    limited = moves_with([*loose, *posed])
    hasty = accelerations(foot.places + limited) > np.maximum(accelerations(foot.places + moves), largest)
    near = np.any(_near(posed, hasty, foot.rate), axis=1).tolist()
    return moves_with([*loose, *(stance for stance, quick in zip(posed, near, strict=True) if not quick)])


def target_moves(
    foot: FootToMove, planned: list[Stance], turns: dict[int, int], largest: float | None = None
) -> Float64:
    """Return the moves `(T, 3)` of a foot onto its stances and to its height there, eased in and out.

    planned: its stances, at places without its movement. turns: see take_steps. A stance across a frame at which the
    leg is fixed is not moved there: its foot stands where it is fixed. largest: the largest acceleration, in units per
    frame squared, at which a foot lands and lifts off by itself; None: it never does.
    """
    places, heights, weights, up, rate, size = foot.places, foot.heights, foot.weights, foot.up, foot.rate, foot.size
    now = places @ up
    level, fixed, free = places - now[:, None] * up - foot.movement, weights == 0, np.array(weights, np.float64)
    moves, stands = np.zeros_like(level), np.zeros(len(level), bool)
    kept, steps = take_steps(planned, turns, level, rate, size, np.inf if largest is None else largest)
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
    if foot.of_swings is not None:
        for swing in swings(kept, steps, foot.movement, level):
            _raise_swing(lift, now + moves @ up, heights, swing, foot.of_swings, size)
    return np.asarray((moves + lift[:, None] * up) * free[:, None])


def _at_fixed(moves: Float64, fixed: Mask) -> Float64:
    """Return the moves `(T, 3)` at the fixed frames, interpolated smoothly between them."""
    at, frames = np.flatnonzero(fixed), np.arange(len(moves))
    before, after = marks_around(at, len(moves))
    share = np.clip((frames - at[before]) / np.maximum(at[after] - at[before], 1), 0.0, 1.0)
    return np.asarray(moves[at[before]] + smoothstep(share)[:, None] * (moves[at[after]] - moves[at[before]]))


def _touches(kept: list[Stance], steps: list[Step], weights: Array, rate: float) -> Mask:
    """Return for each stance `(S, 2)` whether its foot lands out of a swing, and lifts off into one, by itself."""
    beside, swing = max(1, round(FRAME_SECONDS * rate)), round(EASE_SECONDS * rate)
    stepping = {step.end for step in steps}, {step.first for step in steps}
    touches = np.zeros((len(kept), 2), bool)
    for index, stance in enumerate(kept):
        before = kept[index - 1].end if index else 0
        after = kept[index + 1].first if index + 1 < len(kept) else len(weights)
        edges = (
            (stance.first, stance.first - before, slice(stance.first - beside, stance.first + 1)),
            (stance.end, after - stance.end, slice(stance.end - 1, stance.end + beside)),
        )
        for side, (edge, room, around) in enumerate(edges):
            swings = edge not in stepping[side] and room >= 2 * beside + swing
            touches[index, side] = swings and weights[around].min() == 1
    return touches


def _near(kept: list[Stance], hasty: Mask, rate: float) -> Mask:
    """Return for each stance `(S, 2)` whether a frame of `hasty` `(T,)` is near its landing, and its lifting off."""
    reach = max(1, round(FRAME_SECONDS * rate)) + round(EASE_SECONDS * rate)
    edges = [(stance.first, stance.end) for stance in kept]
    return np.array([[hasty[max(edge - reach, 0) : edge + reach].any() for edge in pair] for pair in edges], bool)


def _eased(moves: Float64, level: Float64, kept: list[Stance], touches: Mask, up: Float64, rate: float) -> Float64:
    """Return the moves `(T, 3)` of stances, eased in and out; level: see target_moves, touches: see _touches."""
    eased, beside = moves.copy(), max(1, round(FRAME_SECONDS * rate))
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
    """Set the moves of frames beyond an edge of a stance so that the foot follows its own path along the ground."""
    step = level[edge] - level[beyond]
    moves[beyond] = moves[edge] + step - (step @ up)[:, None] * up


def _ease(moves: Float64, edge: int, direction: int, room: int, inside: int, rate: float) -> None:
    """Add to the frames beyond the edge of a stance a move that continues the stance's moves and their rate of change.

    direction: -1 before, 1 after the stance. room: frames to the next stance. inside: frames of the stance.
    """
    length = min(round(EASE_SECONDS * rate), room)
    if length < 1:
        return
    share, kept, slope = _shares(length)
    # The cubic has this value and slope at the edge, and is level at zero at its other end.
    eased = moves[edge] * kept
    if inside > 1:
        eased += (moves[edge] - moves[edge - direction]) * (length + 1) * share * slope
    if direction > 0:
        moves[edge + 1 : edge + 1 + length] += eased
    else:
        moves[edge - length : edge] += eased[::-1]


@lru_cache(maxsize=64)
def _shares(length: int) -> tuple[Float64, Float64, Float64]:
    """Return the shares `(length, 1)` of the distance from an edge at each frame, and the terms of a cubic at these."""
    share = np.arange(1, length + 1)[:, None] / (length + 1)
    return share, np.asarray(1.0 - smoothstep(share), np.float64), (1.0 - share) ** 2


def _missed(now: Float64, heights: Array, size: float) -> Float64:
    """Return the heights `(T,)` by which a foot in the air must rise to pass no lower than in the examples.

    This is exact near the ground, and fades out high in the air.
    """
    above = (heights - heights.min()) / size
    share = np.clip((above - SWING_HEIGHTS[0]) / (SWING_HEIGHTS[1] - SWING_HEIGHTS[0]), 0.0, 1.0)
    return np.asarray(np.maximum(heights - now, 0.0) * (1.0 - smoothstep(share)))


def _raise(lift: Float64, clear: Float64, step: Step, stands: Mask, size: float) -> None:
    """Lift a foot for a step, less the height `clear` `(T,)` that it has by itself."""
    frames = np.arange(max(step.first, 0), min(step.end, len(lift)))
    frames = frames[~stands[frames]]
    if len(frames):
        needed = float(step_heights(step.length, size)) - max(float(clear[frames].max()), 0.0)
        lift[frames] += _half_wave(len(frames)) * max(needed, 0.0)


def _raise_swing(
    lift: Float64, now: Float64, heights: Array, swing: Swing, of_swings: SwingHeights, size: float
) -> None:
    """Lift a foot in a swing that is flatter than those of the examples; now: its heights `(T,)`."""
    inside, ground = slice(swing.first, swing.end), heights[[swing.first - 1, swing.end]].mean()
    clear = np.maximum((now + lift)[inside] - ground, 0.0)
    height = of_swings.needed(swing, float(clear.max()), size)
    lift[inside] += np.maximum(height * _half_wave(swing.end - swing.first) - clear, 0.0)


def _half_wave(frames: int) -> Float64:
    """Return the height `(frames,)` of a step that is 1 high: feet leave the ground before they move along it."""
    return np.asarray(np.sin(np.pi * (np.arange(frames) + 0.5) / frames))
