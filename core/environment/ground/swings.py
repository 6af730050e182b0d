# SPDX-License-Identifier: GPL-3.0-or-later
"""Swings over uneven ground: from one foothold to the next, higher where the ground is in the way.

A path is an elastic rod, raised to clear the ground with as little bending as possible, and evened out where the foot
or its knee would be too quick.
"""

import itertools
from dataclasses import dataclass

import numpy as np

from ...arrays import Array, Float64, Mask
from ...feet.calm_paths import ALLOWED, FRAME_SECONDS, ROUNDS, accelerations, around
from ...feet.footsteps import STEP_SECONDS, Stance
from ...feet.two_bone_ik import Leg, knee_path, solve_leg
from ...motion.bvh.numbers import DEFAULT_RATE
from ...motion.filters import smoothstep, spread_smoothly
from ...motion.spans import spans
from .footholds import STEP_UP, SUNK
from .surface import Surface

LONGEST_ROD = 400
"""Largest number of places of a rod; solving this many takes about 0.05 s."""
LIFT_WEIGHT = 1e-6
"""Weight of squared lifts against squared second differences, which brings a lifted foot down again."""


def raised(compliance: Float64, needed: Float64) -> Float64:
    """Return the heights `(T,)` of a rod raised by pushes from below until it is nowhere below `needed` `(T,)`.

    compliance: `(T, T)` height by which a push at each place raises each place, symmetric and positive definite.

    >>> raised(np.eye(2), np.array([0.5, -1.0])).tolist()
    [0.5, 0.0]
    """
    return np.asarray(compliance @ _pushes(compliance, needed))


def _pushes(compliance: Float64, needed: Float64) -> Float64:
    """Return nonnegative pushes `(T,)` that raise a rod to `needed`, acting only at places that would be below it.

    The linear complementarity problem is solved by active sets (Lawson, Hanson 1974).
    """
    pushes, pushing = np.zeros(len(needed)), np.zeros(len(needed), bool)
    near = 1e-9 * float(np.abs(needed).max())
    for _ in range(3 * len(needed)):
        lacking = np.where(pushing, -np.inf, needed - compliance @ pushes)
        lowest = int(np.argmax(lacking))
        if lacking[lowest] <= near:
            break
        pushing[lowest] = True
        while True:
            at = np.flatnonzero(pushing)
            asked = np.linalg.solve(compliance[np.ix_(at, at)], needed[at])
            too_high = asked <= 0
            if not too_high.any():
                break
            now = pushes[at]
            share = float((now[too_high] / np.maximum(now[too_high] - asked[too_high], 1e-300)).min())
            pushes[at] = now + share * (asked - now)
            pushing[at[pushes[at] <= 1e-12 * max(float(np.abs(asked).max()), 1e-300)]] = False
            pushes[~pushing] = 0.0
        pushes = np.zeros(len(needed))
        pushes[at] = asked
    return pushes


def carry(stances: list[Stance], values: Float64, frames: int) -> Float64:
    """Return values `(T, C)` that equal those of each stance `(N, C)` while it lasts, and change smoothly between."""
    carried = np.empty((frames, values.shape[1]))
    carried[: stances[0].first] = values[0]
    for number, stance in enumerate(stances):
        carried[stance.first : stance.end] = values[number]
    for number, (before, after) in enumerate(itertools.pairwise(stances)):
        gap = after.first - before.end
        share = smoothstep(np.arange(1, gap + 1) / (gap + 1))[:, None]
        carried[before.end : after.first] = values[number] + share * (values[number + 1] - values[number])
    carried[stances[-1].end :] = values[-1]
    return carried


def lifts(
    surface: Surface, points: Float64, flat: Float64, heights: Float64, stances: list[Stance], rate: float, size: float
) -> tuple[Float64, Float64]:
    """Return the heights `(T,)` by which a foot is lifted between its stances, so that its sole clears the ground.

    The second array `(T,)` is the height by which it may be lowered again.

    points: `(T, P, 3)` of the sole before it is lifted. flat: `(T, P)` their heights above flat ground. heights: `(T,)`
    of the ground that the foot's path follows.
    """
    frames = len(points)
    edges = [0, *(frame for stance in stances for frame in (stance.first, stance.end)), frames]
    total, room = np.zeros((2, frames))
    for first, end in zip(edges[::2], edges[1::2], strict=True):
        if end - first < 1:
            continue
        inside = slice(first, end)
        reference = max(heights[max(first - 1, 0)], heights[min(end, frames - 1)]) + STEP_UP * size
        places = points[inside, :, :2]
        under = surface.heights(places.reshape(-1, 2), np.full(places.shape[0] * places.shape[1], reference))
        above = np.clip(flat[inside], -SUNK * size, SUNK * size)
        needed = under.reshape(places.shape[:2]) + above - points[inside, :, 2]
        highest = np.nan_to_num(needed, nan=0.0).max(axis=1)
        total[inside] = _above(highest - SUNK * size, rate, size, first > 0, end < frames)
        room[inside] = np.maximum(total[inside] - highest, 0.0)
    return total, room


