# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes of results, stored with them, and settings files, which are recipes that may leave things open."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from bpy.types import ID, Object

from ..animation.reading.examples import ExampleSpec
from ..character.tags import CHARACTER as CHARACTER_ROLE
from ..character.tags import RECIPE_PROPERTY, tag_of
from ..core import InputError, Settings
from ..core.fields import UNSAID, check_ranges, settings_in
from ..core.storage import LONGEST_TEXT, Malformed, parse_object, plain, read_bounded, read_record
from .records.by_name import CHARACTER, ByName, find, stands_for, to_blocks, to_names
from .records.by_name import DataBlock as DataBlock
from .request import MOST_VARIATIONS, Request

PROPERTY = RECIPE_PROPERTY
VERSION = 4
"""Raised when a field changes its meaning; MIGRATIONS then brings older recipes up to date."""


MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""By version, the function that converts a recipe's values to the next version; new settings need none."""
KIND = "settings"
ENDING = ".json"
_UNSAID: dict[str, Any] = {"character": {"name": ""}, "examples": [], "frames": 0, "seed": 0}


@stands_for(Request, armature="character", seeds="seed")
class Recipe(ByName):
    """The origin of one result: a `Request` with a single seed, and data-blocks by name."""

    character: DataBlock
    seed: int


def recipe_from_request(request: Request, seed: int) -> Recipe:
    """Return the recipe of the request's result with this seed."""
    values = to_names(request, seeds=seed)
    return Recipe(character=values.pop("armature"), seed=values.pop("seeds"), **values)


def request_from_recipe(recipe: Recipe, *, armature: Object | None = None) -> Request:
    """Return the request that makes the result again, on its own character or on another `armature`.

    Raises InputError that names a character or action missing from this file, or a value out of range.
    """
    character = armature or character_of_recipe(recipe)
    request: Request = to_blocks(Request, recipe, armature=character, seeds=(recipe.seed,))
    return request


def check_recipe(recipe: Recipe) -> None:
    """Raise InputError for a number in the recipe that is out of range for a request."""
    check_ranges(recipe)
    settings_in(Request)["seeds"].properties[0].check(recipe.seed)


def character_of_recipe(recipe: Recipe) -> Object:
    """Return the character that the recipe's result was made from. Raises InputError where it is no longer there."""
    character: Object = find(CHARACTER, recipe.character)
    return character


def to_json(recipe: Recipe) -> str:
    """Return the recipe as text."""
    return json.dumps({"version": VERSION, **plain(recipe)}, allow_nan=False)


def from_json(text: str) -> Recipe:
    """Return the recipe in a text. Raises InputError for any other text."""
    try:
        return read_record(Recipe, up_to_date(parse_object(text), "recipe"))
    except Malformed as error:
        raise InputError(f"{error}; generate the motion again.") from error


def up_to_date(values: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the values of a recipe's text, converted to this version. Raises InputError for a newer version."""
    version = values.pop("version", None)
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise Malformed(f"The {name} does not say its version")
    if version > VERSION:
        raise InputError(f"The {name} was made by a newer GenMM; update the extension to use it.")
    for older in range(version, VERSION):
        values = MIGRATIONS.get(older, dict)(_with_later_settings(values, older + 1))
    return values


def _with_later_settings(values: dict[str, Any], version: int) -> dict[str, Any]:
    """Return the values with settings that a version added set to the former behavior, to give the same result."""
    settings = values.get("settings", {})
    if isinstance(settings, dict):
        values["settings"] = _before(Settings, version) | settings
    return _before(Request, version) | values


def _before(kind: type, version: int) -> dict[str, Any]:
    """Return the settings that a version added, with the values that give the former behavior."""
    came = {name: item for name, item in settings_in(kind).items() if item.since == version}
    return {name: plain(item.before) for name, item in came.items() if item.before is not UNSAID}


def store(block: ID, recipe: Recipe) -> None:
    """Store the recipe on an object or action."""
    block[PROPERTY] = to_json(recipe)


def character_behind(thing: Object) -> Object:
    """Return the character that a generated character was made from, while a scene has it; else the object itself."""
    tag, text = tag_of(thing), thing.get(PROPERTY)
    if tag is None or tag.role != CHARACTER_ROLE or not isinstance(text, str):
        return thing
    reference = _character_in(text)
    try:
        source = thing if reference is None else find(CHARACTER, reference)
    except InputError:
        return thing
    return source if source.users_scene and tag_of(source) is None else thing


@lru_cache(maxsize=256)
def _character_in(text: str) -> DataBlock | None:
    """Return the character of a recipe, which panels ask for at every redraw."""
    try:
        return from_json(text).character
    except InputError:
        return None


def recipe_of(block: ID) -> Recipe | None:
    """Return the recipe stored on an object or action, or else on the object's active action; None without one.

    Raises InputError where the stored value is not a recipe.
    """
    text = block.get(PROPERTY)
    if text is None and isinstance(block, Object) and block.animation_data and block.animation_data.action:
        text = block.animation_data.action.get(PROPERTY)
    if text is None:
        return None
    if not isinstance(text, str):
        raise InputError(f'The recipe stored on "{block.name}" is not text; generate the motion again.')
    return from_json(text)


@dataclass(frozen=True)
class FileSettings:
    """The content of a settings file; the caller chooses the character, examples and length where they are left out.

    variations: the number of seeds, from the recipe's on.
    """

    recipe: Recipe
    variations: int = 1

    @property
    def character(self) -> DataBlock | None:
        """Return the character it was exported from."""
        return self.recipe.character if self.recipe.character.name else None

    def request(self, armature: Object, examples: tuple[ExampleSpec, ...] = ()) -> Request:
        """Return the request for a character, with these examples or, without any, with the settings file's.

        Raises InputError that names what the open file does not have.
        """
        recipe = replace(self.recipe, frames=max(self.recipe.frames, 1))
        if examples:
            recipe = replace(recipe, examples=())
        request = request_from_recipe(recipe, armature=armature)
        seeds = tuple(range(recipe.seed, recipe.seed + self.variations))
        return replace(request, examples=examples or request.examples, seeds=seeds)


def without_examples(file: FileSettings) -> FileSettings:
    """Return a file's settings without its examples, to use others."""
    return replace(file, recipe=replace(file.recipe, examples=()))


def settings_text(request: Request) -> str:
    """Return the request as the text of a settings file."""
    values = plain(recipe_from_request(request, request.seeds[0]))
    file = {"genmm": KIND, "version": VERSION, "variations": len(request.seeds), **values}
    return json.dumps(file, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def read_settings(path: Path) -> FileSettings:
    """Return the settings in a file, with defaults for missing ones. Raises InputError for any other file."""
    name = f'settings file "{path.name}"'
    try:
        values = parse_object(read_bounded(path, LONGEST_TEXT, name), name)
        if values.pop("genmm", None) != KIND:
            raise Malformed(f'The {name} does not begin with "genmm": "{KIND}"')
        variations = values.pop("variations", 1)
        if isinstance(variations, bool) or not isinstance(variations, int) or not 1 <= variations <= MOST_VARIATIONS:
            raise Malformed(f"The {name}'s variations are not a whole number from 1 to {MOST_VARIATIONS:,}")
        return FileSettings(read_record(Recipe, _UNSAID | up_to_date(values, name), name), variations)
    except OSError as error:
        raise InputError(f'The settings file "{path}" cannot be read: {error.strerror}.') from error
    except Malformed as error:
        raise InputError(f"{error}; correct it, or export it from the panel again.") from error
