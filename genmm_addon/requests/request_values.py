# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of panels and operators as requests, and requests as values."""

import json
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bpy.types import Object, Scene

from ..core import Settings, counted
from ..core.fields import fields_meant, values_shown
from ..core.storage import Malformed, parse_json, read_value
from ..generation.recipe import Recipe
from ..generation.records.conversions import seeds_of as seeds_of
from ..generation.request import DEFAULT_SETTINGS, PartMode, Request
from ..generation.result_writing import Places
from ..generation.results import Result
from ..state.bone_lists import feet_of, foot_rows, set_rows, weight_rows, weights_of
from ..state.properties import GENMM_PG_character, readable_settings
from ..state.setting_properties import GenerationProperties, generation_names
from .choices import ChosenExample, chosen_examples
from .direction_values import with_direction
from .length import shown_length
from .library_values import library_choice

SEEDS_TO_DRAW = 1_000_000
"""New seeds are below this number: short enough to read, and rarely repeated. No run has more seeds."""


def plain_request(character: Object, settings: GENMM_PG_character, frames: int) -> tuple[Request, list[ChosenExample]]:
    """Return a request with nothing but what the character learns from, and the choices of its examples.

    Raises InputError without an example or a library.
    """
    library = library_choice(settings)
    choices = [] if library is not None else chosen_examples(character, settings.examples)
    return Request(character, tuple(choice.spec for choice in choices), frames, library=library), choices


def panel_request(character: Object, scene: Scene) -> tuple[Request, list[ChosenExample]]:
    """Return the request of Generate for this character, with the panel's seed, and the choices of its examples.

    Raises InputError where Generate is impossible.
    """
    settings = readable_settings(character, scene)
    length = shown_length(settings, character, scene)
    plain, choices = plain_request(character, settings, length)
    from_panel = with_direction(plain, settings, painted=settings.parts == PartMode.PAINTED.value)
    request = replace(with_values(from_panel, settings), frames=length)
    if settings.start_at == "PLAYHEAD":
        request = replace(request, frame_start=float(scene.frame_current))
    return request, choices


def with_values(request: Request, values: GenerationProperties) -> Request:
    """Return the request with all but its character and examples taken from the values. Raises InputError."""
    return replace(request, **fields_meant(request, values))


def draw_seed() -> int:
    """Return a random seed."""
    return secrets.randbelow(SEEDS_TO_DRAW)


def panel_values(settings: GENMM_PG_character) -> dict[str, Any]:
    """Return all values of a panel by name, with the seed for this press."""
    taken = {name: getattr(settings, name) for name in generation_names()}
    taken["feet"] = foot_rows(feet_of(settings.feet))
    taken["joint_weights"] = weight_rows(weights_of(settings.joint_weights))
    if settings.new_seed:
        taken["seed"] = draw_seed()
    return taken


def show_adjusted(settings: GENMM_PG_character, values: GenerationProperties, length: int) -> None:
    """Set the panel to the values changed in Adjust Last Operation; unchanged values are not set.

    length: the length that the panel shows.
    """
    shown = panel_values(settings) | {"frames": length}
    for name, before in shown.items():
        now: Any = getattr(values, name)
        if isinstance(before, list):
            now = foot_rows(feet_of(now)) if name == "feet" else weight_rows(weights_of(now))
        if now != before and not (settings.start_at == "PLAYHEAD" and name.startswith("start_")):
            set_value(settings, name, now)


def set_value(values: GenerationProperties, name: str, value: Any) -> None:
    """Set a property; the value of a list is its rows, as dictionaries."""
    if isinstance(value, list):
        set_rows(getattr(values, name), value)
    else:
        setattr(values, name, value)


def settings_of(values: GenerationProperties) -> Settings:
    """Return the method's parameters. Raises InputError."""
    return Settings(**fields_meant(DEFAULT_SETTINGS, values))


def values_of(recipe: Recipe) -> dict[str, Any]:
    """Return the panel's values for a recipe, by property; those of options switched off stay at their defaults."""
    return values_shown(recipe) | {"seed": recipe.seed, "variations": 1}


def places_of(text: str) -> Places:
    """Return the places in an operator's text; none where it cannot be read."""
    try:
        places: Places = read_value(tuple[tuple[float, float, float], ...], parse_json(text or "[]"), "places")
    except Malformed:
        return ()
    return places


def places_text(results: Sequence[Result]) -> str:
    """Return the places of the results as text for `places_of`; "" where they have none of their own."""
    places = [result.place for result in results if result.place is not None]
    return json.dumps(places) if places else ""


def summary(request: Request) -> str:
    """Return a sentence on what was generated."""
    count = len(request.seeds)
    seeds = f"seed {request.seeds[0]}" if count == 1 else f"seeds {request.seeds[0]} to {request.seeds[-1]}"
    return f"{counted(count, 'motion')} of {counted(request.frames, 'frame')} generated ({seeds})."
