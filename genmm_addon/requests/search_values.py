# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches in a character's libraries: in which of their clips, and for what that it plays."""

from bpy.types import Object

from ..animation.reading.example_spec import ExampleSpec
from ..libraries.choosing import LibraryChoice
from ..state.pins_editing import own_assignment
from ..state.properties import GENMM_PG_character


def why_not_search(settings: GENMM_PG_character) -> str:
    """Return a sentence where the character has no library to search in, else nothing."""
    return "" if library_files(settings) else "Add a library first: Learn From: Library in the panel Generate"


def search_choice(settings: GENMM_PG_character) -> LibraryChoice:
    """Return the clips to search in: those that the panel chooses of its libraries, learned from or not."""
    return LibraryChoice(library_files(settings), settings.library_tags, settings.library_search)


def spec_to_find(character: Object) -> ExampleSpec:
    """Return what the character plays, its own action where it has one, a result too."""
    own = own_assignment(character)
    return ExampleSpec(None) if own is None else ExampleSpec(own[0], own[1])


def library_files(settings: GENMM_PG_character) -> tuple[str, ...]:
    """Return the files of the character's libraries, as Blender writes paths."""
    return tuple(item.path for item in settings.library_files if item.path)
