# SPDX-License-Identifier: GPL-3.0-or-later
"""Stances around frames at which constraints fix a leg: the foot stands where it is fixed, and steps between places."""

import itertools
from dataclasses import replace

import numpy as np

from ..arrays import Array, Float64, Int64, Mask
from .contact_detection import NEAR_GROUND
from .footsteps import SHORTEST_STANCE_SECONDS, STEP_FROM, Stance, step_seconds

LEAST_DRIFT = 0.02
"""Shortest visible distance of a foot or hand from its place, as a share of the size: 3.5 cm for an adult."""


def contacts_as_fixed(
    contacts: Mask,
    now: Float64,
    heights: Array,
    fixed: Mask,
    rate: float,
    size: float,
) -> Mask:
    """Return the contacts `(T,)` of a foot, decided by its height `now` `(T,)` around the fixed frames.

    A fixed pose may be of another moment of the gait than the frames around it.
    """
    low, reach = now - heights.min(), round(SHORTEST_STANCE_SECONDS * rate)
    around = np.ones(2 * reach + 1)
    stands, hangs = (
        np.convolve(frames, around)[reach : reach + len(frames)] > 0
        for frames in (fixed & (low < LEAST_DRIFT * size), fixed & (low > NEAR_GROUND * size))
    )
    return np.asarray((contacts & ~hangs) | stands)


def stances_as_fixed(
    planned: list[Stance],
    level: Float64,
    fixed: Mask,
    transitions: Int64,
    longest_drift: float,
    rate: float,
    size: float,
) -> list[Stance]:
    """Return the stances of a foot, moved to its places at fixed frames, and divided if these are too far apart.

    level: `(T, 3)` place of the foot along the ground. fixed: mask `(T,)` of the frames at which its leg is fixed.
    transitions: the frames at which another segment begins. longest_drift: of a foot in one stance of the examples. A
    foot fixed in two places in one stance would be dragged between them; it steps instead, if there is time.
    """
    least = min(STEP_FROM * size, max(LEAST_DRIFT * size, longest_drift))
    divided: list[Stance] = []
    for stance in planned:
        first = stance.first
        for last, following in _in_two_places(stance, level, fixed, least):
            at = _step_between(level, last, following, transitions, rate, size)
            if at is not None:
                divided.append(_on_fixed_frames(replace(stance, first=first, end=at), level, fixed))
                first = at
        divided.append(_on_fixed_frames(replace(stance, first=first), level, fixed))
    return divided


def _in_two_places(stance: Stance, level: Float64, fixed: Mask, least: float) -> list[tuple[int, int]]:
    """Return the pairs of consecutive fixed frames in a stance that are more than `least` apart."""
    at = stance.first + np.flatnonzero(fixed[stance.first : stance.end])
    distances = np.linalg.norm(level[at[1:]] - level[at[:-1]], axis=1)
    pairs = itertools.pairwise(at.tolist())
    return [pair for pair, distance in zip(pairs, distances, strict=True) if distance > least]


def _step_between(
    level: Float64, last: int, following: int, transitions: Int64, rate: float, size: float
) -> int | None:
    """Return the frame at which a foot steps from its place at one frame to that at another; None if time is short.

    It is the transition at which the foot's own path changes most nearly from one place to the other, or the middle.
    """
    before, after = level[last], level[following]
    # If several feet step at once, each steps half a step earlier or later.
    room = 2 * max(1, round(step_seconds(float(np.linalg.norm(after - before)), size) * rate / 2)) + 1
    if following - last < 2 * room:
        return None
    inside = transitions[(transitions >= last + room) & (transitions <= following - room)]
    choices = [*inside.tolist(), (last + following) // 2]
    path = level[last:following]
    toward = np.cumsum(np.square(path - before).sum(axis=1) - np.square(path - after).sum(axis=1))
    return int(min(choices, key=lambda frame: toward[frame - 1 - last]))


def _on_fixed_frames(stance: Stance, level: Float64, fixed: Mask) -> Stance:
    """Return the stance at the mean place of the foot at the fixed frames in it."""
    inside = slice(stance.first, stance.end)
    places = level[inside][fixed[inside]]
    return replace(stance, place=places.mean(axis=0)) if len(places) else stance
