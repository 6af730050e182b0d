# SPDX-License-Identifier: GPL-3.0-or-later
"""Swings over uneven ground: from one foothold to the next, higher where the ground is in the way."""

import itertools

import numpy as np

from ...arrays import Float64
from ...feet.footsteps import STEP_SECONDS, Stance
from ...motion.bvh.numbers import DEFAULT_RATE
from ...motion.filters import smoothstep
from .footholds import STEP_UP, SUNK
from .rods import LONGEST_ROD, raised
from .surface import Surface

LIFT_WEIGHT = 1e-6
"""Weight of squared lifts against squared second differences, which brings a lifted foot down again."""


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
        return spread_smoothly(np.maximum(needed, 0.0), round(STEP_SECONDS * rate))
    differences = np.diff(np.eye(frames + 2), 2, axis=0)
    second = differences[:, 1:-1].copy()
    # A foot that is in the air at an end of the motion moves level there.
    for end, stands in ((0, from_stance), (-1, to_stance)):
        if not stands:
            second[:, end] += differences[:, end]
    compliance = np.asarray(np.linalg.inv(second.T @ second + LIFT_WEIGHT * np.eye(frames)), np.float64)
    return raised(compliance, needed)


def spread_smoothly(values: Float64, reach: int) -> Float64:
    """Return a smooth curve `(T,)` nowhere below nonnegative values `(T,)`, spread over `reach` frames."""
    if reach < 1:
        return values
    padded = np.pad(values, 2 * reach, mode="edge")
    highest = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1)
    bell = 1.0 + np.cos(np.pi * np.arange(-reach, reach + 1) / (reach + 1))
    return np.asarray(np.convolve(highest, bell / bell.sum(), "valid"))
