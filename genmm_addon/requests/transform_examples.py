# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples that the panel or an operator transforms an action by."""

import bpy
from bpy.types import Action, Object, Scene

from ..animation.reading.example_spec import ExampleSpec
from ..animation.stretches.checks import check_read
from ..core import InputError
from ..editing.transforming.content import choose_examples
from ..libraries.choosing import LibraryChoice
from ..libraries.indexed_examples import ExampleChoice
from ..state.properties import readable_settings


def example_named(name: str, than: Action | None = None) -> ExampleSpec | None:
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


def transform_examples(
    character: Object,
    scene: Scene,
    action: Action,
    other: ExampleSpec | None,
    library: str,
    tags: str,
    *,
    from_library: bool,
) -> ExampleChoice:
    """Return the other action, or the clips of a library that have some tags.

    library: "" means the one that the character learns from. Raises InputError where there are no examples, and for
    tags that cannot be read.
    """
    settings = readable_settings(character, scene)
    names = tuple((row.name, row.target) for row in settings.bone_names if row.name and row.target)
    if from_library:
        files = (library,) if library else tuple(item.path for item in settings.library_files if item.path)
        if not files:
            raise InputError("No library is chosen; choose its file.")
        return choose_examples(action, None, LibraryChoice(files, tags), names, keep_contacts=settings.keep_contacts)
    if other is None:
        raise InputError("No other action is chosen; choose one.")
    return choose_examples(action, other, None, names, keep_contacts=settings.keep_contacts)
