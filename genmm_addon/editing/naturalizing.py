# SPDX-License-Identifier: GPL-3.0-or-later
"""Make Natural: a rough stretch of the action that a character plays, drawn toward its examples in place."""

from dataclasses import dataclass

import numpy as np
from bpy.types import Action, Object, Scene

from ..animation.reading.stretch import kept_note, read_stretch
from ..animation.stretches.checks import check_action
from ..animation.stretches.editing import edited_in_place
from ..animation.stretches.generated import remember_generated
from ..animation.stretches.key_times import key_times
from ..animation.stretches.replacing import Stretch, replace_stretch
from ..animation.stretches.stepping import stepped_as_around
from ..core import InputError, computing
from ..core.infill import CONTEXT_SECONDS
from ..core.repair import naturalize
from ..libraries.indexed_examples import ExampleChoice, ready_examples
from .filling.gaps import check_range


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
def make_natural(
    character: Object, scene: Scene, action: Action, slot: str, choice: ExampleChoice, request: NaturalRequest
) -> MadeNatural:
    """Make a stretch of the character's action move like the examples; both its end poses and all outside stay.

    Raises InputError, with nothing changed.
    """
    check_range(request.first, request.last)
    check_action(character, action)
    times = key_times(character, action, slot)
    if not len(times) or request.first < times[0] - 1e-3 or request.last > times[-1] + 1e-3:
        raise InputError(
            f'Action "{action.name}" has no motion at frames {request.first:g} to {request.last:g}; choose frames '
            "between its keys."
        )
    examples = ready_examples(character, scene, choice)
    rate = examples.prepared.index.frames_per_second
    known = round(CONTEXT_SECONDS * rate)
    before = min(known, int(request.first - times[0] + 1e-3))
    after = min(known, int(times[-1] - request.last + 1e-3))
    count = round(request.last - request.first) + 1
    frames = request.first + np.arange(-before, count + after, dtype=np.float64)
    motion = read_stretch(character, examples.reading, action, slot, frames, rate)
    natural = naturalize(examples.prepared, motion, before, before + count - 1, request.strength)
    if request.strength > 0.0:
        where = Stretch(request.first, request.first + count - 1)
        stretch = natural.slice(before, before + count)
        stretch = stepped_as_around(action, slot, where, stretch, examples.reading.motions[0])
        with edited_in_place(action, slot):
            replace_stretch(character, action, slot, where, stretch, examples.reading.keyed)
            remember_generated(action, where.first, where.last)
    note = kept_note(character, examples.reading, action, slot)
    return MadeNatural(request.first, request.last, (note,) if note else ())
