# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of operators that write into the action that a character plays."""

from collections.abc import Iterable

from bpy.types import Action, Context, Object

from ...animation.actions import assigned
from ...animation.stretches.linked import why_no_own_action
from ...generation.generation import running
from ...state.selection import character_or_reason
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from ..common.generating_operator import MODES
from ..common.refusals import reports_refusal


class StretchOperator(CharacterOperator):
    """Mixin for operators on the active action of the selected character, in modes where undo works.

    Subclasses implement `edit`.
    """

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> Outcome:
        """Edit the action, and report what was done. Raises InputError, with nothing changed."""
        raise NotImplementedError

    @reports_refusal
    def execute(self, context: Context) -> Outcome:
        """Edit the active action, or report why that is impossible."""
        edited = edited_action(context)
        if edited is None:
            return {"CANCELLED"}
        return self.edit(context, *edited)

    def take_panel(self, panel: object, names: Iterable[str]) -> None:
        """Copy the panel's values, except those that the operator was called with."""
        for name in names:
            if not self.properties.is_property_set(name):
                setattr(self, name, getattr(panel, name))

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the character plays no action that can be written to; else ""."""
        if running() is not None:
            return "A motion is being generated; wait for it, or stop it with Esc"
        if context.mode not in MODES:
            return "Go to Object Mode or Pose Mode first"
        return cls.why_not_action(character)

    @classmethod
    def why_not_action(cls, character: Object) -> str:
        """Return a sentence on why the character's action is not suitable; "" where it is."""
        return why_no_own_action(character)


def edited_action(context: Context) -> tuple[Object, Action, str] | None:
    """Return the selected character, its active action and its slot; None where one is missing."""
    character, _ = character_or_reason(context)
    playing = None if character is None else assigned(character)
    return None if character is None or playing is None else (character, *playing)
