# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches in a character's libraries: the clips to search, and the motion to search for."""

from bpy.types import Object

from ..animation.reading.example_spec import ExampleSpec
from ..libraries.choosing import LibraryChoice
from ..state.pins_editing import own_assignment
from ..state.properties import GENMM_PG_character
from .library_values import library_files


def why_not_search(settings: GENMM_PG_character) -> str:
    """Return a sentence where the character has no library to search; "" where it has one."""
    return "" if library_files(settings) else "Add a library first, in the panel Library"


def search_choice(settings: GENMM_PG_character) -> LibraryChoice:
    """Return the panel's choice of clips in its libraries, even where it learns from actions."""
    return LibraryChoice(library_files(settings), settings.library_tags, settings.library_search)


def spec_to_find(character: Object) -> ExampleSpec:
    """Return the motion to search for: the character's own action, results included, or else its NLA."""
    assignment = own_assignment(character)
    return ExampleSpec(None) if assignment is None else ExampleSpec(assignment[0], assignment[1])
