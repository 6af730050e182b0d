# SPDX-License-Identifier: GPL-3.0-or-later
"""The two sides of a gap in an action, as they play there."""

import numpy as np
from bpy.types import Action, Object

from ..animation.reading.stretch import read_stretch
from ..animation.stretches.key_tables import ON_KEY
from ..animation.stretches.key_times import key_times
from ..core import InputError
from ..core.infill import Gap
from .examples import FillingExamples

KNOWN_SECONDS = 0.5
"""Motion on each side of a gap that tells which kind it is, and how fast the poses are."""
SHORTEST = 2
"""Frames from pose to pose of the shortest gap: one frame in between."""


def check_range(first: float, last: float) -> None:
    """Raise InputError unless there is a frame to fill between two others."""
    if not (np.isfinite(first) and np.isfinite(last)):
        raise InputError("The range's frames are no finite numbers; choose frames of the timeline.")
    if round(last - first) < SHORTEST:
        raise InputError(
            f"Between frames {first:g} and {last:g} there is no frame to fill; choose keys farther from each other."
        )


def read_gap(character: Object, action: Action, slot: str, examples: FillingExamples, first: float, last: float) -> Gap:
    """Return the gap from `first` to `last` of an action; beyond its keys, where it stands still, a lone pose.

    Raises InputError where the action cannot be read.
    """
    rate = examples.prepared.index.frames_per_second
    known = np.arange(round(KNOWN_SECONDS * rate) + 1.0)
    frames = np.concatenate((first - known[::-1], last + known))
    motion = read_stretch(character, examples.reading, action, slot, frames, rate)
    times = key_times(character, action, slot)
    before = 0 if times[0] < first - ON_KEY else len(known) - 1
    after = len(frames) if times[-1] > last + ON_KEY else len(known) + 1
    return Gap(motion.slice(before, len(known)), motion.slice(len(known), after))
