# SPDX-License-Identifier: GPL-3.0-or-later
"""Restyle and Blend: a new action in the style of examples, or between an action and another of the same kind."""

from dataclasses import replace

import numpy as np
from bpy.types import Object

from ...animation.actions import values_of_property
from ...core import Float64, Progress, computing, counted, parts_of_progress
from ...core.manner import Restyled, StyleSettings, blend_motions, restyle
from ..edit_task import EditTask
from .content import Content, fitted, read_content
from .record import BLEND, STYLE, EditRecipe, recipe_for
from .work import Work
from .writing import Transformed, write_transformed

OTHER_TEMPO = 1.15
"""Factor of the tempo from which a note is given: real active runs, played 1.2 times as fast, are no nearer to other
active runs than runs without the style are."""
TEMPO_WORDS = "at the style's tempo"
SHARE_PATH = "genmm.blend_share"
"""Path of the character's slider Share, which may have keys."""


@computing()
def restyle_work(
    task: EditTask, settings: StyleSettings, progress: Progress | None = None
) -> Work[tuple[Content, Restyled], Transformed]:
    """Return the work of restyling an action by examples, with everything read; progress: of the reading.

    Raises InputError where the examples show another action or cannot be read, and Cancelled.
    """
    content = read_content(task, progress)

    @computing()
    def compute(progress: Progress | None) -> tuple[Content, Restyled]:
        fitting, restyling = parts_of_progress(progress, 2)
        chosen = content if settings.posture_only else fitted(content, fitting)
        return chosen, restyle(chosen.motion, chosen.examples, settings, restyling)

    def write(computed: tuple[Content, Restyled]) -> Transformed:
        chosen, restyled = computed
        recipe = replace(
            recipe_for(task, STYLE, chosen.names),
            strength=settings.strength,
            keep_timing=settings.keep_timing,
            posture_only=settings.posture_only,
        )
        tempo = "" if settings.keep_timing else f", {TEMPO_WORDS}: {counted(restyled.motion.frames, 'frame')}"
        aspect = "posture" if settings.posture_only else "style"
        written = _written(task, chosen, restyled, recipe, "Restyled", f"the {aspect} of {chosen.example}{tempo}")
        return replace(written, notes=(*written.notes, *tempo_notes(restyled.tempo)))

    return Work(compute, write)


@computing()
def blend_work(
    task: EditTask, share: float, progress: Progress | None = None
) -> Work[tuple[Content, Restyled], Transformed]:
    """Return the work of blending an action with another of its kind, with everything read; progress: of the reading.

    share: of the other one, 0 to 1; keys of the action for the character's slider take precedence. Raises as
    `restyle_work` does.
    """
    content = read_content(task, progress)
    keyed = values_of_property(task.character, SHARE_PATH, content.frames)
    weights: Float64 | float = share if keyed is None else np.clip(keyed, 0.0, 1.0)

    @computing()
    def compute(progress: Progress | None) -> tuple[Content, Restyled]:
        fitting, blending = parts_of_progress(progress, 2)
        chosen = fitted(content, fitting)
        return chosen, blend_motions(chosen.motion, chosen.examples, weights, blending)

    def write(computed: tuple[Content, Restyled]) -> Transformed:
        chosen, blend = computed
        recipe = replace(recipe_for(task, BLEND, chosen.names), share=share if keyed is None else -1.0)
        amount = f"{share:.0%}" if keyed is None else "over time, as its slider is keyed,"
        return _written(task, chosen, blend, recipe, "Blended", f"{amount} of {chosen.example}")

    return Work(compute, write)


def share_is_keyed(character: Object) -> bool:
    """Return whether the action that a character plays has keys for the slider Share, which then set the share."""
    return values_of_property(character, SHARE_PATH, np.zeros(1)) is not None


def _written(
    task: EditTask, content: Content, restyled: Restyled, recipe: EditRecipe, suffix: str, manner: str
) -> Transformed:
    """Write the new action; suffix: of its name. manner: what it has of the examples, for the report."""
    recipe = replace(recipe, example="" if task.examples.library else content.names[0])
    new, notes = write_transformed(task, content, restyled.motion, restyled.positions, recipe, suffix)
    return Transformed(new, f'"{new.name}" has {manner}.', notes)


def tempo_notes(tempo: float) -> tuple[str, ...]:
    """Return a note where Keep Timing plays a style much faster or slower than it was recorded.

    >>> tempo_notes(1.02)
    ()
    """
    if max(tempo, 1.0 / tempo) < OTHER_TEMPO:
        return ()
    return (
        f"Keep Timing plays the style {tempo:.2g} times as fast as it was recorded, which may cost it its look; "
        "without Keep Timing it has its own tempo.",
    )
