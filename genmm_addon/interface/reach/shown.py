# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of a character's bones for its panel, with a sentence on those out of reach."""

from dataclasses import dataclass

import numpy as np
from bpy.types import Object

from ...animation.bone_places import PLACES, BonePlace, check_place, place_now
from ...animation.rig import read_skeleton
from ...core import InputError
from ...core.environment import why_out_of_reach
from ...state.properties import GENMM_PG_character


@dataclass(frozen=True)
class ShownPlaces:
    """Places of the list; problem: a sentence on why they cannot be reached, or ""."""

    places: tuple[BonePlace, ...]
    problem: str


def shown_places(character: Object, settings: GENMM_PG_character) -> ShownPlaces:
    """Return the places of a character's list, checked against the objects at the current frame."""
    places = PLACES.readable(settings.reaches)
    try:
        if not places:
            return ShownPlaces((), "")
        skeleton = read_skeleton(character)
        for place in places:
            check_place(place, character, skeleton)
        first, last = min(place.first for place in places), max(place.last for place in places)
        frames = np.arange(first, last + 1)
        reaches = [place_now(place, character, skeleton, frames) for place in places]
        return ShownPlaces(places, why_out_of_reach(skeleton, reaches, first=first))
    except InputError as error:
        return ShownPlaces(places, str(error))
