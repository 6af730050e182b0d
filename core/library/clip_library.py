# SPDX-License-Identifier: GPL-3.0-or-later
"""A library of clips: all of their frames in one array, on one skeleton and at one rate."""

import hashlib
import json
import math
import re
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Float32, Int64
from ..errors import InputError
from ..motion.motion import Motion
from ..motion.npz import check_stored, skeleton_arrays
from ..motion.piecewise import KEPT_BYTES, pieces
from ..motion.read_motions import ReadMotions
from ..motion.skeleton import Skeleton
from ..storage import ArrayInFile, Malformed
from .clip import Clip, LeftOut
from .stored_clips import stops_of


def _no_joints() -> Int64:
    return np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class ClipLibrary:
    """Clips with N frames in all; each clip's frames follow those of the clip before it.

    rotations: `(N, J, 4)` float32, translated: `(M,)`, translations: `(N, M, 3)` float32, all as in `Motion`. Those of
    a file stay there, as `ArrayInFile`, until a clip is asked for.
    known_fingerprint: the value of `fingerprint` stored in a file, if any. reference: the digest of the clips' original
    skeleton to which all were transferred. left_out: what the folder has besides, by name; no part of the fingerprint.
    known_checksums: the value of `checksums` stored in a file, if any; frames that are read from it are compared.
    shard: its number, from 1, and the number of all, if it has only a share of a folder's files.
    Raises InputError for clips that do not cover the frames, and for arrays of other shapes.

    >>> library = library_of([swing, swing.slice(10, 50)], [Clip("a", "a.bvh", 0, 60), Clip("b", "b.bvh", 60, 40)])
    >>> isinstance(library, ClipLibrary), library.frames, library.motion(1).frames
    (True, 100, 40)
    """

    skeleton: Skeleton
    frames_per_second: float
    clips: Sequence[Clip]
    rotations: Float32 | ArrayInFile
    translated: Int64 = field(default_factory=_no_joints)
    translations: Float32 | ArrayInFile = None  # type: ignore[assignment]  # filled in: nothing animated
    known_fingerprint: str = ""
    reference: str = ""
    left_out: tuple[LeftOut, ...] = ()
    known_checksums: NDArray[np.uint32] | None = None
    shard: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if self.translations is None:
            object.__setattr__(
                self, "translations", np.zeros((len(self.rotations), len(self.translated), 3), np.float32)
            )
        self._motion(self.rotations, self.translations)  # type: ignore[arg-type]  # which checks the shapes alone
        if int(self.stops[-1:].sum()) != self.frames or (np.diff(self.stops, prepend=0) < 1).any():
            raise InputError(
                f"The library's clips have {self.stops[-1:].sum():,} frames, and its arrays {self.frames:,}."
            )

    @property
    def frames(self) -> int:
        """Return the number of frames of all clips, N."""
        return len(self.rotations)

    @property
    def seconds(self) -> float:
        """Return the duration of all clips."""
        return self.frames / self.frames_per_second

    @cached_property
    def starts(self) -> Int64:
        """Return the first frame `(C,)` of each clip."""
        return np.append(np.zeros(1, np.int64), self.stops)[:-1]

    @cached_property
    def stops(self) -> Int64:
        """Return the frame `(C,)` after the last of each clip."""
        return stops_of(self.clips)

    @cached_property
    def fingerprint(self) -> str:
        """Return the SHA-256 of skeleton, rate, clips and frames, in hexadecimal digits."""
        return self.known_fingerprint or _fingerprint(self)

    @cached_property
    def checksums(self) -> NDArray[np.uint32]:
        """Return the CRC-32 `(C,)` of each clip's rotations and translations."""
        if self.known_checksums is not None:
            return self.known_checksums
        return np.array([_checksum(self.motion(clip)) for clip in range(len(self.clips))], np.uint32)

    @property
    def motions(self) -> Sequence[Motion]:
        """Return the motions of all clips, see `motions_of`."""
        return motions_of([(self, clip) for clip in range(len(self.clips))])

    @property
    def frame_bytes_in_file(self) -> int:
        """Return the size of a frame's rotations if they are in a file, otherwise 0."""
        in_file = isinstance(self.rotations, ArrayInFile)
        return self.rotations.dtype.itemsize * math.prod(self.rotations.shape[1:]) if in_file else 0

    def motion(self, clip: int) -> Motion:
        """Return the motion of one clip, as a view on the library's frames or read from its file.

        Raises InputError where the file is damaged there, cannot be read, or was changed or removed since the library
        was loaded. A new time of change alone, which copying and synchronizing set, does no harm.
        """
        frames = slice(self.starts[clip], self.stops[clip])
        arrays = self.rotations, self.translations
        kept = [values.touchable if isinstance(values, ArrayInFile) else values for values in arrays]
        motion = self._motion(*(values[frames] for values in kept))
        if self.known_checksums is not None and _checksum(motion) != self.known_checksums[clip]:
            _ = [values[frames] for values in arrays]  # which tells of a file that was changed
            raise InputError(
                f'The clip "{self.clips[clip].name}" of {self._named} is damaged; build the library again.'
            )
        return self._checked(motion)

    def at(self, frames: Int64) -> Motion:
        """Return the given frames of the library, of any clips, in order. Raises InputError as `motion` does."""
        return self._checked(self._motion(self.rotations[frames], self.translations[frames]))

    def chosen(self, tags: Mapping[str, Collection[str]] | None = None, text: str = "") -> Int64:
        """Return the numbers of the clips that have one of the values for each key, and each word of the text.

        A value may contain `*` for any characters. A text is searched for in names, sources and tags, in any case.
        """
        if not tags and not text.strip():
            return np.arange(len(self.clips))
        return np.array(
            [
                number
                for number, clip in enumerate(self.clips)
                if clip.is_called(text) and all(_has(clip, key, values) for key, values in (tags or {}).items())
            ],
            np.int64,
        )

    def only(self, numbers: Sequence[int]) -> "ClipLibrary":
        """Return a library of some of the clips, in the order given."""
        motions = [self.motion(number) for number in numbers]
        return library_of(motions, [self.clips[number] for number in numbers], like=self)

    def at_once(self) -> Motion:
        """Return all frames as one motion. Raises InputError as `motion` does."""
        return self._checked(self._motion(np.asarray(self.rotations), np.asarray(self.translations)))

    def _motion(self, rotated: Float32, moved: Float32) -> Motion:
        return Motion(self.skeleton, self.frames_per_second, rotated, translated=self.translated, translations=moved)

    @property
    def _named(self) -> str:
        return f'"{self.rotations.path.name}"' if isinstance(self.rotations, ArrayInFile) else "the library"

    def _checked(self, motion: Motion) -> Motion:
        """Return a motion of some frames; raise InputError for values from a file that no motion has."""
        if isinstance(self.rotations, ArrayInFile):
            try:
                check_stored(motion)
            except Malformed as error:
                raise InputError(f"{self._named} is damaged; build the library again.") from error
        return motion


