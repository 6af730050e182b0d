# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips of a library as examples of a character, brought onto its skeleton and channels."""

from collections.abc import Sequence

import numpy as np
from bpy.types import Object

from ...core import Motion
from ...core.transfer import carrier_of, retarget
from ..rig import read_skeleton
from .example_spec import Reading
from .other_characters import can_move, keyed_channels, note_on_unmatched, pairs_of

FRAMES_AT_ONCE = 20_000
"""Frames that are brought over in one go, which need some 5 kB each while they are."""


def clips_on_character(armature: Object, motions: Sequence[Motion], bone_names: Sequence[tuple[str, str]]) -> Reading:
    """Return motions of one skeleton on the character's; bone_names: pairs of names there and here.

    Raises InputError where no bone of the character is called as the one that travels in the motions.
    """
    skeleton, first = read_skeleton(armature), motions[0]
    pairs = pairs_of(first.skeleton.names, skeleton.names, bone_names)
    pieces: list[Motion] = []
    carrier = carrier_of(_together(motions), skeleton, pairs)
    free = {carrier} if can_move(armature, skeleton.names[carrier]) else set[int]()
    translated = np.array(sorted(free), np.int64)
    for group in _groups(motions):
        there = retarget(_together(group), skeleton, pairs, translated)
        ends = np.cumsum([motion.frames for motion in group])
        pieces += [there.slice(int(end) - motion.frames, int(end)) for motion, end in zip(group, ends, strict=True)]
    return Reading(
        motions=tuple(pieces),
        keyed=keyed_channels(armature, None, [pairs], {skeleton.names[joint] for joint in free}),
        visual=False,
        notes=note_on_unmatched("the library", first.skeleton.names, pairs),
        known=(frozenset(pairs.values()),) * len(pieces),
    )


def _together(motions: Sequence[Motion]) -> Motion:
    first = motions[0]
    return Motion(
        first.skeleton,
        first.frames_per_second,
        np.concatenate([motion.rotations for motion in motions]),
        first.translated,
        np.concatenate([motion.translations for motion in motions]),
    )


def _groups(motions: Sequence[Motion]) -> list[list[Motion]]:
    """Return the motions in groups of a size that can be brought over in one go."""
    groups: list[list[Motion]] = [[]]
    for motion in motions:
        if groups[-1] and sum(one.frames for one in groups[-1]) + motion.frames > FRAMES_AT_ONCE:
            groups.append([])
        groups[-1].append(motion)
    return groups
