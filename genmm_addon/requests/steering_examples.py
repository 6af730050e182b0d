# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples for steering a character: those that it learns from, never a motion that was steered before."""

from dataclasses import replace

import bpy
from bpy.types import Action, Object, Scene

from ..animation.reading.example_spec import ExampleSpec
from ..libraries.indexed_examples import ExampleChoice
from ..state.pins_editing import own_assignment
from ..state.properties import readable_settings
from ..steering.performance import performed_actions
from .library_values import learns_from_library
from .stretch_examples import stretch_examples


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
