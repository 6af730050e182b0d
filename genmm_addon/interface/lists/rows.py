# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of a character's settings: which property stores each, and how its rows are removed and moved."""

from collections.abc import Callable, Sequence
from typing import Any

from bpy.types import Context, Object

from ...animation.row_lists import row_lists_in
from ...core import InputError, counted
from ...generation.request import Request
from ...libraries.clip_reading import forget_clips
from ...libraries.kept_preparation import forget_preparation
from ...requests.part_values import forget_example, swap_examples
from ...state.properties import GENMM_PG_character, readable_settings
from ..common.blender_bases import Outcome
from ..parts.operators import PAINTED

SELECTED = {
    "feet": "active_foot",
    "joint_weights": "active_weight",
    "examples": "active_example",
    "part_list": "active_part",
    "bone_names": "active_bone_name",
}
"""Lists with a selected row, and the property of its number."""
AS_TEXT = row_lists_in(Request)
"""Lists of rows over frames, which are stored as text."""


def why_fewer(rows: str, sentence: str, least: int = 1) -> Callable[[Context, Object], str]:
    """Return a condition that gives the sentence where the list has fewer rows than needed."""

    def why_not(context: Context, character: Object) -> str:
        return "" if len(getattr(readable_settings(character, context.scene), rows)) >= least else sentence

    return why_not


def remove_selected(operator: Any, _context: Context, _character: Object, settings: GENMM_PG_character) -> None:
    """Remove the selected row, and select the one before."""
    rows, active = getattr(settings, operator.rows), SELECTED[operator.rows]
    gone = min(getattr(settings, active), len(rows) - 1)
    rows.remove(gone)
    setattr(settings, active, max(min(gone, len(rows) - 1), 0))
    if operator.rows == "examples":
        forget_example(settings, gone)
    elif operator.rows == "part_list" and not rows and settings.parts == PAINTED:
        settings.parts = "WHOLE_BODY"


def numbered_row(operator: Any, rows: Sequence[Any]) -> Any:
    """Return the row with the operator's number. Raises InputError without a number or such a row."""
    noun = operator.choices[operator.rows].label.split()[-1].lower()
    if operator.number >= len(rows):
        raise InputError(f"The list has {counted(len(rows), noun)}, no number {operator.number + 1}; choose another.")
    if not operator.properties.is_property_set("number"):
        raise InputError(f"Give the number of the {noun}, or press its button in the panel.")
    return rows[operator.number]


def remove_numbered(operator: Any, _context: Context, _character: Object, settings: GENMM_PG_character) -> None:
    """Remove the row with the operator's number. Raises InputError where the list has no such row."""
    stored, written = getattr(settings, operator.rows), AS_TEXT.get(operator.rows)
    rows = stored if written is None else list(written.parse(stored))
    numbered_row(operator, rows)
    if written is None:
        rows.remove(operator.number)
    else:
        del rows[operator.number]
        setattr(settings, operator.rows, written.text(rows))
    if operator.rows == "library_files":
        forget_clips()
        forget_preparation()


def move_selected(operator: Any, _context: Context, _character: Object, settings: GENMM_PG_character) -> Outcome | None:
    """Swap the selected row with its neighbor."""
    rows, active = getattr(settings, operator.rows), SELECTED[operator.rows]
    number = getattr(settings, active)
    target = number + (-1 if operator.direction == "UP" else 1)
    if not 0 <= target < len(rows):
        return {"CANCELLED"}
    rows.move(number, target)
    if operator.rows == "examples":
        swap_examples(settings, number, target)
    setattr(settings, active, target)
    return None


def insert_stretch(operator: Any, settings: GENMM_PG_character, row: Any) -> None:
    """Insert a row with a first and a last frame into a list stored as text, sorted by first frame."""
    written = AS_TEXT[operator.rows]
    rows = sorted((*written.parse(getattr(settings, operator.rows)), row), key=lambda each: int(each.first))
    setattr(settings, operator.rows, written.text(rows))
