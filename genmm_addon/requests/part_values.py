# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion between the list of parts in the panel and the parts of a request."""

import colorsys
import math
from collections.abc import Iterable
from typing import Any

from bpy.types import Object
from mathutils import Color

from ..core import InputError
from ..generation.direction import PartSpec
from ..state.direction_properties import GENMM_PG_part
from ..state.properties import GENMM_PG_character
from .library_values import learns_from_library

GOLDEN_RATIO = (math.sqrt(5.0) - 1.0) / 2.0
Light = tuple[float, float, float]


def part_specs(settings: GENMM_PG_character) -> tuple[PartSpec, ...]:
    """Return the list's parts for a request. Raises InputError for an empty list and for a part without bones."""
    if not settings.part_list:
        raise InputError("The list of parts is empty; add one, or choose another value for Parts.")
    for part in settings.part_list:
        if not part.bones:
            raise InputError(f'The part "{part.name}" has no bones; add some or remove it.')
    return tuple(PartSpec(part.name, bones_of(part), examples_of(settings, part)) for part in settings.part_list)


def examples_of(settings: GENMM_PG_character, part: GENMM_PG_part) -> tuple[int, ...] | None:
    """Return the numbers of the examples that a part draws from, counted among those in use.

    None where the part does not choose, and for the clips of libraries.
    """
    if learns_from_library(settings) or not part.use_examples or not settings.examples:
        return None
    excluded = {row.number for row in part.excluded}
    used = [number for number, item in enumerate(settings.examples) if item.enabled and item.action is not None]
    return tuple(place for place, number in enumerate(used) if number not in excluded)


def bones_of(part: GENMM_PG_part) -> tuple[str, ...]:
    """Return the names of a part's bones, each once."""
    return tuple(dict.fromkeys(row.name for row in part.bones))


def forget_example(settings: GENMM_PG_character, number: int) -> None:
    """Renumber the parts' choices of examples after a row of the list was removed."""
    for part in settings.part_list:
        kept = [row.number for row in part.excluded if row.number != number]
        _set_excluded(part, (other - (other > number) for other in kept))


def swap_examples(settings: GENMM_PG_character, number: int, other: int) -> None:
    """Renumber the parts' choices of examples after two rows of the list changed places."""
    places = {number: other, other: number}
    for part in settings.part_list:
        _set_excluded(part, [places.get(row.number, row.number) for row in part.excluded])


def _set_excluded(part: GENMM_PG_part, numbers: Iterable[int]) -> None:
    chosen = sorted(set(numbers))
    part.excluded.clear()
    for number in chosen:
        part.excluded.add().number = number


def part_named(settings: GENMM_PG_character, name: str) -> GENMM_PG_part | None:
    """Return the first part of the list with this name."""
    part: GENMM_PG_part | None = next((part for part in settings.part_list if part.name == name), None)
    return part


def set_bones(part: GENMM_PG_part, bones: Iterable[str]) -> None:
    """Replace the part's bones."""
    part.bones.clear()
    for name in dict.fromkeys(bones):
        part.bones.add().name = name


def uncovered_bones(settings: GENMM_PG_character, character: Object) -> list[str]:
    """Return the character's bones that are in no part, in the armature's order."""
    covered = {row.name for part in settings.part_list for row in part.bones}
    return [bone.name for bone in character.data.bones if bone.name not in covered]


def missing_bones(settings: GENMM_PG_character, character: Object) -> list[str]:
    """Return the bones that parts name and the character does not have."""
    names = {bone.name for bone in character.data.bones}
    return sorted({row.name for part in settings.part_list for row in part.bones} - names)


def distinct_color(number: int) -> Light:
    """Return a color for the part with this number, in linear light and far from its neighbors' colors."""
    # Hues a golden ratio apart stay distinct for any number of parts; the conversion is from sRGB to linear.
    shown: Any = Color(colorsys.hsv_to_rgb((0.58 + number * GOLDEN_RATIO) % 1.0, 0.75, 0.95))
    light = shown.from_srgb_to_scene_linear()
    return light.r, light.g, light.b


def free_name(settings: GENMM_PG_character, chosen: str) -> str:
    """Return the chosen name, with a number appended where it is taken."""
    taken = {part.name for part in settings.part_list}
    if chosen not in taken:
        return chosen
    return next(name for name in (f"{chosen}.{number:03}" for number in range(1, len(taken) + 2)) if name not in taken)


def add_part(settings: GENMM_PG_character, name: str, bones: Iterable[str]) -> GENMM_PG_part:
    """Return a new part at the end of the list, active, in a color of its own."""
    number = len(settings.part_list)
    name = free_name(settings, name)
    part: GENMM_PG_part = settings.part_list.add()
    part.name, part.color = name, distinct_color(number)
    set_bones(part, bones)
    settings.active_part = number
    return part
