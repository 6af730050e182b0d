# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples that an action is transformed by, as the panel or an operator says."""

import bpy
from bpy.types import Action, Object, Scene

from ..animation.reading.example_spec import ExampleSpec
from ..animation.stretches.checks import check_read
from ..core import InputError
from ..filling.examples import ExampleChoice
from ..libraries.choosing import LibraryChoice
from ..state.properties import readable_settings
from ..transforming.content import choose_examples


def example_named(name: str, than: Action | None = None) -> ExampleSpec | None:
    """Return an action of the file as an example; None without a name.

    than: another one than this is taken where a linked action has the name of one of the file. Raises InputError where
    there is none of the name, and for one whose library is gone.
    """
    if not name:
        return None
    named = [action for action in bpy.data.actions if action.name == name]
    if not named:
        raise InputError(f'There is no action "{name}"; choose one of this file.')
    found = next((action for action in named if action != than), named[0])
    check_read(found)
    return ExampleSpec(found)


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
    """Return the other action, or the clips with some tags of a library, "" being what the character learns from.

    Raises InputError where there is none, and for tags that cannot be read.
    """
    settings = readable_settings(character, scene)
    names = tuple((row.name, row.target) for row in settings.bone_names if row.name and row.target)
    if from_library:
        files = (library,) if library else tuple(item.path for item in settings.library_files if item.path)
        if not files:
            raise InputError("There is no library; choose the file of one.")
        return choose_examples(action, None, LibraryChoice(files, tags), names, keep_contacts=settings.keep_contacts)
    if other is None:
        raise InputError("There is no other action; choose one.")
    return choose_examples(action, other, None, names, keep_contacts=settings.keep_contacts)
