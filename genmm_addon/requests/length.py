# SPDX-License-Identifier: GPL-3.0-or-later
"""Length of the next motion: that of Keep Part's action, else the length that was set, else the first example's."""

import math
from typing import Any

import bpy
from bpy.props import IntProperty
from bpy.types import Action, Object, Scene

from ..animation.reading.evaluation import LAST_FRAME
from ..animation.reading.examples import ExampleSpec
from ..animation.scene_time import scene_rate
from ..core import InputError
from ..state.properties import GENMM_PG_character
from .choices import chosen_examples
from .direction_values import given_action, why_not_kept
from .library_values import learns_from_library


def shown_length(settings: GENMM_PG_character, character: Object, scene: Scene) -> int:
    """Return the number of frames that Generate makes."""
    given = given_length(settings, character, scene)
    if given is not None:
        return given
    if settings.is_property_set("frames"):
        return int(settings.frames)
    if learns_from_library(settings):
        return int(settings.frames)
    return example_length(settings, character, scene) or int(settings.frames)


def given_length(settings: GENMM_PG_character, character: Object, scene: Scene) -> int | None:
    """Return the length of Keep Part's action, in scene frames; None where no part is kept."""
    if not settings.use_completion or not settings.completion_part or why_not_kept(settings, character):
        return None
    given = given_action(settings, character)
    if given is None:
        return None
    rates = [item.frames_per_second for item in settings.examples if item.action == given[0] and item.use_rate]
    return _length_of(ExampleSpec(given[0], frames_per_second=rates[0] if rates else None), scene)


def example_length(settings: GENMM_PG_character, character: Object, scene: Scene) -> int | None:
    """Return the length of the first example, in scene frames; None where there is none."""
    try:
        return _length_of(chosen_examples(character, settings.examples)[0].spec, scene)
    except InputError:
        return None


def _length_of(spec: ExampleSpec, scene: Scene) -> int | None:
    """Return an example's length from its action's range, fast enough to draw; None where the range is empty."""
    action: Action | None = spec.action
    full_range = (scene.frame_start, scene.frame_end) if action is None else action.frame_range
    first = full_range[0] if spec.frame_start is None else spec.frame_start
    last = full_range[1] if spec.frame_end is None else spec.frame_end
    step = (spec.frames_per_second or scene_rate(scene)) / scene_rate(scene)
    if not (math.isfinite(first) and math.isfinite(last) and last > first):
        return None
    return min(int((last - first) / step + 1e-4) + 1, LAST_FRAME)


def _get_length(settings: Any) -> int:
    character, scene = _owner_of(settings), bpy.context.scene
    return int(settings.frames) if character is None else shown_length(settings, character, scene)


def _set_length(settings: Any, value: int) -> None:
    settings.frames = value


def _owner_of(settings: Any) -> Object | None:
    """Return the character that settings belong to, whether stored on it or in a scene."""
    owner = settings.id_data
    if isinstance(owner, Object):
        return owner
    for entry in owner.genmm.characters:
        if entry.settings == settings:
            character: Object | None = entry.character
            return character
    return None


def register() -> None:
    """Give the settings the shown length: `frames` once that is set, and until then the example's."""
    settings: Any = GENMM_PG_character
    settings.length = IntProperty(  # type: ignore[func-returns-value]  # returns a property's definition
        name="Length",
        description=(
            "Number of frames of the new motion, at the scene's frame rate; until it is set, as many as the first "
            "example"
        ),
        min=1,
        soft_max=10_000,
        max=1_000_000,
        get=_get_length,
        set=_set_length,
        options=set(),
    )


def unregister() -> None:
    """Remove the shown length."""
    settings: Any = GENMM_PG_character
    del settings.length
