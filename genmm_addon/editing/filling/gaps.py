# SPDX-License-Identifier: GPL-3.0-or-later
"""The two sides of a gap in an action, read as they play."""

import numpy as np
from bpy.types import Action, Object

from ...animation.reading.stretch import read_stretch
from ...animation.stretches.key_times import key_times
from ...core import InputError
from ...core.infill import CONTEXT_SECONDS
from ...core.keys import ON_KEY
from ...core.motion import Gap
from ...libraries.indexed_examples import FillingExamples

SHORTEST = 2
"""Shortest gap in frames from pose to pose, with one frame in between."""


def check_range(first: float, last: float) -> None:
    """Raise InputError unless there is a frame to fill between two others."""
    if not (np.isfinite(first) and np.isfinite(last)):
        raise InputError("The range's frames are not finite numbers; choose frames of the timeline.")
    if round(last - first) < SHORTEST:
        raise InputError(
            f"Between frames {first:g} and {last:g} there is no frame to fill; choose keys farther from each other."
        )


def read_gap(character: Object, action: Action, slot: str, examples: FillingExamples, first: float, last: float) -> Gap:
    """Return the gap from `first` to `last` of an action; a side beyond its keys, where it stands still, is one pose.

    Raises InputError where the action cannot be read.
    """
    rate = examples.prepared.index.frames_per_second
    known = np.arange(round(CONTEXT_SECONDS * rate) + 1.0)
    frames = np.concatenate((first - known[::-1], last + known))
    motion = read_stretch(character, examples.reading, action, slot, frames, rate)
    times = key_times(character, action, slot)
    before = 0 if times[0] < first - ON_KEY else len(known) - 1
    after = len(frames) if times[-1] > last + ON_KEY else len(known) + 1
    return Gap(motion.slice(before, len(known)), motion.slice(len(known), after))
