# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples parted where they jump, as actions do that hold all motions of a character one after another."""

from collections.abc import Sequence
from dataclasses import replace

from bpy.types import Object, Scene

from ...core import Motion, listed
from ...core.examples import Repetition, find_takes
from ..scene_time import scene_rate
from .example_spec import ExampleSpec, Reading, example_range, repetition_of

InTakes = tuple[tuple[ExampleSpec, ...], ...]
"""For each example those that are learned from: itself, or its takes as ranges of frames."""


def in_takes(armature: Object, specs: Sequence[ExampleSpec], reading: Reading, scene: Scene) -> InTakes:
    """Return the takes of examples, as read. An example that is said to be a cycle or a take is not parted."""
    # The mirror images of examples come after all the examples.
    pairs = zip(specs, reading.motions[: len(specs)], strict=True)
    return tuple(_takes_of(armature, spec, motion, scene, visual=reading.visual) for spec, motion in pairs)


def notes_on_takes(specs: Sequence[ExampleSpec], taken: InTakes) -> tuple[str, ...]:
    """Return a sentence for each example that was parted."""
    return tuple(
        f"{spec.name} jumps, so it is learned from take by take: frames "
        f"{listed([f'{part.frame_start:g} to {part.frame_end:g}' for part in parts], mark='')}. Set Repetition to Take "
        "to keep the jumps."
        for spec, parts in zip(specs, taken, strict=True)
        if parts != (spec,)
    )


def _takes_of(
    armature: Object, spec: ExampleSpec, motion: Motion, scene: Scene, *, visual: bool
) -> tuple[ExampleSpec, ...]:
    if repetition_of(spec) is not Repetition.AUTOMATIC:
        return (spec,)
    found = find_takes(motion, scene_rate(scene))
    if found == [(0, motion.frames)]:
        return (spec,)
    # An evaluated pose is read at all frames that are asked for, and keys at those at which they play.
    asked = spec.frame_start if visual else None
    first = (example_range(armature, spec, scene)[0] if asked is None else asked) + spec.skip_first_frame
    return tuple(
        replace(spec, frame_start=first + begin, frame_end=first + end - 1, skip_first_frame=False)
        for begin, end in found
    )
