# SPDX-License-Identifier: GPL-3.0-or-later
"""A character's panel, set from a settings file."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bpy.types import Object, Scene

from ..generation.direction import PartSpec
from ..generation.recipe import check_recipe
from ..generation.settings_file import FileSettings
from ..state.bone_lists import set_rows
from ..state.properties import GENMM_PG_character, ensure_settings
from .part_values import add_part, bones_of
from .request_values import set_value, values_of

KEPT = "Keep Part"


def take_settings(file: FileSettings, character: Object, scene: Scene) -> None:
    """Set all of the character's panel but its examples.

    Raises InputError, and changes nothing, where the file refers to something that is missing or does not fit.
    """
    recipe = file.recipe
    named = (recipe.pins, recipe.path, recipe.completion, recipe.ground)
    request = file.request(character) if recipe.waypoints or any(reference is not None for reference in named) else None
    settings = ensure_settings(character, scene)
    check_recipe(file.recipe if file.recipe.frames else replace(file.recipe, frames=1))
    for name, value in _values(file).items():
        set_value(settings, name, value)
    if file.recipe.parts:
        _take_parts(settings, file.recipe.parts)
    set_rows(settings.bone_names, [{"name": other, "target": own_name} for other, own_name in file.recipe.bone_names])
    settings.pins_action = request.pins.action if request and request.pins else settings.pins_action
    settings.path_curve = request.path.curve if request and request.path else settings.path_curve
    settings.ground_object = request.ground.ground if request and request.ground else settings.ground_object
    if request and request.waypoints:
        settings.waypoints.clear()
        for spec in request.waypoints:
            row = settings.waypoints.add()
            row.empty, row.frame, row.use_place, row.use_facing = spec.empty, spec.frame, spec.place, spec.facing
    if request and request.completion:
        settings.completion_action = request.completion.action
        settings.completion_part = _part_of(settings, request.completion.bones)


def _values(file: FileSettings) -> dict[str, Any]:
    values = values_of(file.recipe) | {"variations": file.variations, "new_seed": False}
    if not file.recipe.frames:
        del values["frames"]
    return values


def _take_parts(settings: GENMM_PG_character, parts: Iterable[PartSpec]) -> None:
    settings.part_list.clear()
    for spec in parts:
        part = add_part(settings, spec.name, spec.bones)
        if spec.examples is not None and settings.examples:
            part.use_examples = True
            for number in range(len(settings.examples)):
                if number not in spec.examples:
                    part.excluded.add().number = number


def _part_of(settings: GENMM_PG_character, bones: tuple[str, ...]) -> str:
    """Return the name of the part with these bones, which is added where it is missing."""
    for part in settings.part_list:
        if set(bones_of(part)) == set(bones):
            return str(part.name)
    return str(add_part(settings, KEPT, bones).name)
