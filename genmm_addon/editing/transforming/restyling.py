# SPDX-License-Identifier: GPL-3.0-or-later
"""Restyle: a new action in the style of another action or of a library's clips."""

from dataclasses import dataclass

from bpy.types import Action, Object, Scene

from ...core import Progress, counted, part_of_progress
from ...core.examples import memory_errors_told
from ...core.manner import Restyled, StyleSettings, restyle
from ...libraries.indexed_examples import ExampleChoice
from .content import Content, fitted, read_content
from .record import STYLE, EditRecipe
from .work import Work
from .writing import NewActionPlace, write_transformed

READING, FITTING = 0.5, 0.5
"""Share of the time spent reading examples, and share of the rest spent finding those that fit."""
OTHER_TEMPO = 1.15
"""Factor of the tempo from which a note is given: real active runs, played 1.2 times as fast, are no nearer to other
active runs than runs without the style are."""
TEMPO_WORDS = "at the style's tempo"


@dataclass(frozen=True, eq=False)
class Transformed:
    """A new action. said: a sentence on what it is; notes: further sentences for the user."""

    action: Action
    said: str
    notes: tuple[str, ...] = ()


@memory_errors_told()
def restyle_action(
    character: Object,
    scene: Scene,
    action: Action,
    slot: str,
    choice: ExampleChoice,
    settings: StyleSettings,
    progress: Progress | None = None,
) -> Transformed:
    """Have the character play a new action with an action's motion in the style of examples, and return it.

    Raises InputError, with nothing changed, where the examples show another action, or something cannot be read or
    written, and Cancelled.
    """
    reading, computing = (part_of_progress(progress, *share) for share in ((0.0, READING), (READING, 1.0)))
    return restyle_work(character, scene, action, slot, choice, settings, reading).done(computing)


@memory_errors_told()
def restyle_work(
    character: Object,
    scene: Scene,
    action: Action,
    slot: str,
    choice: ExampleChoice,
    settings: StyleSettings,
    progress: Progress | None = None,
) -> Work[tuple[Content, Restyled], Transformed]:
    """Return the work of `restyle_action`, with everything read; progress: of the reading. Raises as it does."""
    content = read_content(character, scene, action, slot, choice, progress)

    @memory_errors_told()
    def compute(progress: Progress | None) -> tuple[Content, Restyled]:
        chosen = content if settings.posture_only else fitted(content, part_of_progress(progress, 0.0, FITTING))
        return chosen, restyle(chosen.motion, chosen.examples, settings, part_of_progress(progress, FITTING, 1.0))

    def write(made: tuple[Content, Restyled]) -> Transformed:
        return _written(NewActionPlace(character, scene, action, slot), choice, settings, *made)

    return Work(compute, write)


def _written(
    place: NewActionPlace, choice: ExampleChoice, settings: StyleSettings, content: Content, made: Restyled
) -> Transformed:
    action = place.action
    recipe = EditRecipe(
        STYLE,
        action.name,
        example="" if choice.library else content.names[0],
        library=choice.library.files[0] if choice.library else "",
        tags=choice.library.tags if choice.library else "",
        strength=settings.strength,
        keep_timing=settings.keep_timing,
        posture_only=settings.posture_only,
        clips=content.names,
    )
    new, notes = write_transformed(place, content, made.motion, made.positions, recipe, f"{action.name} Restyled")
    tempo = "" if settings.keep_timing else f", {TEMPO_WORDS}: {counted(made.motion.frames, 'frame')}"
    said = f'"{new.name}" has the {"posture" if settings.posture_only else "style"} of {content.example}{tempo}.'
    return Transformed(new, said, (*content.notes, *notes, *tempo_notes(made.tempo)))


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