def _above(needed: Float64, rate: float, size: float, from_stance: bool, to_stance: bool) -> Float64:
    """Return the smoothest curve `(T,)` nowhere below `needed`, level and 0 at those ends that meet a stance.

    It has the least sum of squared second differences: a bent rod laid over obstacles. Near these ends it may be lower,
    as a rod that is level a frame beside an obstacle would rise high above it: the depth to which a sole may sink a
    frame away grows with the square of the time.
    """
    frames = len(needed)
    away = np.minimum(
        np.arange(1, frames + 1) if from_stance else np.inf, np.arange(frames, 0, -1) if to_stance else np.inf
    )
    needed = np.minimum(needed, SUNK * size * (away * DEFAULT_RATE / rate) ** 2)
    if needed.max(initial=0.0) <= 0.0:
        return np.zeros(frames)
    if frames > LONGEST_ROD:
        # As long before and after each obstacle as a step takes.
        return spread_smoothly(needed, round(STEP_SECONDS * rate))
    differences = np.diff(np.eye(frames + 2), 2, axis=0)
    second = differences[:, 1:-1].copy()
    # A foot that is in the air at an end of the motion moves level there.
    for end, stands in ((0, from_stance), (-1, to_stance)):
        if not stands:
            second[:, end] += differences[:, end]
    compliance = np.asarray(np.linalg.inv(second.T @ second + LIFT_WEIGHT * np.eye(frames)), np.float64)
    return raised(compliance, needed)


@dataclass(frozen=True, eq=False)
class Swinging:
    """A leg before the move of its foot.

    hinge: `(3,)` of its knee. weights: `(T,)` of its turns, see solve_leg. free: `(T,)` frames at which its end may
    take another path. lowest: `(T,)` smallest upward move of its end, negative where there is room below.
    """

    leg: Leg
    hinge: Float64
    weights: Array
    free: Mask
    lowest: Float64


def free_frames(stances: list[Stance], contacts: Mask, weights: Array) -> Mask:
    """Return the frames `(T,)` at which a foot neither stands nor touches the ground, and its pose is not fixed.

    >>> free_frames([Stance(0, 2, np.zeros(3))], np.zeros(3, bool), np.ones(3)).tolist()
    [False, False, True]
    """
    free = (weights > 0) & ~contacts
    for stance in stances:
        free[stance.first : stance.end] = False
    return np.asarray(free)


def calm_swings(swinging: Swinging, target: Float64, quickest: float, up: Float64, rate: float, size: float) -> Float64:
    """Return a path `(T, 3)` for the end of a leg that is calm enough for foot and knee; target: the desired path.

    quickest: the largest acceleration of a knee in the examples. up: the direction `(3,)`. The first round evens out
    moves within FRAME_SECONDS, and each of the others twice as strongly as the one before. If no round is calm enough,
    each swing has its calmest path.
    """
    leg, ball = swinging.leg, swinging.leg.positions[:, -1] - swinging.leg.positions[:, swinging.leg.end]
    end = leg.positions[:, leg.end]
    limit = np.maximum(max(ALLOWED * quickest, 1e-12), accelerations(leg.positions[:, leg.knee]))
    of_ends = max(float(accelerations(path).max(initial=0.0)) for path in (end, end + ball))
    end_limit = max(ALLOWED * of_ends, 1e-12)
    swings = spans(swinging.free)
    calm, best, stiffness, least = target, target.copy(), np.zeros(len(target)), np.full(len(swings), np.inf)
    for number in range(ROUNDS + 1):
        solution = solve_leg(leg, calm - end, swinging.hinge, rate, size, swinging.weights)
        ratios = accelerations(knee_path(leg, solution)) / limit
        for path in (calm, calm + ball):
            ratios = np.maximum(ratios, accelerations(path) / end_limit)
        for index, (first, last) in enumerate(swings):
            largest = ratios[max(first - 1, 0) : last + 1].max()
            if largest < least[index]:
                best[first:last], least[index] = calm[first:last], largest
        if least.max(initial=0.0) <= 1.0 or number == ROUNDS:
            break
        step = (FRAME_SECONDS * rate) ** 4 * 2.0**number
        stiffness = np.maximum(stiffness, around(ratios > 1.0, rate) * step)
        lowest = swinging.lowest - SUNK * size
        calm = target + _evened(target, stiffness, swings, lowest, up)
    return best


def _evened(path: Float64, stiffness: Float64, swings: list[tuple[int, int]], lowest: Float64, up: Float64) -> Float64:
    """Return moves `(T, 3)` that even out a path during swings; stiffness: `(T,)` of each frame.

    The moves minimize the sum of their squares and of the path's squared second differences times the stiffness. No
    upward move is smaller than `lowest` `(T,)`.
    """
    moves = np.zeros_like(path)
    for first, end in swings:
        rows = slice(max(first - 1, 1), min(end + 1, len(path) - 1))
        if end - first > LONGEST_ROD or rows.stop <= rows.start or not stiffness[rows].any():
            continue
        seen = slice(rows.start - 1, rows.stop + 1)
        second = np.diff(np.eye(seen.stop - seen.start), 2, axis=0)
        inside = second[:, first - seen.start : end - seen.start]
        weighted = inside.T * stiffness[rows]
        compliance = np.asarray(np.linalg.inv(np.eye(end - first) + weighted @ inside), np.float64)
        even = np.asarray(-compliance @ (weighted @ (second @ path[seen])), np.float64)
        lift = raised(compliance, lowest[first:end] - even @ up)
        moves[first:end] = even + lift[:, None] * up
    return moves
