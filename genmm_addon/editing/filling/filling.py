# SPDX-License-Identifier: GPL-3.0-or-later
"""Filling of a range of the action that a character plays with new motion, in place."""

import itertools
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

import numpy as np

from ...animation.scene_time import scene_rate
from ...animation.stretches.checks import check_action
from ...animation.stretches.editing import edited_in_place
from ...animation.stretches.replacing import Stretch, move_following
from ...core import InputError, computing, counted
from ...core.infill import (
    DurationCosts,
    Filling,
    Timing,
    alternatives,
    choose_duration,
    cost_durations,
    durations_to_compare,
)
from ...core.motion import Gap
from ...libraries.indexed_examples import FillingExamples
from ..edit_task import EditTask
from .ranges import check_range, read_gap

DIGITS = 3
"""Digits to which the sides of a gap are compared."""


@dataclass(frozen=True)
class FillRequest:
    """A range to fill, from pose to pose, and the values for filling it.

    number: the alternative, from 1. timing, duration: the length of the filling, duration in frames. moves_following:
    keys after the range move where the filling is longer or shorter than the range.
    """

    first: float
    last: float
    number: int = 1
    timing: Timing = Timing.RANGE
    duration: int = 30
    moves_following: bool = False


@dataclass(frozen=True, eq=False)
class Filled:
    """A range that was filled. last: the frame at which it ends now; number: the alternative, from 1.

    costs: of each possible duration. source: the name of the example. notes: sentences for the user.
    """

    first: float
    last: float
    number: int
    costs: DurationCosts
    source: str
    notes: tuple[str, ...] = ()


@dataclass(eq=False)
class _Alternatives:
    """The alternatives for one gap that were made so far."""

    key: Hashable
    further: Iterator[Filling]
    found: list[Filling] = field(default_factory=list)

    def number(self, number: int) -> Filling | None:
        """Return an alternative by its number, from 1; None where there are not as many."""
        self.found += itertools.islice(self.further, max(number - len(self.found), 0))
        return self.found[number - 1] if number <= len(self.found) else None


_last: list[_Alternatives] = []
_costs: dict[Hashable, DurationCosts] = {}
"""The last alternatives and costs, which stepping through alternatives needs again."""


@dataclass(frozen=True, eq=False)
class OpenRange:
    """A range to fill as it was read: the prepared examples, and the gap with the motion on both sides."""

    task: EditTask
    request: FillRequest
    examples: FillingExamples
    gap: Gap

    @property
    def frames(self) -> int:
        """Return the number of frames from pose to pose."""
        return round(self.request.last - self.request.first)

    @property
    def key(self) -> Hashable:
        """Return a value that is equal for equal examples and sides."""
        return self.examples.key, sides_of(self.gap)

    def costs(self) -> DurationCosts:
        """Return the cost of each possible duration, cached for the next call."""
        durations = durations_to_compare(self.frames, scene_rate(self.task.scene))
        key = (self.key, tuple(durations))
        if key not in _costs:
            _costs.clear()
            _costs[key] = cost_durations(self.examples.prepared.index, self.gap, durations)
        return _costs[key]

    def write(self, filling: Filling, frames: int) -> float:
        """Write a filling of `frames` frames into the range, which gets that length; return the frame of its end."""
        task, first, last = self.task, self.request.first, self.request.last
        with edited_in_place(task.action, task.slot):
            if frames != self.frames:
                move_following(task.character, task.action, task.slot, first, last, first + frames - last)
                last = first + frames
            source = self.examples.prepared.motions[filling.clip]
            task.write(self.examples, Stretch(first, last), filling.motion, source)
        return last


def open_range(task: EditTask, request: FillRequest) -> OpenRange:
    """Return a range, read. Raises InputError where there is none, or where the action cannot be written to."""
    check_range(request.first, request.last)
    check_action(task.character, task.action)
    examples = task.ready()
    return OpenRange(task, request, examples, read_gap(task, examples, request.first, request.last))


@computing()
def fill_range(task: EditTask, request: FillRequest) -> Filled:
    """Fill a range of the character's action; all outside plays as before.

    Where there are fewer alternatives than the requested number, the last one is used. Raises InputError, with nothing
    changed.
    """
    opened = open_range(task, request)
    costs = opened.costs()
    frames, notes = _duration(request, costs, opened.frames)
    notes += task.kept_notes(opened.examples)
    filling, number = _alternative(opened, frames, request.number)
    last = opened.write(filling, frames)
    return Filled(request.first, last, number, costs, opened.examples.names[filling.clip], notes)


def _duration(request: FillRequest, costs: DurationCosts, range_frames: int) -> tuple[int, tuple[str, ...]]:
    """Return the length of the filling in frames, and a note where it would differ if later keys could move."""
    if request.timing is Timing.RANGE:
        return range_frames, ()
    frames = request.duration if request.timing is Timing.DURATION else choose_duration(costs, request.timing)
    if frames == range_frames or request.moves_following:
        return frames, ()
    word = request.timing.name.capitalize()
    return range_frames, (
        f"{word} is {counted(frames, 'frame')}, the range has {range_frames}: switch on Move What Follows to have it.",
    )


def _alternative(opened: OpenRange, frames: int, number: int) -> tuple[Filling, int]:
    key = (opened.key, frames)
    if not _last or _last[0].key != key:
        _last[:] = [_Alternatives(key, alternatives(opened.examples.prepared, opened.gap, frames))]
    filling = _last[0].number(max(number, 1))
    if filling is not None:
        return filling, max(number, 1)
    if not _last[0].found:
        raise InputError("No alternative was found; choose a longer range.")
    return _last[0].found[-1], len(_last[0].found)


def sides_of(gap: Gap) -> Hashable:
    """Return a value that is equal for equal sides, rounded since writing a filling can change their last digits."""
    sides = (gap.before, gap.after)
    values = tuple(np.round(values, DIGITS).tobytes() for side in sides for values in side.channels().values())
    return gap.before.skeleton.names, values