def motions_of(clips: Sequence[tuple[ClipLibrary, int]]) -> Sequence[Motion]:
    """Return the motions of clips, each of a library and with its number there, as by `ClipLibrary.motion`.

    Of many frames in files, each motion is read again each time that it is asked for, so that none stays in memory.

    >>> library = library_of([swing], [Clip("swing", "swing.bvh", 0, 60)])
    >>> [motion.frames for motion in motions_of([(library, 0), (library, 0)])]
    [60, 60]
    """
    lengths = [int(library.stops[clip] - library.starts[clip]) for library, clip in clips]
    read = ReadMotions(range(len(clips)), lambda place: clips[place][0].motion(clips[place][1]), lengths)
    sizes = (library.frame_bytes_in_file * length for (library, _), length in zip(clips, lengths, strict=True))
    return read if sum(sizes) > KEPT_BYTES else tuple(read)


def library_of(motions: Sequence[Motion], clips: Sequence[Clip], like: ClipLibrary | None = None) -> ClipLibrary:
    """Return a library of motions on one skeleton, with the same channels and rate; clips: their descriptions.

    like: the library that they come from. Its reference and what it left out are taken over, and its skeleton, rate and
    channels if there are no motions. Starts and lengths of the clips are set.
    Raises InputError for motions of several skeletons, rates or channels.

    >>> library_of([swing], [Clip("swing", "swing.bvh", 0, 0)]).clips[0].frames
    60
    """
    first = motions[0] if motions else like
    if first is None:
        raise InputError("A library needs at least one clip; add some.")
    placed, place = [], 0
    for motion, clip in zip(motions, clips, strict=True):
        same = (
            motion.skeleton.names == first.skeleton.names
            and motion.frames_per_second == first.frames_per_second
            and np.array_equal(motion.translated, first.translated)
        )
        if not same:
            raise InputError(f'The clip "{clip.name}" has another skeleton, rate or other channels than the first.')
        placed.append(replace(clip, start=place, frames=motion.frames))
        place += motion.frames
    joints, moved = len(first.skeleton.names), len(first.translated)
    return ClipLibrary(
        first.skeleton,
        first.frames_per_second,
        tuple(placed),
        _together([motion.rotations for motion in motions], (joints, 4)),
        first.translated,
        _together([motion.translations for motion in motions], (moved, 3)),
        reference="" if like is None else like.reference,
        left_out=() if like is None else like.left_out,
    )


def clip_values(clip: Clip) -> dict[str, Any]:
    """Return a clip's fields as plain values for a file; fields of later versions are left out at their defaults.

    So libraries of older versions keep their fingerprints when they are built again.
    """
    values = {field.name: getattr(clip, field.name) for field in fields(Clip)}
    if not clip.by_mean_pose:
        del values["by_mean_pose"]
    return values | {"tags": dict(clip.tags), "source_tags": dict(clip.source_tags)}


def _together(pieces: Sequence[Float32], shape: tuple[int, int]) -> Float32:
    return np.concatenate(pieces).astype(np.float32, copy=False) if pieces else np.empty((0, *shape), np.float32)


def _has(clip: Clip, key: str, values: Collection[str]) -> bool:
    present = clip.tags.get(key)
    return present is not None and any(_fits(present, value) for value in values)


def _fits(text: str, asked: str) -> bool:
    """Return whether a text equals the requested one, in which only `*` stands for any characters."""
    return re.fullmatch(".*".join(map(re.escape, asked.split("*"))), text, re.DOTALL) is not None


def _fingerprint(library: ClipLibrary) -> str:
    digest = hashlib.sha256()
    clips = [clip_values(clip) for clip in library.clips]
    digest.update(json.dumps([library.frames_per_second, list(library.skeleton.names), clips], sort_keys=True).encode())
    arrays: dict[str, Any] = skeleton_arrays(library.skeleton)
    arrays |= {name: getattr(library, name) for name in ("translated", "rotations", "translations")}
    for name, values in arrays.items():
        if values.dtype.kind != "U":
            digest.update(f"{name} {values.dtype.str} {values.shape}".encode())
            for piece in pieces(len(values)):
                digest.update(np.ascontiguousarray(values[piece]).data)
    return digest.hexdigest()


def _checksum(motion: Motion) -> int:
    return zlib.crc32(
        np.ascontiguousarray(motion.translations).data, zlib.crc32(np.ascontiguousarray(motion.rotations).data)
    )
