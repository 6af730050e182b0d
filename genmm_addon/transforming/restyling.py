# SPDX-License-Identifier: GPL-3.0-or-later
"""Restyle: the action that a character plays in the style of another action, or of clips of a library."""

from dataclasses import dataclass

from bpy.types import Action, Object, Scene

from ..core import counted
from ..core.memory import memory_errors_told
from ..core.registration import StyleSettings, restyle
from ..filling.examples import ExampleChoice
from .content import read_content
from .record import STYLE, Recipe
from .writing import write_transformed

TEMPO_WORDS = "at the style's tempo"


@dataclass(frozen=True, eq=False)
class Transformed:
    """A new action. said: a sentence on what it is; notes: further sentences for the user."""

    action: Action
    said: str
    notes: tuple[str, ...] = ()


@memory_errors_told()
def restyle_action(
    character: Object, scene: Scene, action: Action, slot: str, choice: ExampleChoice, settings: StyleSettings
) -> Transformed:
    """Return a new action that the character plays: the motion of an action in the style of examples.

    Raises InputError, with nothing changed, where the examples show another action, or something cannot be read or
    written.
    """
    content = read_content(character, scene, action, slot, choice, fitting=not settings.posture_only)
    made = restyle(content.motion, content.examples, settings)
    recipe = Recipe(
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
    new = write_transformed(character, action, slot, content, made.motion, recipe, f"{action.name} Restyled")
    tempo = "" if settings.keep_timing else f", {TEMPO_WORDS}: {counted(made.motion.frames, 'frame')}"
    said = f'"{new.name}" has the {"posture" if settings.posture_only else "style"} of {content.example}{tempo}.'
    return Transformed(new, said, content.notes)
