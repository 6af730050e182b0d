# SPDX-License-Identifier: GPL-3.0-or-later
"""Bases of operators that add and remove rows of lists that the character's settings store as text."""

from collections.abc import Iterable
from typing import Any

from bpy.types import Context, Object, PoseBone

from ...core import InputError
from ...state.properties import GENMM_PG_character, ensure_settings
from ...state.selection import character_or_reason
from .blender_bases import Outcome
from .character_operator import CharacterOperator
from .refusals import reports_refusal
from .sidebar import redraw_viewports


class ListOperator(CharacterOperator):
    """An operator on a list of the character's settings."""

    # Not annotated: where a base of an operator has annotated values, Blender 4.2 as a module crashes at exit.
    text_property = ""
    """The settings' property that stores the list."""

    @staticmethod
    def rows_of(settings: GENMM_PG_character, /) -> Iterable[Any]:
        """Return the rows of the list."""
        raise NotImplementedError

    @staticmethod
    def text_of(rows: Iterable[Any], /) -> str:
        """Return the text that stores rows."""
        raise NotImplementedError


class AddRow(ListOperator):
    """Mixin placed before `bpy.types.Operator`; a subclass has the properties `first` and `last`, its row's frames."""

    def new_row(self, context: Context, character: Object) -> Any:
        """Return the row that is asked for. Raises InputError, with nothing changed."""
        raise NotImplementedError

    @reports_refusal
    def execute(self, context: Context) -> Outcome:
        """Insert the row into the list, which is sorted by first frame."""
        character, _ = character_or_reason(context)
        if character is None:
            return {"CANCELLED"}
        if self.first > self.last:  # type: ignore[attr-defined]  # the subclass has them
            raise InputError("The last frame lies before the first; give a later one.")
        row = self.new_row(context, character)
        settings = ensure_settings(character, context.scene)
        rows = sorted((*self.rows_of(settings), row), key=lambda one: int(one.first))
        setattr(settings, self.text_property, self.text_of(rows))
        redraw_viewports(context)
        return {"FINISHED"}


class RemoveRow(ListOperator):
    """Mixin placed before `bpy.types.Operator`; a subclass has the property `number`, the row counted from 0."""

    def execute(self, context: Context) -> Outcome:
        """Remove the row."""
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


def named_bone(character: Object, name: str) -> PoseBone:
    """Return the character's bone with a name. Raises InputError where it has none."""
    bone: PoseBone | None = character.pose.bones.get(name)
    if bone is None:
        raise InputError(f'"{character.name}" has no bone "{name}"; choose one of its own.')
    return bone


def bone_names_with(context: Context, text: str) -> Iterable[str]:
    """Return the names of the character's bones that contain a text, ignoring case."""
    character, _ = character_or_reason(context)
    names = [] if character is None else [bone.name for bone in character.data.bones]
    return [name for name in names if text.lower() in name.lower()]
