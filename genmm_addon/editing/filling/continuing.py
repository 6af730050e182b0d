# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions continued by new motion, or connected to another action, in place."""

from collections.abc import Hashable
from contextlib import ExitStack
from dataclasses import dataclass
from enum import Enum

import numpy as np
from bpy.types import Action

from ...animation.actions import slot_for, stop_repeating
from ...animation.reading.stretch import read_stretch
from ...animation.stretches.checks import check_action
from ...animation.stretches.editing import edited_in_place
from ...animation.stretches.generated import forget_ranges, remember_generated
from ...animation.stretches.key_times import keyed_times, times_of_motion, times_together
from ...animation.stretches.replacing import Stretch, replace_stretch
from ...animation.stretches.stepping import stepped_as_around
from ...core import Float64, InputError, Motion, Prepared, Settings, computing, prepare
from ...core.examples import note_on_lengths
from ...core.infill import CONTEXT_SECONDS, Replanned, Surroundings, blended, connect, nearby_motions, replan
from ...core.keys import ON_KEY
from ...core.motion import joined
from ...generation.stretches.material import FEW_FRAMES
from ...generation.stretches.redone import MOST_ALTERNATIVES
from ...libraries.indexed_examples import FillingExamples
from ...libraries.last_used import LastUsed
from ..edit_task import EditTask

MOST_FRAMES = 10_000
"""Most frames that one edit of an action adds or pins."""
_prepared = LastUsed[Hashable, Prepared](1)
_alternatives = LastUsed[Hashable, list[Replanned]](1)
"""Alternatives that were planned so far for a seam; the next one differs from all of them."""


@dataclass(frozen=True)
class Connected:
    """Frames `first` to `last` of an action that lead to another one, which ends at `end`; source: their example.

    notes: sentences for the user.
    """

    first: float
    last: float
    end: float
    source: str
    notes: tuple[str, ...]


@computing()
def connect_action(task: EditTask, other: Action, slide: int) -> Connected:
    """Follow an action by another one, over a transition; the other action is only read.

    slide: frames by which the seam may slide into each action. Raises InputError, with nothing changed.
    """
    character, action, slot = task.character, task.action, task.slot
    check_action(character, action)
    if other == action:
        raise InputError("There is no other action to continue with; choose one.")
    examples = task.ready()
    rate = examples.prepared.index.frames_per_second
    times = times_of_motion(character, action, slot)
    other_times = times_of_motion(character, other, slot_for(character, other))
    count = min(slide + round(CONTEXT_SECONDS * rate), round(times[-1] - times[0]))
    ending = times[-1] - np.arange(count + 1, dtype=np.float64)[::-1]
    following = other_times[0] + np.arange(round(other_times[-1] - other_times[0]) + 1, dtype=np.float64)
    first = task.read(examples, ending)
    second = read_stretch(character, examples.reading, other, slot_for(character, other), following, rate)
    connection = connect(examples.prepared, first, second, slide)
    seam = float(times[-1]) - connection.before
    kept = first.slice(first.frames - connection.before - 1, first.frames - connection.before)
    last = seam + connection.motion.frames
    transition = joined([kept, connection.motion, connection.following.slice(0, 1)])
    transition = stepped_as_around(
        action, slot, Stretch(seam, last + 1), transition, examples.prepared.motions[connection.clip]
    )
    continued = joined([transition, connection.following.slice(1, connection.following.frames)])
    end = seam + continued.frames - 1
    with edited_in_place(action, slot), ExitStack() as undoing:
        notes = (*_end_cycle(action, slot, undoing), *notes_on_suddenness(connection.acceleration))
        replace_stretch(character, action, slot, Stretch(seam, end, True, False), continued, examples.reading.keyed)
        forget_ranges(action, first=seam)
        remember_generated(action, seam, last + 1)
        undoing.pop_all()
    return Connected(seam + 1, last, end, examples.names[connection.clip], notes)


def notes_on_suddenness(acceleration: float) -> tuple[str, ...]:
    """Return a sentence where a transition accelerates twice as much as the motion around it or more, else none."""
    if round(acceleration) < 2:
        return ()
    return (
        f"The transition is {acceleration:.0f} times as sudden as the motion beside it, since no example leads there; "
        "undo it, and add an example that does, or choose poses that are more alike.",
    )


class ContinueFrom(Enum):
    """The poses from which an action is continued."""

    LAST_KEY = "LAST_KEY"
    PLAYHEAD = "PLAYHEAD"
    """From the playhead, replacing all later keys."""
    FIRST_KEY = "FIRST_KEY"
    """Backwards in time."""


@dataclass(frozen=True)
class ContinueRequest:
    """New motion of `frames` frames, and the pose that it continues from; frame: the playhead.

    number: the alternative, from 1. blend: the number of frames before the seam that blend into the new motion.
    """

    start: ContinueFrom
    frames: int
    frame: float = 1.0
    number: int = 1
    blend: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.frames <= MOST_FRAMES:
            raise InputError(f"Between 1 and {MOST_FRAMES:,} frames can be added at once; choose another length.")
        if not 1 <= self.number <= MOST_ALTERNATIVES:
            raise InputError(f"The alternative must lie between 1 and {MOST_ALTERNATIVES}; choose another.")
        if self.blend < 0:
            raise InputError("The frames to blend over must be 0 or more.")


