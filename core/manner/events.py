# SPDX-License-Identifier: GPL-3.0-or-later
"""Touchdowns and liftings of feet, and changes of a time map that make them coincide."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Float64, Mask
from ..feet.calm_knees import MOST_RATE
from ..feet.footsteps import stances
from ..library.pose_index import SAME_PLACE_SECONDS
from ..motion.filters import smooth_line
from .matching import SLOWEST
from .style_free_rows import CONTACT_SECONDS

DOWN, UP = 1.0, 0.3
"""Weights of touchdowns, which are seen and heard, and of liftings, for cases in which they contradict each other."""


@dataclass(frozen=True)
class Event:
    """A touchdown (`down`) or lifting of a foot, by number, at a frame."""

    foot: int
    down: bool
    frame: int


@dataclass(frozen=True)
class _Move:
    """A change, by a number of frames, of the examples' place at a frame of a segment."""

    at: int
    by: float
    weight: float


def find_events(contacts: Mask, first: int, rate: float) -> list[Event]:
    """Return the events of contacts `(T, feet)`, with frames counted from `first`; ends of the motion are no events."""
    frames, events = len(contacts), list[Event]()
    nowhere, no_transition = np.zeros((frames, 3)), np.zeros(0, np.int64)
    for foot, column in enumerate(contacts.T):
        for stance in stances(column, nowhere, no_transition, rate, 1.0):
            if stance.first > 0:
                events.append(Event(foot, True, first + stance.first))
            if stance.end < frames:
                events.append(Event(foot, False, first + stance.end))
    return events


def event_moves(
    line: Float64,
    first: int,
    within: tuple[float, float],
    events: tuple[Sequence[Event], Sequence[Event]],
    stands: Mask,
    rate: float,
) -> Float64:
    """Return the changes `(T,)`, in frames, of a segment's places that make its events coincide with the motion's.

    line: `(T,)` places among the examples' frames. first: the frame of the motion at which the segment begins. within:
    first and last frame of its clip. events: of the motion, and of the examples. stands: `(F, feet)` at all frames of
    the motion.
    """
    frames = np.arange(len(line))
    rates = np.maximum(np.gradient(line), 0.5) if len(line) > 1 else np.ones(1)
    nearby = [event for event in events[1] if within[0] <= event.frame <= within[1]]
    moves: list[_Move] = []
    for event in events[0]:
        at = event.frame - first
        if not 0 <= at < len(line):
            continue
        away = [
            match.frame - float(line[at]) for match in nearby if (match.foot, match.down) == (event.foot, event.down)
        ]
        nearest = min(away, key=abs, default=np.inf)
        if abs(nearest) <= SAME_PLACE_SECONDS * rate * rates[at]:
            moves.append(_Move(at, nearest, DOWN if event.down else UP))
    moves += _moves_at_ends(line, first, nearby, stands, SAME_PLACE_SECONDS * rate)
    moves = _in_order(sorted(moves, key=lambda move: move.at), line)
    if not moves:
        return np.zeros(len(line))
    moved = np.interp(frames, [move.at for move in moves], [move.by for move in moves])
    return np.asarray(smooth_line(moved, CONTACT_SECONDS * rate))


def _moves_at_ends(line: Float64, first: int, nearby: Sequence[Event], stands: Mask, reach: float) -> list[_Move]:
    """Return the changes with which feet stand at the motion's first and last frame as they do in the motion.

    A foot that stands at the first frame has come down before it; the examples are shown from their touchdown.
    """
    moves: list[_Move] = []
    for at, frame, forward in ((0, first, True), (len(line) - 1, first + len(line) - 1, False)):
        if frame != (0 if forward else len(stands) - 1):
            continue
        for foot, standing in enumerate(stands[frame].tolist()):
            away = [(move.frame - float(line[at]), move.down) for move in nearby if move.foot == foot]
            # At its own frame an event has happened: the first frame moves onto it, the last one to just before it.
            after = [(by, down) for by, down in away if by > 0] if forward else [move for move in away if move[0] <= 0]
            if not after:
                continue
            by, down = min(after, key=lambda move: abs(move[0]))
            if abs(by) <= reach and down == (standing if forward else not standing):
                moves.append(_Move(at, by if forward else by - 1.0, DOWN if down else UP))
    return moves


def _in_order(moves: Sequence[_Move], line: Float64) -> list[_Move]:
    """Return the changes that keep the examples' order; of two that contradict each other, the one of larger weight."""
    kept: list[_Move] = []
    for move in moves:
        while kept and not _goes_on(kept[-1], move, line) and kept[-1].weight < move.weight:
            kept.pop()
        if not kept or _goes_on(kept[-1], move, line):
            kept.append(move)
    return kept


def _goes_on(first: _Move, second: _Move, line: Float64) -> bool:
    before = float(line[second.at] - line[first.at])
    passed = before + second.by - first.by
    least = SLOWEST * (second.at - first.at)
    most = np.inf
    if min(first.weight, second.weight) < DOWN:
        # A lifting raises or lowers the rate of the examples by less than what makes knees jerk.
        least, most = max(least, before / MOST_RATE), before * MOST_RATE
    return second.at > first.at and least <= passed <= most
