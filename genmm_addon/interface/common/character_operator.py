# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of operators on a character, disabled with the reason without one."""

from bpy.types import Context, Object

from ...core import InputError
from ...generation.sources import played_result
from ...state.selection import character_or_reason
from .blender_bases import OperatorBase, Outcome
from .refusals import reports_refusal


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
