# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips of a library as examples of a character, transferred to its skeleton and channels."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ...core import InputError, Motion, Progress, Skeleton, report_progress, same_values
from ...core.library import KeptFiles, made_once
from ...core.transfer import find_bodies, keep_in_clips, moved_joints, needs_target_pose, retarget, usual_pose
from ..rig import read_skeleton
from .example_spec import Reading
from .other_characters import free_joints, keyed_channels, match_of, note_on_unmatched
from .usual_pose import usual_pose_of

FRAMES_AT_ONCE = 20_000
"""Most frames transferred at a time, at about 5 kB each during the transfer."""
CARRIED = KeptFiles(".carried", 2, tuple[Motion, ...])
VERSION = 7
"""Version of the transfer; a change of its results raises it, so that stored results are computed again."""


@dataclass(frozen=True, eq=False)
class _Kind:
    """Motions of one skeleton with the same channels and rate, and their numbers.

    pairs: their bones and the character's. moved: the character's joints that they move, see `moved_joints`.
    """

    numbers: list[int]
    motions: list[Motion]
    pairs: dict[str, str]
    moved: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class ClipsToCarry:
    """Motions, possibly of several libraries, with all data of a character for their transfer; usable in a thread.

    translated: joints that carry the travel and can be moved. pose: see `usual_pose_of`; None if it is not needed.
    reading: the result's reading, still without its motions. keep_contacts: whether hands touch the character's own
    body where they do in the motions.
    """

    kinds: tuple[_Kind, ...]
    skeleton: Skeleton
    translated: NDArray[np.int64]
    pose: NDArray[np.float64] | None
    reading: Reading
    keep_contacts: bool = True

    @property
    def frames(self) -> int:
        """Return the number of frames of all motions."""
        return sum(motion.frames for kind in self.kinds for motion in kind.motions)

    def carried(self, progress: Progress | None = None, folder: Path | None = None) -> Reading:
        """Return the motions on the character's skeleton, without access to Blender data. Raises Cancelled.

        folder: for storing them, so that the same transfer is read from it the next time.
        """
        examples = [motion for kind in self.kinds for motion in kind.motions]
        kinds = tuple((kind.numbers, kind.motions, kind.pairs, kind.moved) for kind in self.kinds)
        asked = (VERSION, kinds, self.skeleton, self.translated, self.pose, self.keep_contacts)
        motions = made_once(
            CARRIED, folder, asked, lambda: self._motions(progress), examples=examples, fits=self._can_be
        )
        return replace(self.reading, motions=motions)

    def _can_be(self, stored_motions: tuple[Motion, ...]) -> bool:
        """Return whether motions from a file are on the character's skeleton, and as long as those that are carried."""
        given = {
            number: (motion.frames, motion.frames_per_second)
            for kind in self.kinds
            for number, motion in zip(kind.numbers, kind.motions, strict=True)
        }
        return len(stored_motions) == len(given) and all(
            (motion.frames, motion.frames_per_second) == given[number]
            and same_values((motion.skeleton, motion.translated), (self.skeleton, self.translated))
            for number, motion in enumerate(stored_motions)
        )

    def _motions(self, progress: Progress | None) -> tuple[Motion, ...]:
        """Return the motions on the character's skeleton."""
        pieces: dict[int, Motion] = {}
        done, total = 0, max(self.frames, 1)
        for kind in self.kinds:
            arrived = list[Motion]()
            bodies = find_bodies(kind.motions[0].skeleton, self.skeleton, kind.pairs) if self.keep_contacts else None
            pose = usual_pose(kind.motions)
            for group in _groups(kind.motions):
                together = _together(group)
                retargeted = retarget(
                    together, self.skeleton, kind.pairs, self.translated, natural_pose=pose, target_pose=self.pose
                )
                arrived += keep_in_clips(together, retargeted, [motion.frames for motion in group], bodies)
                done += retargeted.frames
                report_progress(progress, done / total)
            pieces.update(zip(kind.numbers, arrived, strict=True))
        return tuple(pieces[number] for number in range(len(pieces)))


