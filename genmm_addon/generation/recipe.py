# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipe of a result: all it takes to make it again, as text that lives on the result."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import ID, Action, Object

from ..animation.reading import ExampleSpec
from ..character.tags import RECIPE_PROPERTY
from ..core import InputError, Loop, Settings
from .direction import CompletionSpec, PartSpec, PathSpec, PathSpeed, PinsSpec
from .request import DEFAULT_SETTINGS, Output, PartMode, Request
from .typed_json import Malformed, parse, plain, read_record

PROPERTY = RECIPE_PROPERTY
VERSION = 2
"""Raised when a field changes its meaning; MIGRATIONS then brings older recipes up to date."""


def _without_feet(values: dict[str, Any]) -> dict[str, Any]:
    """Version 1 knew nothing of feet: run again, such a recipe does as it did."""
    settings = values.get("settings", {})
    if isinstance(settings, dict):
        values["settings"] = {"foot_locking": False, "contact_features": False, **settings}
    return values


MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: _without_feet}
"""By version: what turns a recipe's values into those of the next version."""


@dataclass(frozen=True)
class DataBlock:
    """A data-block by name, and the name of the library it is linked from ("": this file)."""

    name: str
    library: str = ""


@dataclass(frozen=True)
class ExampleRecipe:
    """One example: `reading.ExampleSpec` with its action by name (None: what the character plays as it stands)."""

    action: DataBlock | None
    slot: str = ""
    frame_start: float | None = None
    frame_end: float | None = None
    frames_per_second: float | None = None
    skip_first_frame: bool = False
    armature: DataBlock | None = None


@dataclass(frozen=True)
class PinsRecipe:
    """`direction.PinsSpec` with its action by name."""

    action: DataBlock
    slot: str = ""


@dataclass(frozen=True)
class CompletionRecipe:
    """`direction.CompletionSpec` with its action by name."""

    action: DataBlock
    bones: tuple[str, ...]
    slot: str = ""
    frame_start: float | None = None
    frame_end: float | None = None
    frames_per_second: float | None = None


@dataclass(frozen=True)
class PathRecipe:
    """`direction.PathSpec` with its curve by name."""

    curve: DataBlock
    speed: PathSpeed = PathSpeed.EXAMPLES
    along: bool = True
    climbs: bool = False


@dataclass(frozen=True)
class Recipe:
    """What one result was made of: `request.Request` with a single seed, and data-blocks by name."""

    character: DataBlock
    examples: tuple[ExampleRecipe, ...]
    frames: int
    seed: int
    settings: Settings = DEFAULT_SETTINGS
    part_mode: PartMode = PartMode.WHOLE_BODY
    visual: bool | None = None
    output: Output = Output.NEW_CHARACTER
    tolerance: float = 0.0
    extend_playback: bool = False
    frame_start: float | None = None
    loop: Loop = Loop.OFF
    parts: tuple[PartSpec, ...] = ()
    pins: PinsRecipe | None = None
    completion: CompletionRecipe | None = None
    path: PathRecipe | None = None
    bone_names: tuple[tuple[str, str], ...] = ()


# What a request and its recipe hold alike.
_SHARED = (
    "frames",
    "settings",
    "part_mode",
    "visual",
    "output",
    "tolerance",
    "extend_playback",
    "frame_start",
    "loop",
    "parts",
    "bone_names",
)
_SHARED_OF_PINS = ("slot",)
_SHARED_OF_COMPLETION = ("bones", "slot", "frame_start", "frame_end", "frames_per_second")
_SHARED_OF_PATH = ("speed", "along", "climbs")
_SHARED_OF_EXAMPLE = ("slot", "frame_start", "frame_end", "frames_per_second", "skip_first_frame")


def recipe_from_request(request: Request, seed: int) -> Recipe:
    """The recipe of the request's result with this seed."""
    examples = tuple(
        ExampleRecipe(
            None if example.action is None else _named(example.action),
            armature=None if example.armature is None else _named(example.armature),
            **_values(example, _SHARED_OF_EXAMPLE),
        )
        for example in request.examples
    )
    pins, completion, path = request.pins, request.completion, request.path
    return Recipe(
        _named(request.armature),
        examples,
        seed=seed,
        pins=None if pins is None else PinsRecipe(_named(pins.action), **_values(pins, _SHARED_OF_PINS)),
        completion=None
        if completion is None
        else CompletionRecipe(_named(completion.action), **_values(completion, _SHARED_OF_COMPLETION)),
        path=None if path is None else PathRecipe(_named(path.curve), **_values(path, _SHARED_OF_PATH)),
        **_values(request, _SHARED),
    )


