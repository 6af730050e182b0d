# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets and settings files taken into a panel, and presets written."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from bpy.types import Object, Scene

from ..core import InputError
from ..core.fields import preset_properties
from ..core.storage import LONGEST_TEXT, Malformed, parse_literal, read_bounded, whole_file
from ..generation.direction import PartSpec
from ..generation.recipe import FileSettings, check_recipe
from ..generation.request import RECORDS
from ..state.bone_lists import set_rows
from ..state.properties import GENMM_PG_character, ensure_settings
from .part_values import add_part, bones_of
from .request_values import set_value, values_of

SUBFOLDER = "genmm/method"
SHIPPED = str(Path(__file__).parents[1] / "interface")
"""The folder that holds the extension's own `presets`; Blender keeps those from being removed."""
PROPERTIES = preset_properties(*RECORDS)
"""Properties in presets, by name; settings that name bones (root, feet, weights) are left out, since they fit one
character only."""
KEPT = "Keep Part"


def write_preset(settings: GENMM_PG_character, path: Path) -> None:
    """Write the method's parameters, one `name = value` per line, as a whole or not at all. Raises OSError."""
    lines = [f"{name} = {_rounded(getattr(settings, name))!r}\n" for name in PROPERTIES]
    with whole_file(path) as unfinished:
        unfinished.write_text("".join(lines), encoding="utf-8")


def _rounded(value: object) -> object:
    # Blender stores single precision: 0.01 would be written as 0.009999999776482582.
    return float(f"{value:.6g}") if isinstance(value, float) else value


def read_preset(path: Path) -> dict[str, object]:
    """Return the values of all PROPERTIES for a preset file, which is parsed and never run.

    What a file does not name has its default, so that a preset always means the same. Raises InputError for any other
    file.
    """
    try:
        lines = read_bounded(path, LONGEST_TEXT).decode("utf-8-sig").splitlines()
        written = {name: parse_literal(value) for name, value in _assignments(lines)}
    except (OSError, UnicodeDecodeError, Malformed) as error:
        raise InputError(f"The preset {path.stem!r} cannot be read; save it again.") from error
    try:
        named = {name: PROPERTIES[name].taken(value) for name, value in written.items()}
    except InputError as error:
        raise InputError(f"The preset {path.stem!r} has an invalid value: {error}") from error
    return {name: shown.default for name, shown in PROPERTIES.items()} | named


def _assignments(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each line `name = value` with one of our names."""
    for line in lines:
        name, _, value = (piece.strip() for piece in line.partition("="))
        if name in PROPERTIES:
            yield name, value


def apply_preset(settings: GENMM_PG_character, path: Path) -> None:
    """Set the method's parameters from a preset file. Raises InputError, with nothing set, if a value does not fit."""
    for name, value in read_preset(path).items():
        setattr(settings, name, value)


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
