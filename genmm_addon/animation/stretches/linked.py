# SPDX-License-Identifier: GPL-3.0-or-later
"""Linked characters and actions: the reasons why something cannot be changed or is missing."""

from pathlib import Path

import bpy
from bpy.types import ID, Action, Library, Object

from ...core import InputError
from ..layers.edit_layer import edited_assignment


def why_no_own_action(owner: Object) -> str:
    """Return a sentence if an object plays no action that can be written to, otherwise ""."""
    playing = edited_assignment(owner)
    missing = why_no_action(owner)
    if missing or playing is None or playing[0].library is None:
        return missing
    if is_linked(owner):
        name = playing[0].name
        return f'{owner.name} and action "{name}" are linked; make an editable library override, and its action local'
    return why_not_local(playing[0])


def why_not_local(action: Action) -> str:
    """Return a sentence if an action belongs to another file and cannot be changed, otherwise ""."""
    kind = "linked" if action.library is not None else "" if action.is_editable else "a library override"
    return f'Action "{action.name}" is {kind}; make it local to change it' if kind else ""


def check_local(action: Action) -> None:
    """Raise InputError if an action belongs to another file."""
    if reason := why_not_local(action):
        raise InputError(f"{reason}.")


def why_no_action(owner: Object) -> str:
    """Return a sentence if an object plays no action, or one whose library is missing, otherwise ""."""
    playing = edited_assignment(owner)
    if playing is None:
        return f"{owner.name} plays no action; give it one"
    return why_empty(playing[0])


def why_empty(action: Action) -> str:
    """Return a sentence if a linked action is missing from its library, otherwise ""."""
    missing = why_missing(action)
    return f'Action "{action.name}" has no keys: {missing}' if missing else ""


def why_no_new_action(owner: Object) -> str:
    """Return a sentence if an object plays no action to make another from, or cannot be given one, otherwise ""."""
    if is_linked(owner):
        return f"{owner.name} is linked, so no action can be assigned to it; make an editable library override"
    return why_no_action(owner)


def is_linked(owner: Object) -> bool:
    """Return whether an object is linked without an override, so that nothing of it can be changed."""
    override = owner.override_library
    return owner.library is not None or (override is not None and override.is_system_override)


def why_missing(block: ID | None) -> str:
    """Return a clause on the cause and remedy if a linked data-block is missing, otherwise ""."""
    if block is None or block.library is None or not block.is_missing:
        return ""
    return f"{missing_clause(block.library, [block.name])}; relocate the library in the Outliner"


def missing_clause(library: Library, names: list[str]) -> str:
    """Return a clause on a library in which the linked data-blocks of these names are missing."""
    path = Path(bpy.path.abspath(library.filepath))
    if not path.is_file():
        return f'the library "{path}" is missing'
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f'the library "{path}" no longer contains "{names[0]}"{more}'