@dataclass(frozen=True, eq=False)
class Continued:
    """New frames of an action, from `first` to `last`. source: the name of the example that they begin with.

    notes: sentences for the user.
    """

    first: float
    last: float
    source: str
    notes: tuple[str, ...] = ()


@computing()
def continue_action(task: EditTask, request: ContinueRequest) -> Continued:
    """Continue an action in place; the motion before the seam stays. Raises InputError, with nothing changed."""
    check_action(task.character, task.action)
    keyed_times(task.character, task.action, task.slot, "key a pose first")
    times = times_together(task.character, task.action, task.slot)
    seam, forward = _seam(times, request)
    examples = task.ready()
    rate = examples.prepared.index.frames_per_second
    count = min(round(CONTEXT_SECONDS * rate), int(times[-1] - times[0])) + request.blend + 1
    steps = np.arange(count, dtype=np.float64)
    at = seam - steps[::-1] if forward else seam + steps
    known = _only_keyed(task.read(examples, at), times, at)
    blend = min(request.blend, known.frames - 1)
    kept = known.slice(0, known.frames - blend) if forward else known.slice(blend, known.frames)
    around = Surroundings(kept, None) if forward else Surroundings(None, kept)
    generated, source, acceleration = _generated(examples, around, request, blend)
    if forward:
        overlap = joined([known.slice(known.frames - blend, known.frames), generated.slice(blend, generated.frames)])
        written = joined([kept.slice(kept.frames - 1, kept.frames), blended(overlap, generated, blend_in=blend)])
        where = Stretch(seam - blend, seam + request.frames, True, False)
    else:
        overlap = joined([generated.slice(0, generated.frames - blend), known.slice(0, blend)])
        written = joined([blended(overlap, generated, blend_out=blend), kept.slice(0, 1)])
        where = Stretch(seam - request.frames, seam + blend, False, True)
    with edited_in_place(task.action, task.slot), ExitStack() as undoing:
        ended = _end_cycle(task.action, task.slot, undoing)
        task.write(examples, where, written, examples.reading.motions[0])
        undoing.pop_all()
    added = (seam + 1, where.last) if forward else (where.first, seam - 1)
    short = note_on_lengths(examples.prepared.motions)
    return Continued(*added, source, (*ended, *((short,) if short else ()), *notes_on_suddenness(acceleration)))


def _end_cycle(action: Action, slot: str, undoing: ExitStack) -> tuple[str, ...]:
    """Let an action not repeat, and return a sentence on it; none where it did not."""
    if not stop_repeating(action, slot, undoing):
        return ()
    return (f'"{action.name}" does not repeat any more: the Cycles modifiers of its curves are muted.',)


def _seam(times: Float64, request: ContinueRequest) -> tuple[float, bool]:
    """Return the frame of the pose to continue from, and whether to continue forward in time; times: of the keys."""
    if request.start is ContinueFrom.FIRST_KEY:
        return float(times[0]), False
    if request.start is ContinueFrom.LAST_KEY:
        return float(times[-1]), True
    if request.frame < times[0]:
        return float(times[0]), False
    return min(request.frame, float(times[-1])), True


def _only_keyed(motion: Motion, times: Float64, at: Float64) -> Motion:
    """Return the poses within the action's keys, since beyond them it stands still."""
    inside = np.flatnonzero((at >= times[0] - ON_KEY) & (at <= times[-1] + ON_KEY))
    return motion.slice(int(inside[0]), int(inside[-1]) + 1)


def _generated(
    examples: FillingExamples, around: Surroundings, request: ContinueRequest, blend: int
) -> tuple[Motion, str, float]:
    """Return the new motion, the name of the example at the seam, and the acceleration there."""
    motions = examples.prepared.motions
    numbers = np.arange(len(motions))
    if sum(motion.frames for motion in motions) > FEW_FRAMES:
        numbers = nearby_motions(examples.prepared.index, around)
    key = (examples.key, tuple(numbers.tolist()))
    names = [examples.names[number] for number in numbers.tolist()]

    def ready() -> Prepared:
        root = motions[0].skeleton.names[examples.prepared.index.space.plan.joint]
        return prepare([motions[number] for number in numbers.tolist()], names=names, settings=Settings(root=root))

    prepared = _prepared.made_once(key, ready)
    frames = request.frames + blend
    poses = tuple(values.tobytes() for side in around.sides for values in side.channels().values())
    planned = _alternatives.made_once((key, frames, around.before is None, poses), list)
    while len(planned) < request.number:
        earlier = [alternative.motion for alternative in planned]
        planned.append(replan(prepared, around, frames, seed=len(planned), unlike=earlier))
    alternative = planned[request.number - 1]
    beside = 0 if around.before is not None else -1
    return alternative.motion, names[int(alternative.source_examples[beside, 0])], alternative.acceleration
