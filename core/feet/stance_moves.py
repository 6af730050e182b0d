# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves of all feet of a motion onto their stances: planned, in turns, and without excessive acceleration."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Float64, Int64, Mask
from .calm_paths import calm_path, quick_frames
from .fixed_stances import contacts_as_fixed, stances_as_fixed
from .foot_moves import FootToMove, moves_with_limited_drift
from .footsteps import Stance, SwingHeights, between, stances, take_turns, with_support
from .locked_feet import LockedFeet, edges_around, in_one_place, with_time_beside


@dataclass(frozen=True, eq=False)
class FeetToMove:
    """Feet that are to be moved onto stances, and their paths.

    paths: `(T, 3)` of each foot by its number. contacts, heights `(T, feet)`, movement `(T, feet, 3)`, locked, detours,
    of_swings: see lock_feet. weights: `(T, feet)` of the moves near frames at which a leg is fixed. transitions: the
    frames at which another segment begins. largest: `(feet,)` the largest acceleration allowed for each, in units per
    frame squared. longest_drift: the longest movement in a stance with a transition or a fixed pose. lands: whether
    feet land and lift off by themselves. up: `(3,)`. rate: frames per second. size: of the skeleton.
    """

    paths: Mapping[int, Float64]
    contacts: Mask
    heights: Array
    movement: Float64
    weights: Float64
    transitions: Int64
    largest: Float64
    longest_drift: float
    lands: bool
    locked: LockedFeet | None
    detours: Float64 | None
    up: Float64
    rate: float
    size: float
    of_swings: SwingHeights | None = None

    def foot(self, index: int) -> FootToMove:
        """Return one of the feet."""
        of_foot = self.movement[:, index], self.heights[:, index], self.weights[:, index]
        return FootToMove(self.paths[index], *of_foot, self.up, self.rate, self.size, self.of_swings)

    def level(self, index: int) -> Float64:
        """Return the place `(T, 3)` of a foot along the ground, without its movement while it stands."""
        path = self.paths[index]
        return np.asarray(path - (path @ self.up)[:, None] * self.up - self.movement[:, index])

    def by_itself(self, index: int) -> Float64 | None:
        """Return that place without the detours of the root; None if it has none."""
        return None if self.detours is None else np.asarray(self.level(index) - self.detours[:, index])


def stance_moves(feet: FeetToMove) -> dict[int, Float64]:
    """Return the moves `(T, 3)` of each foot, by its number, onto its stances and from each to the next; simultaneous
    steps take turns.
    """
    planted = {index: _planted(feet, index) for index in feet.paths}
    if feet.locked is None:
        whole = [feet.weights[:, index] == 1 for index in planted]
        largest = [float(feet.largest[index]) if feet.lands else np.inf for index in planted]
        supported = with_support(list(planted.values()), whole, feet.rate, feet.size, largest)
        planted = dict(zip(planted, supported, strict=True))
    turns = take_turns(list(planted.values()))
    moves = {
        index: moves_with_limited_drift(
            feet.foot(index),
            of_foot,
            feet.transitions,
            turn,
            float(feet.largest[index]),
            feet.longest_drift,
            lands=feet.lands,
        )
        for (index, of_foot), turn in zip(planted.items(), turns, strict=True)
    }
    for index, path in feet.paths.items():
        free = np.where(feet.contacts[:, index], 0.0, feet.weights[:, index])
        moves[index] = _calm_moves(path, moves[index], float(feet.largest[index]), free, feet.rate)
    return moves


def _planted(feet: FeetToMove, index: int) -> list[Stance]:
    """Return the stances of a foot."""
    fixed, height = feet.weights[:, index] == 0, feet.paths[index] @ feet.up
    stands = contacts_as_fixed(feet.contacts[:, index], height, feet.heights[:, index], fixed, feet.rate, feet.size)
    level = feet.level(index)
    edges = np.union1d(feet.transitions, between(fixed))
    planned = _stances_of(feet, index, stands, level, edges)
    return stances_as_fixed(planned, level, fixed, feet.transitions, feet.longest_drift, feet.rate, feet.size)


def _stances_of(feet: FeetToMove, index: int, stands: Mask, level: Float64, edges: Int64) -> list[Stance]:
    """Return the stances of a foot in the frames in which it `stands` `(T,)`; locked spans are in one place.

    level: `(T, 3)` its place along the ground. edges: the frames at which stances may be divided.
    """
    locked, rate, size = feet.locked, feet.rate, feet.size
    if locked is None or not locked.frames[:, index].any():
        return stances(stands, level, edges, rate, size, feet.by_itself(index))
    edges, still = edges_around(edges, locked, index), in_one_place(level, locked, index)
    return with_time_beside(stances(stands, still, edges, rate, size), locked, index, level, rate, size)


def _calm_moves(path: Float64, moves: Float64, limit: float, free: Float64, rate: float) -> Float64:
    """Return the moves `(T, 3)` of a foot on a path `(T, 3)`, smoothed where it would start or stop too suddenly.

    free: `(T,)`, 0 at frames at which it stands or is fixed.
    """
    quick = quick_frames(path + moves, limit, free, rate)
    if quick is None:
        return moves
    calm, now = moves.copy(), (path + moves)[quick.frames]
    calm[quick.frames] += calm_path(now, quick, lambda path: path) - now
    return calm
