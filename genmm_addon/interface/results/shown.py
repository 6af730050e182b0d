# SPDX-License-Identifier: GPL-3.0-or-later
"""The variations that the sidebar lists, and their recipes."""

import math
from collections.abc import Iterable

import bpy
from bpy.types import Action, Object, Scene

from ...character.tags import CHARACTER, tagged
from ...generation.recipe import PROPERTY as RECIPE
from ...generation.request import Output
from ...generation.results import Variation, variations_of
from ...generation.sources import sources_of
from ...state.properties import readable_settings


def shown_variations(character: Object | None, scene: Scene) -> list[Variation]:
    """Return the variations of the batch that the character belongs to or plays, or else of its last batch."""
    if character is None:
        return []
    own = variations_of(character)
    last_batch = readable_settings(character, scene).last_batch
    if own or not last_batch:
        return own
    marked = tagged(bpy.data.objects, last_batch)
    rigs = [rig for rig, tag in marked if tag.role == CHARACTER]
    return variations_of(rigs[0]) if rigs else []


def is_separate(variation: Variation) -> bool:
    """Return whether the variation is a character of its own."""
    return variation.output is Output.NEW_CHARACTER


def last_frame(variations: Iterable[Variation]) -> int:
    """Return the last frame of the longest motion; 0 where it is not known."""
    sources = [sources_of(variation.action) for variation in variations]
    return max((math.ceil(found.frame_start + found.frames - 1) for found in sources if found is not None), default=0)


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


def is_of_library(action: Action) -> bool:
    """Return whether a result was made from a library's clips."""
    text = action.get(RECIPE)
    return isinstance(text, str) and '"library": {' in text
