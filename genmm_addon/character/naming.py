# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of results: "<Character> Gen 001", and of their actions "<Source> Gen 001".

Results are recognized by their tags, never by these names.
"""

import re

import bpy
from bpy.types import Object, Scene

from .results_collection import own_collections
from .tags import tag_of

LONGEST_NAME = 63
"""Longest name in every version of Blender, in bytes."""
_RESULT_NAME = re.compile(r" (GenMM|Gen|Agent) \d{3,}$")
"""End of a result's name; earlier versions wrote "GenMM"."""


def base_name(armature: Object) -> str:
    """Return the character's name without the suffix of an earlier result."""
    return without_number(armature.name)


def without_number(name: str) -> str:
    """Return a name without a result's suffix."""
    return _RESULT_NAME.sub("", name)


def free_number(scene: Scene, armature: Object) -> int:
    """Return the smallest number, from 1, that no result of this character has in its present or original name."""
    base = base_name(armature)
    marks = [tag_of(thing) for collection in own_collections(scene) for thing in collection.objects]
    taken = {mark.name for mark in marks if mark is not None}
    number = 1
    while named(base, result_suffix(number)) in taken or (named(base, result_suffix(number)), None) in bpy.data.objects:
        number += 1
    return number


def action_name(source: str) -> str:
    """Return the name of a new action generated from a source of this name, with the first free number."""
    base, taken = without_number(source), {action.name for action in bpy.data.actions}
    number = 1
    while named(base, result_suffix(number)) in taken:
        number += 1
    return named(base, result_suffix(number))


def result_suffix(number: int) -> str:
    """Return the suffix of a result's name."""
    return f" Gen {number:03d}"


def named(base: str, suffix: str) -> str:
    """Return `base` with the suffix; the base is shortened if the whole would be too long for a name."""
    room = LONGEST_NAME - len(suffix.encode())
    return base.encode()[:room].decode(errors="ignore") + suffix
