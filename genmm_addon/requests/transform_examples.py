# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples that a panel, an operator or a command transforms an action by."""

from typing import Protocol

import bpy
from bpy.types import Action, Object, Scene

from ..animation.reading.example_spec import ExampleSpec
from ..animation.stretches.checks import check_read
from ..core import InputError
from ..libraries.choosing import LibraryChoice
from ..libraries.indexed_examples import ExampleChoice
from ..state.properties import readable_settings
from .direction_values import bone_names_of
from .library_values import library_files


class ExamplesAskedFor(Protocol):
    """The values of a panel or an operator: a source, the name of an action, and a library's file and tags."""

    source: str
    other_action: str
    library: str
    tags: str


def examples_asked_for(asked: ExamplesAskedFor, character: Object, scene: Scene, action: Action) -> ExampleChoice:
    """Return the other action, or the clips of a library. Raises InputError where there are none."""
    if asked.source == "LIBRARY":
        return library_clips(character, scene, asked.library, asked.tags)
    return other_example(character, scene, action, example_named(asked.other_action, action))


def example_named(name: str, than: Action) -> ExampleSpec | None:
    """Return the action of a name as an example; None without a name.

    than: an action that is not meant, where a linked action and one of the file share the name. Raises InputError where
    no action has the name, and for one whose library is missing.
    """
    if not name:
        return None
    named = [action for action in bpy.data.actions if action.name == name]
    if not named:
        raise InputError(f'There is no action "{name}"; choose one of this file.')
    action = next((action for action in named if action != than), named[0])
    check_read(action)
    return ExampleSpec(action)


def library_clips(character: Object, scene: Scene, library: str, tags: str) -> ExampleChoice:
    """Return the clips of a library that have some tags; "" means the library that the character learns from.

    Raises InputError where there is none, and for tags that cannot be read.
    """
    settings = readable_settings(character, scene)
    files = (library,) if library else library_files(settings)
    if not files:
        raise InputError("No library is chosen; choose its file.")
    return _choice(character, scene, (), LibraryChoice(files, tags))


def other_example(character: Object, scene: Scene, action: Action, other: ExampleSpec | None) -> ExampleChoice:
    """Return the other action as the only example. Raises InputError for None, and for the action itself."""
    if other is None:
        raise InputError("No other action is chosen; choose one.")
    if other.action == action:
        raise InputError(f'"{action.name}" is the action itself; choose another one.')
    return _choice(character, scene, (other,), None)


def _choice(
    character: Object, scene: Scene, specs: tuple[ExampleSpec, ...], library: LibraryChoice | None
) -> ExampleChoice:
    settings = readable_settings(character, scene)
    return ExampleChoice(specs, library, "", bone_names_of(settings), settings.keep_contacts)
