# SPDX-License-Identifier: GPL-3.0-or-later
"""A library doubled: each clip once more with left and right exchanged, without reading its file again."""

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from ..core import InputError
from ..core.clips import Clip, ClipLibrary, library_of
from ..core.transfer import find_symmetry, mirror
from .one_skeleton import all_translated, with_channels

MOST_LOOKED_AT = 50
"""Clips by whose motion left and right are found, where the rest pose does not tell them."""
SIDES = {"left": "right", "right": "left", "Left": "Right", "Right": "Left", "LEFT": "RIGHT", "RIGHT": "LEFT"}
_SIDE = re.compile("|".join(SIDES))


def with_mirrored(library: ClipLibrary) -> ClipLibrary:
    """Return the library with a mirrored clip for each, behind all of them. Raises InputError without left and right.

    In tags the words left and right are exchanged as well.
    """
    motions = [library.motion(number) for number in range(len(library.clips))]
    try:
        symmetry = find_symmetry(motions[:: max(len(motions) // MOST_LOOKED_AT, 1)])
    except InputError as error:
        raise InputError(f"The library cannot be mirrored: {error}") from error
    motions += [mirror(motion, symmetry) for motion in motions]
    translated = all_translated(motions)
    clips = [*library.clips, *(_mirrored(clip) for clip in library.clips)]
    return library_of([with_channels(motion, translated) for motion in motions], clips, like=library)


def _mirrored(clip: Clip) -> Clip:
    return replace(
        clip,
        name=f"{clip.name} mirrored",
        tags=_other_sides(clip.tags),
        source_tags=_other_sides(clip.source_tags),
        mirrored=True,
    )


def _other_sides(tags: Mapping[str, str]) -> Mapping[str, str]:
    return MappingProxyType({key: _SIDE.sub(lambda found: SIDES[found[0]], value) for key, value in tags.items()})
