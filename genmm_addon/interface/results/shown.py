# SPDX-License-Identifier: GPL-3.0-or-later
"""The variations that the sidebar lists, and their recipes."""

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

import bpy
from bpy.types import Action, Object, Scene

from ...character.tags import CHARACTER, tag_of, tagged
from ...core import InputError, counted
from ...generation.measures import Measures
from ...generation.recipe import PROPERTY as RECIPE
from ...generation.recipe import from_json
from ...generation.request import Output
from ...generation.results import Variation, current_variation, variations_of
from ...generation.sources import sources_of
from ...state.properties import readable_settings


def shown_variations(character: Object | None, scene: Scene) -> list[Variation]:
    """Return the variations of the batch that the character belongs to, else of its last press, else that it plays."""
    if character is None:
        return []
    last_batch = readable_settings(character, scene).last_batch
    if last_batch and tag_of(character) is None:
        rigs = [rig for rig, tag in tagged(bpy.data.objects, last_batch) if tag.role == CHARACTER]
        if rigs:
            return variations_of(rigs[0])
    return variations_of(character)


def current_of(variations: Sequence[Variation], character: Object | None) -> Variation | None:
    """Return which of the shown variations the character is or plays; None where it is none of them."""
    current = current_variation(character)
    return current if current is not None and current.batch in {variation.batch for variation in variations} else None


def is_separate(variation: Variation) -> bool:
    """Return whether the variation is a character of its own."""
    return variation.output is Output.NEW_CHARACTER


def last_frame(variations: Iterable[Variation]) -> int:
    """Return the last frame of the longest motion; 0 where it is not known."""
    sources = [sources_of(variation.action) for variation in variations]
    return max(
        (math.ceil(source.frame_start + source.frames - 1) for source in sources if source is not None), default=0
    )


def beyond_playback(variations: Iterable[Variation], scene: Scene) -> int:
    """Return the last frame where it lies after the scene's end; else 0."""
    last = last_frame(variations)
    return last if last > scene.frame_end else 0


def recipe_text(variation: Variation) -> str:
    """Return the text of the recipe stored on the variation; "" where it is gone."""
    for block in (variation.action, variation.object):
        text = None if block is None else block.get(RECIPE)
        if isinstance(text, str):
            return text
    return ""


@lru_cache(maxsize=64)
def made_with(text: str) -> list[tuple[str, str]]:
    """Return the panel's lines on the recipe of a result: a name and a value for each; none for a damaged one."""
    try:
        recipe = from_json(text) if text else None
    except InputError:
        recipe = None
    if recipe is None:
        return []
    names = [example.action.name for example in recipe.examples if example.action is not None]
    lines = [
        ("Character", recipe.character.name),
        ("Seed", str(recipe.seed)),
        ("Length", counted(recipe.frames, "frame")),
        *zip(("Examples", "", ""), names, strict=False),
        ("", f"and {len(names) - 3} more" if len(names) > 3 else ""),
    ]
    return [(name, value) for name, value in lines if value]


def measured_words(measures: Measures | None) -> list[str]:
    """Return a result's cuts, frames with limbs through the body, and foot skate for its row in the list.

    Rows fit a sidebar as wide as at first, unless they name the body; the unit of skate is in the panel's lines.

    >>> measured_words(Measures(skate=1.24, visible_transitions=(30,), frames_through_body=12))
    ['1 cut', '12 in body', 'skate 1.2']
    """
    words = []
    if measures is not None and measures.visible_transitions is not None:
        shown = len(measures.visible_transitions)
        words.append(counted(shown, "cut") if shown else "no cuts")
    if measures is not None and measures.frames_through_body:
        words.append(f"{measures.frames_through_body} in body")
    if measures is not None and measures.skate is not None:
        words.append(f"skate {measures.skate:.1f}")
    return words


def measured_lines(measures: Measures | None) -> list[tuple[str, str]]:
    """Return the panel's lines: a name and a value for each measure."""
    lines: list[tuple[str, str]] = []
    if measures is None:
        return lines
    if measures.coverage is not None:
        lines.append(("Coverage", f"{measures.coverage:.0%} of the examples"))
    if measures.diversity is not None:
        lines.append(("Diversity", f"{measures.diversity:.0%} of their variation"))
    if measures.skate is not None and measures.example_skate is not None:
        lines.append(("Foot Skate", f"{measures.skate:.1f} cm/s (examples {measures.example_skate:.1f})"))
    if measures.frames_through_body:
        lines.append(("Through Body", counted(measures.frames_through_body, "frame")))
    lines += [(f"Followed {match.driven.title()}", match.text) for match in measures.followed]
    return lines


def is_of_library(action: Action) -> bool:
    """Return whether a result was made from a library's clips."""
    text = action.get(RECIPE)
    return isinstance(text, str) and '"library": {' in text
