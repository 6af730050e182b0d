# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of operators that take a row out of a list, which a character's settings keep as text."""

from collections.abc import Iterable
from typing import Any

from bpy.types import Context

from ...state.properties import GENMM_PG_character, ensure_settings
from ...state.selection import character_or_reason
from .blender_bases import Outcome
from .character_operator import CharacterOperator


class RemoveRow(CharacterOperator):
    """Comes before `bpy.types.Operator`; a subclass has the property `number`, the row from 0."""

    # Not annotated: Blender 4.2 ends badly where a base of an operator has annotated values.
    text_property = ""
    """The settings' property that keeps the list."""

    @staticmethod
    def rows_of(settings: GENMM_PG_character, /) -> Iterable[Any]:
        """Return the rows of the list."""
        raise NotImplementedError

    @staticmethod
    def text_of(rows: Iterable[Any], /) -> str:
        """Return the text that keeps rows."""
        raise NotImplementedError

    def execute(self, context: Context) -> Outcome:
        """Take the row out."""
        character, _ = character_or_reason(context)
        if character is None:
            return {"CANCELLED"}
        settings = ensure_settings(character, context.scene)
        rows = list(self.rows_of(settings))
        number: int = self.number  # type: ignore[attr-defined]  # the subclass has it
        if not 0 <= number < len(rows):
            return {"CANCELLED"}
        del rows[number]
        setattr(settings, self.text_property, self.text_of(rows))
        return {"FINISHED"}
