# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings files: a request in a readable file, exported by the panel and read by the command line."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bpy.types import Object

from ..animation.reading.examples import ExampleSpec
from ..core import InputError
from ..core.storage import LONGEST_TEXT, Malformed, parse_object, plain, read_bounded, read_record
from .recipe import VERSION, DataBlock, Recipe, recipe_from_request, request_from_recipe, up_to_date
from .request import MOST_VARIATIONS, Request

KIND = "settings"
ENDING = ".json"
_UNSAID: dict[str, Any] = {"character": {"name": ""}, "examples": [], "frames": 0, "seed": 0}


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
