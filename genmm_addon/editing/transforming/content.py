# SPDX-License-Identifier: GPL-3.0-or-later
"""The action to transform, and the examples that transform it, on one skeleton."""

from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Action

from ...animation.reading.example_spec import Reading
from ...animation.stretches.checks import check_copied
from ...animation.stretches.key_times import check_examples_together, times_together
from ...core import Float64, InputError, Motion, Progress, listed
from ...core.library import IndexedMotions, index_motions
from ...core.manner import fitting_clips
from ..edit_task import EditTask


@dataclass(frozen=True, eq=False)
class Content:
    """An action's motion from its first key to its last, and the examples.

    frames: `(T,)` of the action, one a frame. names: of the examples. notes: sentences for the user.
    """

    motion: Motion
    frames: Float64
    examples: IndexedMotions
    reading: Reading
    names: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def example(self) -> str:
        """Return the examples' names for a sentence."""
        return listed(self.names)


def read_content(task: EditTask, progress: Progress | None = None) -> Content:
    """Return the action of a task and its examples.

    Raises InputError where one of them cannot be read, where keys of one lie far from all its others, and where the
    action has keys at fewer than two frames; and Cancelled.
    """
    check_copied(task.character, task.action)
    times = times_together(task.character, task.action, task.slot)
    if len(times) < 2:
        raise InputError(_without_motion(task.action, times))
    check_examples_together(task.character, task.examples.specs)
    ready = task.ready(progress)
    frames = np.arange(times[0], times[-1] + 1e-3, 1.0)
    motion = task.read(ready, frames)
    return Content(motion, frames, ready.prepared, ready.reading, ready.names, task.kept_notes(ready))


def _without_motion(action: Action, times: Float64) -> str:
    """Return the sentence on an action with keys at only one frame, or at none."""
    if len(times):
        return f'Action "{action.name}" has keys at frame {times[0]:g} alone, which is a pose; choose one that moves.'
    return f'Action "{action.name}" has no keys that play on this character; choose one with keys that are not muted.'


def fitted(content: Content, progress: Progress | None = None) -> Content:
    """Return the content with only the examples that fit it best; uses no Blender data. Raises Cancelled."""
    examples = content.examples
    if len(content.names) < 2:
        return content
    numbers = fitting_clips(content.motion, examples, progress=progress)
    kept = index_motions([examples.motions[number] for number in numbers], examples.index.space.plan.joint)
    return replace(content, examples=kept, names=tuple(content.names[number] for number in numbers))
