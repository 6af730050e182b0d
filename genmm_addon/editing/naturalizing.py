# SPDX-License-Identifier: GPL-3.0-or-later
"""Make Natural: a rough stretch of the action that a character plays, drawn toward its examples in place."""

from dataclasses import dataclass

import numpy as np

from ..animation.stretches.checks import check_action
from ..animation.stretches.key_times import keyed_times
from ..animation.stretches.replacing import Stretch
from ..core import InputError, computing
from ..core.infill import CONTEXT_SECONDS
from ..core.repair import naturalize
from .edit_task import EditTask
from .filling.ranges import check_range


@dataclass(frozen=True)
class NaturalRequest:
    """A stretch, from pose to pose, and the strength with which it follows the examples: 0 not at all, 1 fully."""

    first: float
    last: float
    strength: float = 1.0


@dataclass(frozen=True)
class MadeNatural:
    """A stretch made natural. notes: sentences for the user."""

    first: float
    last: float
    notes: tuple[str, ...] = ()


@computing()
def make_natural(task: EditTask, request: NaturalRequest) -> MadeNatural:
    """Make a stretch of the character's action move like the examples; both its end poses and all outside stay.

    Raises InputError, with nothing changed.
    """
    check_range(request.first, request.last)
    check_action(task.character, task.action)
    times = keyed_times(task.character, task.action, task.slot)
    if request.first < times[0] - 1e-3 or request.last > times[-1] + 1e-3:
        raise InputError(
            f'Action "{task.action.name}" has no motion at frames {request.first:g} to {request.last:g}; choose frames '
            "between its keys."
        )
    examples = task.ready()
    rate = examples.prepared.index.frames_per_second
    known = round(CONTEXT_SECONDS * rate)
    before = min(known, int(request.first - times[0] + 1e-3))
    after = min(known, int(times[-1] - request.last + 1e-3))
    count = round(request.last - request.first) + 1
    frames = request.first + np.arange(-before, count + after, dtype=np.float64)
    motion = task.read(examples, frames)
    natural = naturalize(examples.prepared, motion, before, before + count - 1, request.strength)
    if request.strength > 0.0:
        where = Stretch(request.first, request.first + count - 1)
        task.write(examples, where, natural.slice(before, before + count), examples.reading.motions[0])
    return MadeNatural(request.first, request.last, task.kept_notes(examples))
