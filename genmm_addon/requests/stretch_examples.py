# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples for a stretch of an existing action: never the stretch itself, nor frames generated before."""

from collections.abc import Sequence
from dataclasses import replace

from bpy.types import Action, Object, Scene

from ..animation.actions import slot_for
from ..animation.reading.example_spec import ExampleSpec, example_range, repetition_of
from ..animation.stretches.fingerprints import Range
from ..animation.stretches.generated import generated_ranges, without
from ..core import InputError
from ..core.examples import Repetition
from ..editing.edit_task import EditTask
from ..libraries.choosing import LibraryChoice
from ..libraries.exploring.stretch import FEWEST_FRAMES
from ..libraries.indexed_examples import ExampleChoice
from ..state.properties import readable_settings
from .choices import chosen_examples
from .direction_values import bone_names_of
from .library_values import library_choice


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
