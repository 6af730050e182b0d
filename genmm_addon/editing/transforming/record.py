# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipe of a transformed action, stored on it: the actions it was made from, and the values."""

import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from bpy.types import Action

from ...core.storage import Malformed, read_record, stored
from ..edit_task import EditTask

PROPERTY = "genmm_transformed"
STYLE, BLEND, ATTRIBUTES = "style", "blend", "attributes"


@dataclass(frozen=True)
class EditRecipe:
    """The origin of an action. kind: STYLE, BLEND or ATTRIBUTES; content: the action that it was made from.

    example: the other action, or "" with a library, given by its file and tags. strength: of the style; share: of the
    other motion, -1 for keys over time. attributes: the requested values. clips: the examples' names.
    """

    kind: str
    content: str
    example: str = ""
    library: str = ""
    tags: str = ""
    strength: float = 1.0
    keep_timing: bool = True
    posture_only: bool = False
    share: float = 0.0
    attributes: str = ""
    clips: tuple[str, ...] = ()


def recipe_for(task: EditTask, kind: str, clips: tuple[str, ...]) -> EditRecipe:
    """Return the recipe of a new action of a kind, without its values; clips: the examples that were used."""
    library = task.examples.library
    files, tags = (library.files, library.tags) if library else (("",), "")
    return EditRecipe(kind, task.action.name, library=files[0], tags=tags, clips=clips)


def keep_recipe(action: Action, recipe: EditRecipe) -> None:
    """Store the recipe on an action."""
    action[PROPERTY] = json.dumps(asdict(recipe))


def recipe_of(action: Action | None) -> EditRecipe | None:
    """Return the recipe of a transformed action; None for any other, and where it cannot be read."""
    values, names = (
        stored(action, PROPERTY, dict[str, Any]) or {},
        {field.name for field in fields(EditRecipe)},
    )
    try:
        return read_record(EditRecipe, {name: value for name, value in values.items() if name in names})
    except Malformed:
        return None


def recipe_text(recipe: EditRecipe) -> str:
    """Return a recipe in words."""
    if recipe.kind == ATTRIBUTES:
        return f"{recipe.content}, {recipe.attributes}"
    other = recipe.example or recipe.tags or "a library"
    if recipe.kind == BLEND:
        share = "over time" if recipe.share < 0 else f"{recipe.share:.0%}"
        return f"{recipe.content}, {share} {other}"
    aspect = "posture of" if recipe.posture_only else "style of"
    timing = "" if recipe.keep_timing else ", its tempo"
    return f"{recipe.content}, {aspect} {other}, strength {recipe.strength:.3g}{timing}"
