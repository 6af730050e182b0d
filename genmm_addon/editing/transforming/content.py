# SPDX-License-Identifier: GPL-3.0-or-later
"""The action to transform, and the examples that transform it, on one skeleton."""

from dataclasses import dataclass, replace

import numpy as np

from ...animation.reading.example_spec import Reading
from ...animation.stretches.checks import check_copied
from ...animation.stretches.key_times import check_examples_together, times_of_motion
from ...core import Float64, Motion, Progress, listed
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
    times = times_of_motion(task.character, task.action, task.slot)
    check_examples_together(task.character, task.examples.specs)
    ready = task.ready(progress)
    frames = np.arange(times[0], times[-1] + 1e-3, 1.0)
    motion = task.read(ready, frames)
    return Content(motion, frames, ready.prepared, ready.reading, ready.names, task.kept_notes(ready))


def fitted(content: Content, progress: Progress | None = None) -> Content:
    """Return the content with only the examples that fit it best; uses no Blender data. Raises Cancelled."""
    examples = content.examples
    if len(content.names) < 2:
        return content
    numbers = fitting_clips(content.motion, examples, progress=progress)
    kept = index_motions([examples.motions[number] for number in numbers], examples.index.space.plan.joint)
    return replace(content, examples=kept, names=tuple(content.names[number] for number in numbers))
