# SPDX-License-Identifier: GPL-3.0-or-later
"""A new row of the list of labels: the tags to choose from, its first values, and the stretch."""

from collections.abc import Iterable
from typing import Any

from bpy.types import Context, Object, Operator

from ...state.properties import readable_settings
from ...state.selection import character_or_reason
from .shown import known_tags, next_stretch

# Blender does not copy the texts of a computed enumeration: they are kept alive here while a menu shows them.
_choices: list[tuple[str, str, str]] = []


def tag_items(_operator: Operator, context: Context | None) -> Iterable[tuple[str, str, str]]:
    """Return the items of an enumeration of the known tags."""
    character = character_or_reason(context)[0] if context is not None else None
    if character is None:
        return []
    tags = known_tags(character, readable_settings(character, context.scene))
    _choices[:] = [(tag, tag, "") for tag in tags]
    return _choices


def why_no_label(context: Context, character: Object) -> str:
    """Return a sentence where no tag is known; "" where one is."""
    known = known_tags(character, readable_settings(character, context.scene))
    return "" if known else "Add examples first; labels choose among them"


def prepare_label(operator: Any, context: Context, character: Object) -> None:
    """Set the frames that follow the last label."""
    settings = readable_settings(character, context.scene)
    operator.first, operator.last = next_stretch(character, settings, context.scene)
