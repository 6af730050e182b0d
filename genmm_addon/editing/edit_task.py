# SPDX-License-Identifier: GPL-3.0-or-later
"""An action to edit with examples: what every edit reads from it, and how new motion is written into it."""

from dataclasses import dataclass

from bpy.types import Action, Object, Scene

from ..animation.reading.stretch import kept_note, read_stretch
from ..animation.stretches.editing import edited_in_place
from ..animation.stretches.generated import remember_generated
from ..animation.stretches.replacing import Stretch, replace_stretch
from ..animation.stretches.stepping import stepped_as_around
from ..core import Float64, Motion, Progress
from ..libraries.indexed_examples import ExampleChoice, FillingExamples, ready_examples


@dataclass(frozen=True, eq=False)
class EditTask:
    """A character's action to edit, and the examples for it; repairs by filters alone have none."""

    character: Object
    scene: Scene
    action: Action
    slot: str
    choice: ExampleChoice | None

    @property
    def examples(self) -> ExampleChoice:
        """Return the examples, which every edit but a repair by filters has."""
        assert self.choice is not None
        return self.choice

    def ready(self, progress: Progress | None = None) -> FillingExamples:
        """Return the examples, prepared. Raises InputError where they cannot be read, and Cancelled."""
        return ready_examples(self.character, self.scene, self.examples, progress)

    def read(self, examples: FillingExamples, frames: Float64) -> Motion:
        """Return the action at `frames` `(T,)`, as `read_stretch` does. Raises InputError where it cannot be read."""
        rate = examples.prepared.index.frames_per_second
        return read_stretch(self.character, examples.reading, self.action, self.slot, frames, rate)

    def kept_notes(self, examples: FillingExamples) -> tuple[str, ...]:
        """Return a sentence on keys that stay since no example moves their joints; none without such keys."""
        kept = kept_note(self.character, examples.reading, self.action, self.slot)
        return (kept,) if kept else ()

    def write(self, examples: FillingExamples, where: Stretch, motion: Motion, source: Motion) -> None:
        """Write new motion into a stretch, stepped as the action is there, and remember it as generated.

        source: the example that it comes from. Raises InputError, with nothing changed.
        """
        stepped = stepped_as_around(self.action, self.slot, where, motion, source)
        with edited_in_place(self.action, self.slot):
            replace_stretch(self.character, self.action, self.slot, where, stepped, examples.reading.keyed)
            remember_generated(self.action, where.first, where.last)