def clips_on_character(
    armature: Object,
    motions: Sequence[Motion],
    bone_names: Sequence[tuple[str, str]],
    *,
    keep_contacts: bool = True,
    folder: Path | None = None,
) -> Reading:
    """Return motions, possibly of several libraries, on the character's skeleton.

    bone_names: pairs of a motion's bone and the character's. keep_contacts: whether hands touch the character's own
    body where they do in the motions. folder: for storing the results of many motions. Raises InputError if trunk
    and legs, or the bone that travels in the motions, have no counterpart on the character.
    """
    return clips_to_carry(armature, motions, bone_names, keep_contacts=keep_contacts).carried(folder=folder)


def clips_to_carry(
    armature: Object, motions: Sequence[Motion], bone_names: Sequence[tuple[str, str]], *, keep_contacts: bool = True
) -> ClipsToCarry:
    """Return the work of `clips_on_character` for a thread. Raises InputError as it does."""
    skeleton = read_skeleton(armature)
    kinds = _kinds(motions, skeleton, bone_names)
    free = {joint for kind in kinds for joint in free_joints(armature, skeleton, kind.moved)}
    known: dict[int, frozenset[str]] = {}
    for kind in kinds:
        known.update(dict.fromkeys(kind.numbers, frozenset(kind.pairs.values())))
    notes = [note_on_unmatched("the library", kind.motions[0].skeleton.names, kind.pairs) for kind in kinds]
    reading = Reading(
        motions=(),
        keyed=keyed_channels(armature, None, [kind.pairs for kind in kinds], {skeleton.names[joint] for joint in free}),
        visual=False,
        notes=tuple(dict.fromkeys(note for kind_notes in notes for note in kind_notes)),
        known=tuple(known[number] for number in range(len(motions))),
    )
    needs_pose = any(needs_target_pose(kind.motions[0].skeleton, skeleton, kind.pairs) for kind in kinds)
    pose = usual_pose_of(armature, skeleton) if needs_pose else None
    return ClipsToCarry(tuple(kinds), skeleton, np.array(sorted(free), np.int64), pose, reading, keep_contacts)


def _moved_by(motion: Motion, skeleton: Skeleton, pairs: dict[str, str]) -> tuple[int, ...]:
    """Return the joints of a skeleton that a library's motion moves. Raises InputError if none of them travels."""
    try:
        return moved_joints(motion, skeleton, pairs)
    except InputError as error:
        names = motion.skeleton.names
        raise InputError(
            "The character does not match the library: no bone is a counterpart of the one that travels in the "
            f'clips, such as "{names[0] or names[1]}"; fill in Bone Names, or exclude clips of other creatures.'
        ) from error


def _kinds(motions: Sequence[Motion], skeleton: Skeleton, bone_names: Sequence[tuple[str, str]]) -> list[_Kind]:
    """Return the motions grouped by skeleton, channels and rate. Raises InputError for another creature's."""
    marks: dict[int, Hashable] = {}
    numbers: dict[Hashable, list[int]] = {}
    for number, motion in enumerate(motions):
        source = motion.skeleton
        if id(source) not in marks:
            rest = source.rest_rotations.tobytes(), source.rest_translations.tobytes()
            marks[id(source)] = (source.names, source.parents.tobytes(), rest, source.up)
        mark = marks[id(source)], motion.frames_per_second, motion.translated.tobytes()
        numbers.setdefault(mark, []).append(number)
    kinds = []
    for own_numbers in numbers.values():
        own_motions = [motions[number] for number in own_numbers]
        match = match_of(own_motions[0].skeleton, skeleton, bone_names, own_motions[:1])
        if not match.fits:
            raise InputError(
                "The character does not match the library: trunk and legs of its clips have no counterpart there; fill "
                "in Bone Names, or exclude clips of other creatures."
            )
        moved = _moved_by(_together(own_motions), skeleton, match.names)
        kinds.append(_Kind(own_numbers, own_motions, match.names, moved))
    return kinds


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
    """Return the motions in groups of at most FRAMES_AT_ONCE frames."""
    groups: list[list[Motion]] = [[]]
    for motion in motions:
        if groups[-1] and sum(member.frames for member in groups[-1]) + motion.frames > FRAMES_AT_ONCE:
            groups.append([])
        groups[-1].append(motion)
    return groups