def request_from_recipe(recipe: Recipe, *, armature: Object | None = None) -> Request:
    """The request that makes the result again, on its own character or on another `armature`.

    Raises InputError naming the character or action that is no longer in this file, or the value out of its range.
    """
    character = armature or _find_character(recipe.character)
    examples = tuple(
        ExampleSpec(
            None if example.action is None else _find_action(example.action),
            armature=None if example.armature is None else _find_character(example.armature),
            **_values(example, _SHARED_OF_EXAMPLE),
        )
        for example in recipe.examples
    )
    pins, completion, path = recipe.pins, recipe.completion, recipe.path
    return Request(
        character,
        examples,
        seeds=(recipe.seed,),
        pins=None if pins is None else PinsSpec(_find_action(pins.action), **_values(pins, _SHARED_OF_PINS)),
        completion=None
        if completion is None
        else CompletionSpec(_find_action(completion.action), **_values(completion, _SHARED_OF_COMPLETION)),
        path=None if path is None else PathSpec(_find_curve(path.curve), **_values(path, _SHARED_OF_PATH)),
        **_values(recipe, _SHARED),
    )


def character_of_recipe(recipe: Recipe) -> Object:
    """Return the character that the recipe's result was made from. Raises InputError where it is no longer there."""
    return _find_character(recipe.character)


def to_json(recipe: Recipe) -> str:
    """The recipe as text."""
    return json.dumps({"version": VERSION, **plain(recipe)}, allow_nan=False)


def from_json(text: str) -> Recipe:
    """The recipe in a text; raises InputError for whatever is not one."""
    try:
        return read_record(Recipe, up_to_date(parse(text), "recipe"))
    except Malformed as error:
        raise InputError(f"{error}; generate the motion anew.") from error


def up_to_date(values: dict[str, Any], name: str) -> dict[str, Any]:
    """The values of a recipe's text as this version has them. Raises InputError where they are newer."""
    version = values.pop("version", None)
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise Malformed(f"The {name} does not say its version")
    if version > VERSION:
        raise InputError(f"The {name} was made by a newer GenMM; update the extension to use it.")
    for older in range(version, VERSION):
        values = MIGRATIONS[older](values)
    return values


def store(block: ID, recipe: Recipe) -> None:
    """Keep the recipe on an object or action."""
    block[PROPERTY] = to_json(recipe)


def recipe_of(block: ID) -> Recipe | None:
    """The recipe kept on an object or action, or else on the object's active action; None where there is none.

    Raises InputError when what is kept there is no recipe.
    """
    text = block.get(PROPERTY)
    if text is None and isinstance(block, Object) and block.animation_data and block.animation_data.action:
        text = block.animation_data.action.get(PROPERTY)
    if text is None:
        return None
    if not isinstance(text, str):
        raise InputError(f'The recipe kept on "{block.name}" is not a text; generate the motion anew.')
    return from_json(text)


def _values(holder: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(holder, name) for name in names}


def _named(block: ID) -> DataBlock:
    return DataBlock(block.name, _library_of(block))


def _library_of(block: ID) -> str:
    return block.library.name if block.library else ""


def _find_character(wanted: DataBlock) -> Object:
    found = _find(bpy.data.objects, wanted)
    if not isinstance(found, Object) or found.type != "ARMATURE":
        raise InputError(f'Character "{wanted.name}" is no longer in this file; rename it back or link it again.')
    return found


def _find_action(wanted: DataBlock) -> Action:
    found = _find(bpy.data.actions, wanted)
    if not isinstance(found, Action):
        raise InputError(f'Action "{wanted.name}" is no longer in this file; rename it back or choose another example.')
    return found


def _find_curve(wanted: DataBlock) -> Object:
    found = _find(bpy.data.objects, wanted)
    if not isinstance(found, Object) or found.type != "CURVE":
        raise InputError(f'Curve "{wanted.name}" is no longer in this file; rename it back or choose another path.')
    return found


def _find(blocks: Iterable[ID], wanted: DataBlock) -> ID | None:
    # By the library's name: its path is absolute until the file is saved, and relative afterwards.
    return next((block for block in blocks if block.name == wanted.name and _library_of(block) == wanted.library), None)
