# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips of a library as examples of a character, transferred to its skeleton and channels."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from bpy.types import Object

from ...core import Float64, InputError, Int64, Motion, Progress, Skeleton, report_progress
from ...core.library import KeptFiles, MotionsLike, keep_motions
from ...core.motion import ReadMotions, frames_of_extents, joined, lengths_of
from ...core.transfer import (
    find_bodies,
    keep_in_clips,
    match_joints,
    moved_joints,
    needs_target_pose,
    retarget,
    usual_pose,
)
from ..rig import read_skeleton
from .example_spec import Reading
from .other_characters import free_joints, keyed_channels, note_on_unmatched
from .usual_pose import usual_pose_of

FRAMES_AT_ONCE = 20_000
"""Most frames transferred at a time, at about 5 kB each during the transfer."""
CARRIED = KeptFiles(".carried", 2)
VERSION = 7
"""Version of the transfer; a change of its results raises it, so that stored results are computed again."""


@dataclass(frozen=True, eq=False)
class _Kind:
    """Motions of one skeleton with the same channels and rate, and their numbers.

    pairs: their bones and the character's. moved: the character's joints that they move, see `moved_joints`.
    """

    numbers: list[int]
    motions: Sequence[Motion]
    pairs: dict[str, str]
    moved: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class ClipsToCarry:
    """Motions, possibly of several libraries, with all data of a character for their transfer; usable in a thread.

    translated: joints that carry the travel and can be moved. pose: see `usual_pose_of`; None if it is not needed.
    reading: the result's reading, still without its motions. keep_contacts: whether hands touch the character's own
    body where they do in the motions. checksums: of the motions, by which they are known again; without them, the
    result is not stored.
    """

    kinds: tuple[_Kind, ...]
    skeleton: Skeleton
    translated: Int64
    pose: Float64 | None
    reading: Reading
    keep_contacts: bool = True
    checksums: tuple[int, ...] = ()

    @property
    def lengths(self) -> list[int]:
        """Return the number of frames of each motion."""
        known = {
            number: length
            for kind in self.kinds
            for number, length in zip(kind.numbers, lengths_of(kind.motions), strict=True)
        }
        return [known[number] for number in range(len(known))]

    @property
    def frames(self) -> int:
        """Return the number of frames of all motions."""
        return sum(self.lengths)

    @property
    def asked(self) -> object:
        """Return all that the motions on the character depend on; checksums stand for the motions."""
        firsts = [kind.motions[0] for kind in self.kinds]
        kinds = [
            (kind.numbers, kind.pairs, first.skeleton, first.frames_per_second, first.translated)
            for kind, first in zip(self.kinds, firsts, strict=True)
        ]
        given = (kinds, self.lengths, self.checksums)
        return VERSION, given, self.skeleton, self.translated, self.pose, self.keep_contacts

    def carried(self, progress: Progress | None = None, folder: Path | None = None) -> Sequence[Motion]:
        """Return the motions on the character's skeleton, without access to Blender data. Raises Cancelled.

        folder: for storing them, so that the same transfer is read from it the next time, and many need little memory.
        """
        like = MotionsLike(self.skeleton, self.translated)
        folder = folder if self.checksums else None
        return keep_motions(CARRIED, folder, self.asked, lambda: self._motions(progress), like, frames=self.frames)

    def _motions(self, progress: Progress | None) -> Iterator[tuple[int, Motion]]:
        """Yield the motions on the character's skeleton, with their numbers."""
        done, total = 0, max(self.frames, 1)
        for kind in self.kinds:
            bodies = find_bodies(kind.motions[0].skeleton, self.skeleton, kind.pairs) if self.keep_contacts else None
            pose = usual_pose(kind.motions)
            lengths = lengths_of(kind.motions)
            for group in _groups(lengths):
                together = joined(list(kind.motions[group]))
                retargeted = retarget(
                    together, self.skeleton, kind.pairs, self.translated, natural_pose=pose, target_pose=self.pose
                )
                arrived = keep_in_clips(together, retargeted, lengths[group], bodies)
                yield from zip(kind.numbers[group], arrived, strict=True)
                done += retargeted.frames
                report_progress(progress, done / total)


def clips_on_character(
    armature: Object,
    motions: Sequence[Motion],
    bone_names: Sequence[tuple[str, str]],
    *,
    keep_contacts: bool = True,
    folder: Path | None = None,
    checksums: Sequence[int] = (),
) -> Reading:
    """Return motions, possibly of several libraries, on the character's skeleton.

    bone_names: pairs of a motion's bone and the character's. keep_contacts: whether hands touch the character's own
    body where they do in the motions. folder: for storing the results of many motions. checksums: of the motions.
    Raises InputError if trunk and legs, or the bone that travels in the motions, have no counterpart on the character.
    """
    clips = clips_to_carry(armature, motions, bone_names, keep_contacts=keep_contacts, checksums=checksums)
    return replace(clips.reading, motions=tuple(clips.carried(folder=folder)))


def clips_to_carry(
    armature: Object,
    motions: Sequence[Motion],
    bone_names: Sequence[tuple[str, str]],
    *,
    keep_contacts: bool = True,
    checksums: Sequence[int] = (),
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
        keyed=keyed_channels(armature, skeleton, None, [kind.pairs for kind in kinds], free),
        visual=False,
        notes=tuple(dict.fromkeys(note for kind_notes in notes for note in kind_notes)),
        known=tuple(known[number] for number in range(len(motions))),
    )
    needs_pose = any(needs_target_pose(kind.motions[0].skeleton, skeleton, kind.pairs) for kind in kinds)
    pose = usual_pose_of(armature, skeleton) if needs_pose else None
    translated = np.array(sorted(free), np.int64)
    return ClipsToCarry(tuple(kinds), skeleton, translated, pose, reading, keep_contacts, tuple(checksums))


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
    marks: dict[int, tuple[Skeleton, Hashable]] = {}
    found: dict[Hashable, tuple[list[int], list[Motion]]] = {}
    for number, motion in enumerate(motions):
        source = motion.skeleton
        if id(source) not in marks:
            rest = source.rest_rotations.tobytes(), source.rest_translations.tobytes()
            # With the skeleton, so that it stays alive and no other one gets its number.
            marks[id(source)] = source, (source.names, source.parents.tobytes(), rest, source.up)
        mark = marks[id(source)][1], motion.frames_per_second, motion.translated.tobytes()
        numbers, extents = found.setdefault(mark, ([], []))
        numbers.append(number)
        extents.append(frames_of_extents(motion))
    kinds, lengths = [], lengths_of(motions)
    for numbers, extents in found.values():
        extent = frames_of_extents(joined(extents))
        of_kind = ReadMotions(numbers, motions.__getitem__, [lengths[number] for number in numbers])
        match = match_joints(extent.skeleton, skeleton, motions=of_kind[:1], given=bone_names)
        if not match.fits:
            raise InputError(
                "The character does not match the library: trunk and legs of its clips have no counterpart there; fill "
                "in Bone Names, or exclude clips of other creatures."
            )
        moved = _moved_by(extent, skeleton, match.names)
        kinds.append(_Kind(numbers, of_kind, match.names, moved))
    return kinds


def _groups(lengths: Sequence[int]) -> Iterator[slice]:
    """Yield slices of motions of at most FRAMES_AT_ONCE frames in all, or of a single one that is longer."""
    first = frames = 0
    for number, length in enumerate(lengths):
        if number > first and frames + length > FRAMES_AT_ONCE:
            yield slice(first, number)
            first, frames = number, 0
        frames += length
    yield slice(first, len(lengths))
