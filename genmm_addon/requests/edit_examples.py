# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of edits, transformations and steering, by the panel or an operator."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import bpy
from bpy.types import Action, Object, Scene

from ..animation.actions import slot_for
from ..animation.reading.example_spec import ExampleSpec, example_range, repetition_of
from ..animation.stretches.checks import check_read
from ..animation.stretches.fingerprints import Range
from ..animation.stretches.generated import generated_ranges, without
from ..core import InputError
from ..core.examples import Repetition
from ..editing.edit_task import EditTask
from ..libraries.choosing import LibraryChoice
from ..libraries.exploring.stretch import FEWEST_FRAMES
from ..libraries.indexed_examples import ExampleChoice
from ..state.pins_editing import own_assignment
from ..state.properties import readable_settings
from ..steering.performance import performed_actions
from .choices import chosen_examples
from .direction_values import bone_names_of
from .library_values import learns_from_library, library_choice, library_files


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


def stretch_examples(
    character: Object,
    scene: Scene,
    action: Action | None,
    replaced: Sequence[Range],
    library: LibraryChoice | None = None,
) -> ExampleChoice:
    """Return the examples of the character's list or library, without the frames of `action` that are replaced.

    An empty list means the action that the character plays. library: used instead of the character's own. Raises
    InputError where nothing is left.
    """
    settings = readable_settings(character, scene)
    clips = library_examples(character, scene, library)
    if clips is not None:
        return clips
    names = bone_names_of(settings)
    specs = [choice.spec for choice in chosen_examples(character, settings.examples)]
    pieces = [
        piece for spec in specs for piece in _pieces(character, scene, spec, replaced if spec.action == action else ())
    ]
    if not pieces:
        raise InputError(
            "No usable frames remain outside the replaced or generated ranges; add an action to the examples, or learn "
            "from a library."
        )
    return ExampleChoice(tuple(pieces), None, settings.root_bone, names, settings.keep_contacts)


def stretch_task(
    character: Object,
    scene: Scene,
    action: Action,
    slot: str,
    replaced: Sequence[Range],
    library: LibraryChoice | None = None,
) -> EditTask:
    """Return the task of editing an action with its `stretch_examples`. Raises InputError where none are left."""
    return EditTask(character, scene, action, slot, stretch_examples(character, scene, action, replaced, library))


def library_examples(character: Object, scene: Scene, library: LibraryChoice | None = None) -> ExampleChoice | None:
    """Return the clips of the given library, or else of the character's; None where it learns from actions.

    Raises InputError where the character has no library file.
    """
    settings = readable_settings(character, scene)
    chosen = library or library_choice(settings)
    if chosen is None:
        return None
    return ExampleChoice((), chosen, settings.root_bone, bone_names_of(settings), settings.keep_contacts)


def strip_examples(
    character: Object, scene: Scene, actions: Sequence[Action], library: LibraryChoice | None = None
) -> ExampleChoice:
    """Return the examples of the character's list or library; an empty list means the given actions themselves.

    library: used instead of the character's own. Raises InputError where nothing is left.
    """
    settings = readable_settings(character, scene)
    if library is None and library_choice(settings) is None and not settings.examples:
        return ExampleChoice(tuple(ExampleSpec(action) for action in actions), None, settings.root_bone)
    return stretch_examples(character, scene, actions[0], (), library)


def _pieces(character: Object, scene: Scene, spec: ExampleSpec, replaced: Sequence[Range]) -> list[ExampleSpec]:
    """Return the pieces of an example that are neither generated nor replaced; a piece of a cycle is a take."""
    slot = "" if spec.action is None else spec.slot or slot_for(spec.armature or character, spec.action)
    taken = (*replaced, *generated_ranges(spec.action, slot))
    if not taken:
        return [spec]
    full_range = example_range(character, spec, scene)
    kept = [piece for piece in without(full_range, taken) if piece[1] - piece[0] + 1 >= FEWEST_FRAMES]
    return [
        replace(
            spec,
            frame_start=first,
            frame_end=last,
            skip_first_frame=spec.skip_first_frame and first == full_range[0],
            repetition=repetition_of(spec) if (first, last) == full_range else Repetition.TAKE,
        )
        for first, last in kept
    ]


def steering_examples(character: Object, scene: Scene) -> ExampleChoice:
    """Return the character's library or list; an empty list means what it plays, or the examples of that.

    Raises InputError where there is nothing to learn from.
    """
    settings, playing = readable_settings(character, scene), own_assignment(character)
    made_from = () if playing is None else performed_actions(playing[0])
    originals: list[Action | None] = [bpy.data.actions.get(name) for name in made_from]
    actions = [action for action in originals if action is not None]
    if actions and not settings.examples and not learns_from_library(settings):
        choice = ExampleChoice(tuple(ExampleSpec(action) for action in actions), None, settings.root_bone)
    else:
        choice = stretch_examples(character, scene, None if playing is None else playing[0], ())
    return replace(choice, travels=True)
