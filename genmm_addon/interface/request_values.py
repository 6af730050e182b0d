# SPDX-License-Identifier: GPL-3.0-or-later
"""Between the values that a panel or an operator shows and the requests that they mean."""

import json
import math
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..core import Facing, Loop, Settings
from ..core.counted import counted
from ..generation.direction import PathSpec, PathSpeed
from ..generation.recipe import Recipe
from ..generation.request import LARGEST_SEED, Output, PartMode, Request
from ..generation.result_writing import Places
from ..generation.results import Result
from .bone_lists import feet_of, foot_rows, set_rows, weight_rows, weights_of
from .generation_properties import GenerationProperties, generation_names
from .properties import GENMM_PG_character

SEEDS_TO_DRAW = 1_000_000
"""New seeds are below this: still readable, and hardly ever the same twice."""

CONTACTS = {"AUTO": None, "ON": True, "OFF": False}
VISUAL = {"AUTO": None, "CHANNELS": False, "VISUAL": True}


def with_values(request: Request, values: GenerationProperties) -> Request:
    """The request for the same character and examples, all else as the values say. Raises InputError."""
    return replace(
        request,
        frames=values.frames,
        frame_start=_frame_start(request, values),
        seeds=seeds_of(values.seed, values.variations),
        settings=settings_of(values),
        part_mode=PartMode(values.parts),
        visual=VISUAL[values.channels],
        output=Output(values.output),
        tolerance=values.tolerance if values.thin_keys else 0.0,
        extend_playback=values.extend_playback,
        loop=Loop(values.loop),
        parts=request.parts if values.parts == PartMode.PAINTED.value else (),
        pins=request.pins if values.use_pins else None,
        completion=request.completion if values.use_completion else None,
        path=_path_as_shown(request, values) if values.use_path else None,
    )


def _frame_start(request: Request, values: GenerationProperties) -> float | None:
    """Where it begins; None is the scene's start. What a recipe says between two frames stays while it is shown so."""
    if values.start_at == "SCENE_START":
        return None
    shown = None if request.frame_start is None else round(request.frame_start)
    return request.frame_start if values.start_at == "PLAYHEAD" or shown == values.start_frame else values.start_frame


def _path_as_shown(request: Request, values: GenerationProperties) -> PathSpec | None:
    if request.path is None:
        return None
    speed = PathSpeed(values.path_speed)
    return replace(request.path, speed=speed, along=values.path_along, climbs=values.path_climbs)


def seeds_of(first: int, variations: int) -> tuple[int, ...]:
    """One seed for each variation: the first and those that follow, beginning again at 0 after the largest."""
    return tuple((first + number) % (LARGEST_SEED + 1) for number in range(variations))


def draw_seed() -> int:
    """Another seed each time."""
    return secrets.randbelow(SEEDS_TO_DRAW)


def panel_values(settings: GENMM_PG_character) -> dict[str, Any]:
    """All values of a panel by name, with the seed that this press takes."""
    taken = {name: getattr(settings, name) for name in generation_names()}
    taken["feet"] = foot_rows(feet_of(settings.feet))
    taken["joint_weights"] = weight_rows(weights_of(settings.joint_weights))
    if settings.new_seed:
        taken["seed"] = draw_seed()
    return taken


def show_adjusted(settings: GENMM_PG_character, values: GenerationProperties, length: int) -> None:
    """Set the panel to what was changed in Adjust Last Operation; what is as it was there stays untouched.

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
    """Give a property its value; a list takes its rows as dictionaries."""
    if isinstance(value, list):
        set_rows(getattr(values, name), value)
    else:
        setattr(values, name, value)


def settings_of(values: GenerationProperties) -> Settings:
    """The method's parameters. Raises InputError."""
    return Settings(
        patch_frames=values.patch_frames,
        coarsest_patches=_plain(values.coarsest_patches),
        pyramid_factor=_plain(values.pyramid_factor),
        completeness=_plain(values.completeness) if values.use_completeness else None,
        iterations=values.iterations,
        noise=_plain(values.noise),
        facing=Facing(values.facing),
        root=values.root_bone or None,
        feet=feet_of(values.feet) if values.feet_choice == "CHOSEN" else None,
        foot_locking=values.foot_locking,
        contact_features=CONTACTS[values.contact_features],
        joint_weights=weights_of(values.joint_weights),
    )


def values_of(recipe: Recipe) -> dict[str, Any]:
    """What a panel would show for the recipe, by property name; what is switched off is left at its default."""
    settings = recipe.settings
    values: dict[str, Any] = {
        "frames": recipe.frames,
        "variations": 1,
        "seed": recipe.seed,
        "output": recipe.output.value,
        "channels": next(name for name, visual in VISUAL.items() if visual is recipe.visual),
        "thin_keys": recipe.tolerance > 0,
        "extend_playback": recipe.extend_playback,
        "patch_frames": settings.patch_frames,
        "coarsest_patches": settings.coarsest_patches,
        "pyramid_factor": settings.pyramid_factor,
        "use_completeness": settings.completeness is not None,
        "iterations": settings.iterations,
        "noise": settings.noise,
        "facing": settings.facing.value,
        "root_bone": settings.root or "",
        "parts": recipe.part_mode.value,
        "foot_locking": settings.foot_locking,
        "contact_features": next(name for name, on in CONTACTS.items() if on is settings.contact_features),
        "feet_choice": "AUTO" if settings.feet is None else "CHOSEN",
        "feet": foot_rows(settings.feet or ()),
        "joint_weights": weight_rows(settings.joint_weights),
    }
    values |= {
        "loop": recipe.loop.value,
        "start_at": "SCENE_START" if recipe.frame_start is None else "FRAME",
        "use_pins": recipe.pins is not None,
        "use_completion": recipe.completion is not None,
        "use_path": recipe.path is not None,
    }
    if recipe.path is not None:
        path = recipe.path
        values |= {"path_speed": path.speed.value, "path_along": path.along, "path_climbs": path.climbs}
    if recipe.frame_start is not None:
        values["start_frame"] = round(recipe.frame_start)
    if recipe.tolerance > 0:
        values["tolerance"] = recipe.tolerance
    if settings.completeness is not None:
        values["completeness"] = settings.completeness
    return values


def places_of(text: str) -> Places:
    """Return the places in an operator's text; none for any other text."""
    try:
        places = tuple((float(x), float(y), float(z)) for x, y, z in json.loads(text or "[]"))
    except (ValueError, TypeError):
        return ()
    return places if all(math.isfinite(value) for place in places for value in place) else ()


def places_text(results: Sequence[Result]) -> str:
    """Return the places of the results as a text for `places_of`; "" where they have none of their own."""
    places = [result.place for result in results if result.place is not None]
    return json.dumps(places) if places else ""


def summary(request: Request) -> str:
    """What was made, in a sentence."""
    count = len(request.seeds)
    seeds = f"seed {request.seeds[0]}" if count == 1 else f"seeds {request.seeds[0]} to {request.seeds[-1]}"
    return f"{counted(count, 'motion')} of {counted(request.frames, 'frame')} generated ({seeds})."


def _plain(value: float) -> float:
    # Blender's single precision makes 0.95 a little more than the largest pyramid factor, 0.95.
    return float(f"{value:.6g}")
