# SPDX-License-Identifier: GPL-3.0-or-later
"""Addition of a mirrored version of each clip to a library, without reading its file again."""

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from ..core import InputError
from ..core.library import Clip, ClipLibrary, library_of
from ..core.transfer import find_symmetry, mirror
from .one_skeleton import all_translated, with_channels
from .takes import cluster_names

SIDES = {"left": "right", "right": "left", "Left": "Right", "Right": "Left", "LEFT": "RIGHT", "RIGHT": "LEFT"}
_SIDE = re.compile("|".join(SIDES))


def with_mirrored(library: ClipLibrary, earlier: ClipLibrary | None = None) -> ClipLibrary:
    """Return the library followed by a mirrored clip for each of its clips. Raises InputError without left and right.

    In tags, the words left and right are exchanged as well. earlier: a library of the same files, whose mirrored clips
    keep their tags; those whose content has changed keep the names of their clusters.
    """
    motions = [library.motion(number) for number in range(len(library.clips))]
    symmetry = find_symmetry(motions)
    if symmetry is None:
        raise InputError("The library cannot be mirrored: its skeleton has no left and right; build it unmirrored.")
    motions += [mirror(motion, symmetry) for motion in motions]
    translated = all_translated(motions)
    before = [clip for clip in (earlier.clips if earlier else ()) if clip.mirrored]
    tagged, names = {_mark(clip): clip.source_tags for clip in before}, cluster_names(before)
    clips = [
        *library.clips,
        *(_mirrored(clip, tagged.get(_mark(clip)), names.get(clip.source, {})) for clip in library.clips),
    ]
    return library_of([with_channels(motion, translated) for motion in motions], clips, like=library)


def _mirrored(clip: Clip, kept: Mapping[str, str] | None, named: Mapping[str, str]) -> Clip:
    """Return the mirrored clip.

    kept: the tags that its source had in an earlier library, None if its content has changed. named: its cluster there.
    """
    of_source = MappingProxyType({**_other_sides(clip.source_tags), **named}) if kept is None else kept
    by_name = {key: value for key, value in clip.tags.items() if clip.source_tags.get(key) != value}
    return replace(
        clip,
        name=f"{clip.name} mirrored",
        tags=MappingProxyType({**of_source, **_other_sides(by_name)}),
        source_tags=of_source,
        mirrored=True,
    )


def _mark(clip: Clip) -> tuple[str, str]:
    """Return a value that is the same for the same content under any file name: the digest, and the action."""
    return clip.fingerprint, clip.source.partition(":")[2]


def _other_sides(tags: Mapping[str, str]) -> Mapping[str, str]:
    return MappingProxyType({key: _SIDE.sub(lambda match: SIDES[match[0]], value) for key, value in tags.items()})
