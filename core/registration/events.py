# SPDX-License-Identifier: GPL-3.0-or-later
"""Events of feet, touchdowns and liftings, and a time map moved so that they happen together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..feet.footsteps import stances
from ..motion.filters import smooth_line

Float64 = NDArray[np.float64]

EVENT_SECONDS = 0.3
"""An event of the examples may be as far as this from that of the motion, by the match, to be the same."""
SMOOTH_SECONDS = 0.04
"""The moves of a time map by its events are smoothed by a Gaussian of this deviation."""
LEAST_STEP = 0.15
"""From event to event the examples go on by at least this share of the frames that the motion does."""
STRETCH = 1.6
"""From event to event the examples are shown at most so many times as fast, or as slow, for a lifting's sake."""
DOWN, UP = 1.0, 0.3
"""Weights of touchdowns, which are seen and heard, and of liftings, where they contradict each other."""


@dataclass(frozen=True)
class Event:
    """A foot, by number, that comes down, or lifts, at a frame."""

    foot: int
    down: bool
    frame: int


@dataclass(frozen=True)
class _Move:
    """At a frame of a segment, the examples' place moves by so many frames."""

    at: int
    by: float
    weight: float


def find_events(contacts: NDArray[np.bool_], first: int, rate: float) -> list[Event]:
    """Return the events of contacts `(T, feet)`, at frames counted from `first`; the ends of the motion are none."""
    frames, found = len(contacts), list[Event]()
    nowhere, no_transition = np.zeros((frames, 3)), np.zeros(0, np.int64)
    for foot, column in enumerate(contacts.T):
        for stance in stances(column, nowhere, no_transition, rate, 1.0):
            if stance.first > 0:
                found.append(Event(foot, True, first + stance.first))
            if stance.end < frames:
                found.append(Event(foot, False, first + stance.end))
    return found


def event_moves(
    line: Float64,
    first: int,
    within: tuple[float, float],
    events: tuple[Sequence[Event], Sequence[Event]],
    stands: NDArray[np.bool_],
    rate: float,
) -> Float64:
    """Return by how many frames `(T,)` the places of a segment move so that its events are those of the motion.

    line: `(T,)` places among the examples' frames; first: the frame of the motion at which the segment begins; within:
    the first and the last frame of its clip; events: of the motion, and of the examples. stands: `(F, feet)` of all
    frames of the motion.
    """
    frames = np.arange(len(line))
    rates = np.maximum(np.gradient(line), 0.5) if len(line) > 1 else np.ones(1)
    there = [event for event in events[1] if within[0] <= event.frame <= within[1]]
    moves: list[_Move] = []
    for event in events[0]:
        at = event.frame - first
        if not 0 <= at < len(line):
            continue
        away = [one.frame - float(line[at]) for one in there if (one.foot, one.down) == (event.foot, event.down)]
        nearest = min(away, key=abs, default=np.inf)
        if abs(nearest) <= EVENT_SECONDS * rate * rates[at]:
            moves.append(_Move(at, nearest, DOWN if event.down else UP))
    moves += _moves_at_ends(line, first, there, stands, EVENT_SECONDS * rate)
    found = _in_order(sorted(moves, key=lambda move: move.at), line)
    if not found:
        return np.zeros(len(line))
    moved = np.interp(frames, [move.at for move in found], [move.by for move in found])
    return np.asarray(smooth_line(moved, SMOOTH_SECONDS * rate))


def _moves_at_ends(
    line: Float64, first: int, there: Sequence[Event], stands: NDArray[np.bool_], reach: float
) -> list[_Move]:
    """Return the moves with which feet stand at the motion's first and last frame where they do in the motion.

    A foot that stands from the first frame on has come down before; the examples are shown from there on.
    """
    found: list[_Move] = []
    for at, frame, forward in ((0, first, True), (len(line) - 1, first + len(line) - 1, False)):
        if frame != (0 if forward else len(stands) - 1):
            continue
        for foot, standing in enumerate(stands[frame].tolist()):
            away = [(one.frame - float(line[at]), one.down) for one in there if one.foot == foot]
            # An event at a place has happened there: before the first frame it may, at the last one it may not.
            after = [(by, down) for by, down in away if by > 0] if forward else [one for one in away if one[0] <= 0]
            if not after:
                continue
            by, down = min(after, key=lambda one: abs(one[0]))
            if abs(by) <= reach and down == (standing if forward else not standing):
                found.append(_Move(at, by if forward else by - 1.0, DOWN if down else UP))
    return found


def _in_order(moves: Sequence[_Move], line: Float64) -> list[_Move]:
    """Return the moves with which the examples go on from event to event; of two that contradict, the weightier."""
    found: list[_Move] = []
    for move in moves:
        while found and not _goes_on(found[-1], move, line) and found[-1].weight < move.weight:
            found.pop()
        if not found or _goes_on(found[-1], move, line):
            found.append(move)
    return found


def _goes_on(one: _Move, other: _Move, line: Float64) -> bool:
    before = float(line[other.at] - line[one.at])
    passed = before + other.by - one.by
    least = LEAST_STEP * (other.at - one.at)
    most = np.inf
    if min(one.weight, other.weight) < DOWN:
        least, most = max(least, before / STRETCH), before * STRETCH
    return other.at > one.at and least <= passed <= most
