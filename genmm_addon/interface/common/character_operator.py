# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of operators on a character: they need one, and say so."""

from bpy.types import Context, Object

from ...state.selection import character_or_reason
from .blender_bases import OperatorBase


class CharacterOperator(OperatorBase):
    """Comes before `bpy.types.Operator` among the bases; subclasses add their own conditions in `why_not`."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether there is a character and nothing speaks against it; else Blender shows the reason."""
        character, reason = character_or_reason(context)
        if character is not None:
            reason = cls.why_not(context, character)
        if reason:
            cls.poll_message_set(reason)
        return not reason

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the operator cannot run on this character, else nothing."""
        return ""
