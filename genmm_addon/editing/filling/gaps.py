# SPDX-License-Identifier: GPL-3.0-or-later
"""The two sides of a gap in an action, read as they play."""

import numpy as np

from ...core import InputError
from ...core.infill import CONTEXT_SECONDS
from ...core.keys import ON_KEY
from ...core.motion import Gap
from ...libraries.indexed_examples import FillingExamples
from ..edit_task import EditTask

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


def read_gap(task: EditTask, examples: FillingExamples, first: float, last: float) -> Gap:
    """Return the gap from `first` to `last` of an action; a side beyond its keys, where it stands still, is one pose.

    Raises InputError where the action cannot be read.
    """
    known = np.arange(round(CONTEXT_SECONDS * examples.prepared.index.frames_per_second) + 1.0)
    frames = np.concatenate((first - known[::-1], last + known))
    motion, times = task.read(examples, frames), task.key_times
    before = 0 if times[0] < first - ON_KEY else len(known) - 1
    after = len(frames) if times[-1] > last + ON_KEY else len(known) + 1
    return Gap(motion.slice(before, len(known)), motion.slice(len(known), after))
