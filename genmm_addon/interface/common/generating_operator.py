# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of the operators that make motion, with the conditions under which they can begin."""

from bpy.types import Context, Object

from ...generation.generation import running
from ...generation.recipe import character_behind
from ...requests.library_values import learns_from_library
from ...requests.played_examples import plays_something
from ...state.properties import readable_settings
from .character_operator import CharacterOperator

MODES = ("OBJECT", "POSE")
"""Modes in which results can be written: in others Blender's undo restores only the data being edited."""


def why_not_now(context: Context) -> str:
    """Return a sentence on why nothing can be written at the moment, whatever the character; else ""."""
    if running() is not None:
        return "A motion is being generated; wait for it, or stop it with Esc"
    return "" if context.mode in MODES else "Go to Object Mode or Pose Mode first"


class GeneratingOperator(CharacterOperator):
    """Mixin that allows one run at a time, in modes where undo works, on a character with something to learn from."""

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence on why it cannot begin; else ""."""
        busy = why_not_now(context)
        if busy:
            return busy
        character = character_behind(character)
        settings = readable_settings(character, context.scene)
        if learns_from_library(settings):
            return "" if settings.library_files else "Add a library to learn from"
        if not settings.examples and not plays_something(character):
            return f"{character.name} plays no action; add one to its examples"
        return ""
