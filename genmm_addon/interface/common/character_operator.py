# SPDX-License-Identifier: GPL-3.0-or-later
"""Bases of operators that act on the selected character."""

from collections.abc import Iterable

from bpy.types import Context, Object

from ...core import InputError
from ...generation.generation import running
from ...generation.recipe import character_behind
from ...generation.sources import played_result
from ...requests.library_values import learns_from_library
from ...requests.played_examples import plays_something
from ...state.properties import readable_settings
from ...state.selection import character_or_reason
from .blender_bases import OperatorBase, Outcome, reports_refusal

MODES = ("OBJECT", "POSE")
"""Modes in which results can be written: in others Blender's undo restores only the data being edited."""


class CharacterOperator(OperatorBase):
    """Mixin placed before `bpy.types.Operator`; subclasses add their own conditions in `why_not`."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether the operator can run on the selected character; where it cannot, Blender shows the reason."""
        character, reason = character_or_reason(context)
        if character is not None:
            reason = cls.why_not(context, character)
        if reason:
            cls.poll_message_set(reason)
        return not reason

    @reports_refusal
    def execute(self, context: Context) -> Outcome | None:
        """Act on the selected character."""
        character, reason = character_or_reason(context)
        if character is None:
            raise InputError(f"{reason}.")
        return self.act(context, character)

    def take_panel(self, panel: object, names: Iterable[str], *, ghost: bool = True) -> None:
        """Copy the panel's values, except those that the operator was called with; ghost: or a repetition has."""
        for name in names:
            if not self.properties.is_property_set(name, ghost=ghost):
                setattr(self, name, getattr(panel, name))

    def act(self, context: Context, character: Object) -> Outcome | None:
        """Act on a character; return an outcome other than finished. Raises InputError, which is reported."""
        raise NotImplementedError

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence on why the operator cannot run on this character; "" where it can."""
        return ""


class ResultOperator(CharacterOperator):
    """Mixin for operators on the result that the selected character plays."""

    @classmethod
    def why_not(cls, _context: Context, character: Object) -> str:
        """Return a sentence where the character plays no result; "" where it plays one."""
        return "" if played_result(character) else f"{character.name} plays nothing that was generated"


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
