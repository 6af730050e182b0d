# SPDX-License-Identifier: GPL-3.0-or-later
"""The action to transform, and the examples that transform it, on one skeleton."""

from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Action, Object, Scene
from numpy.typing import NDArray

from ...animation.reading.example_spec import Reading
from ...animation.reading.stretch import kept_note, read_stretch
from ...animation.stretches.checks import check_copied
from ...animation.stretches.keys_together import check_examples_together, times_together
from ...core import InputError, Motion, Progress, listed
from ...core.library import IndexedMotions, index_motions
from ...core.manner import fitting_clips
from ...libraries.indexed_examples import ExampleChoice, ready_examples
from .record import EditRecipe


@dataclass(frozen=True, eq=False)
class TransformTask:
    """A character's action to edit, and the examples for it; repairs by filters alone have none."""

    character: Object
    scene: Scene
    action: Action
    slot: str
    choice: ExampleChoice | None

    @property
    def examples(self) -> ExampleChoice:
        """Return the examples, which every transformation has."""
        assert self.choice is not None
        return self.choice

    def recipe(self, kind: str, clips: tuple[str, ...]) -> EditRecipe:
        """Return the recipe of a new action of a kind, without its values; clips: the examples that were used."""
        library = self.examples.library
        files, tags = (library.files, library.tags) if library else (("",), "")
        return EditRecipe(kind, self.action.name, library=files[0], tags=tags, clips=clips)


@dataclass(frozen=True, eq=False)
class Content:
    """An action's motion from its first key to its last, and the examples.

    frames: `(T,)` of the action, one a frame. names: of the examples. notes: sentences for the user.
    """

    motion: Motion
    frames: NDArray[np.float64]
    examples: IndexedMotions
    reading: Reading
    names: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def example(self) -> str:
        """Return the examples' names for a sentence."""
        return listed(self.names)


def read_content(task: TransformTask, progress: Progress | None = None) -> Content:
    """Return the action of a task and its examples.

    Raises InputError where one of them cannot be read, where keys of one lie far from all its others, and where the
    action has keys at fewer than two frames; and Cancelled.
    """
    character, action, slot = task.character, task.action, task.slot
    check_copied(character, action)
    times = times_together(character, action, slot)
    if len(times) < 2:
        raise InputError(_without_motion(action, times))
    check_examples_together(character, task.examples.specs)
    ready = ready_examples(character, task.scene, task.examples, progress)
    frames = np.arange(times[0], times[-1] + 1e-3, 1.0)
    rate = ready.prepared.index.frames_per_second
    motion = read_stretch(character, ready.reading, action, slot, frames, rate)
    kept = kept_note(character, ready.reading, action, slot)
    return Content(motion, frames, ready.prepared, ready.reading, ready.names, (kept,) if kept else ())


def _without_motion(action: Action, times: NDArray[np.float64]) -> str:
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
