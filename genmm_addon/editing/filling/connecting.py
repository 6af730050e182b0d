# SPDX-License-Identifier: GPL-3.0-or-later
"""Connection of a character's action with another one: a transition, then the other action where it leads."""

from dataclasses import dataclass

import numpy as np
from bpy.types import Action

from ...animation.actions import slot_for
from ...animation.reading.stretch import read_stretch
from ...animation.stretches.checks import check_action
from ...animation.stretches.editing import edited_in_place
from ...animation.stretches.generated import forget_ranges, remember_generated
from ...animation.stretches.key_times import key_times
from ...animation.stretches.replacing import Stretch, replace_stretch
from ...animation.stretches.stepping import stepped_as_around
from ...core import InputError, computing
from ...core.infill import CONTEXT_SECONDS, connect
from ...core.motion import joined
from ..edit_task import EditTask


@dataclass(frozen=True)
class Connected:
    """Frames `first` to `last` of an action that lead to another one, which ends at `end`; source: their example."""

    first: float
    last: float
    end: float
    source: str


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
    times, other_times = task.key_times, key_times(character, other, slot_for(character, other))
    for played, keyed in ((action, times), (other, other_times)):
        if len(keyed) < 2:
            raise InputError(f'Action "{played.name}" has no motion for this character; choose another action.')
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
    with edited_in_place(action, slot):
        replace_stretch(character, action, slot, Stretch(seam, end, True, False), continued, examples.reading.keyed)
        forget_ranges(action, first=seam)
        remember_generated(action, seam, last + 1)
    return Connected(seam + 1, last, end, examples.names[connection.clip])
