# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes: motions on their files' own skeletons; BVH files need NumPy alone."""

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType

import numpy as np

from ..core import Float64, InputError, Int64, Motion, Skeleton
from ..core.examples import find_takes
from ..core.library import Clip, ClipLibrary, LeftOut, TagPattern
from ..core.motion import read_bvh_motion

READING, READING_GLTF = 3, 5
"""Versions of reading files, and of reading glTF; raised if a file's motion changes, so that clips are read again."""
GLTF_ENDINGS = (".glb", ".gltf")
ENDINGS = (".bvh", ".fbx", ".glb", ".gltf", ".blend")
CLUSTER_TAG = "cluster"
"""Key of the tag with the names that an animator gave to a clip's clusters."""
_WITH_ACTION = re.compile(rf"^(.*?(?:{'|'.join(map(re.escape, ENDINGS))})):.*$", re.IGNORECASE | re.DOTALL)
DIGITS = 2
"""Decimals, in hundredths of the skeleton's size, to which proportions are compared when skeletons are counted."""


PART_OF_SOURCE = re.compile(r":take \d+$")
"""End of the source of a take that is a part of a longer motion."""


@dataclass(frozen=True, eq=False)
class Take:
    """A motion of a file.

    name: for the user. source: the file's path below the folder and, if it may have several, ":" and its action; for a
    part of a motion that jumps, also ":take" and its number.
    fingerprint: of the file's content. skeleton: a digest of its skeleton. rate: its own frames per second.
    tags: from the file itself. by_mean_pose: whether it was transferred by mean poses before. notes: sentences for the
    user on what the file does not state clearly.
    """

    name: str
    source: str
    motion: Motion
    fingerprint: str
    skeleton: str
    rate: float
    tags: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    by_mean_pose: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class SourceFile:
    """A file with motions. name: its path below the library's folder, with "/" on every system.

    Characters of the name that cannot be encoded are replaced by "?".
    """

    path: Path
    name: str

    @property
    def stem(self) -> str:
        """Return the file's name without folders and suffix."""
        return PurePosixPath(self.name).stem

    @property
    def is_bvh(self) -> bool:
        """Return whether the file can be read without Blender."""
        return self.path.suffix.lower() == ".bvh"


OtherReader = Callable[[SourceFile, str], list[Take | LeftOut]]
"""Function that reads the takes of a file by Blender, given the file's fingerprint. Raises InputError."""


def files_in(folder: Path) -> list[SourceFile]:
    """Return the motion files in a folder and its subfolders, by name, without hidden files.

    For a single file, return that file. Raises InputError if there is none.
    """
    if folder.is_file() and folder.suffix.lower() in ENDINGS:
        return [SourceFile(folder, _written(folder.name))]
    files = _files_in(folder)
    if not files:
        raise InputError(
            f'The folder "{folder}" has no {", ".join(ENDINGS[:-1])} or {ENDINGS[-1]} file; choose another.'
        )
    return files


def asset_files_in(folder: Path) -> list[SourceFile]:
    """Return the .blend files of an asset library, by name. Raises InputError if there is none."""
    files = [file for file in _files_in(folder) if file.path.suffix.lower() == ".blend"]
    if not files:
        raise InputError(f'The asset library "{folder}" has no .blend file; choose another.')
    return files


def _files_in(folder: Path) -> list[SourceFile]:
    if folder.is_file():
        raise InputError(
            f'"{folder}" is neither a folder nor one of {", ".join(sorted(ENDINGS))}; choose one of these.'
        )
    if not folder.is_dir():
        raise InputError(f'There is no folder "{folder}"; check its name.')
    files = []
    for place, folders, names in os.walk(folder, onerror=_raise_unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = Path(place) / name
            if path.suffix.lower() in ENDINGS and not name.startswith("."):
                files.append(SourceFile(path, _written(path.relative_to(folder).as_posix())))
    return sorted(files, key=lambda file: file.name)


def file_of(source: str) -> str:
    """Return the file's name in the source of a clip, which may name an action of it after a colon."""
    # The search takes most of the time, and most of thousands of sources name no action.
    return _WITH_ACTION.sub(r"\1", source) if ":" in source else source


def content_of(file: SourceFile) -> tuple[bytes, str]:
    """Return a file's bytes and their fingerprint. Raises InputError if it cannot be read."""
    # Reading a pipe or a device would never end.
    if file.path.exists() and not file.path.is_file():
        raise InputError(f'"{file.name}" is a pipe or a device; choose a file.')
    try:
        data = file.path.read_bytes()
    except OSError as error:
        raise InputError(f'"{file.name}" cannot be read: {error.strerror}.') from error
    reading = READING_GLTF if file.path.suffix.lower() in GLTF_ENDINGS else READING
    return data, hashlib.sha256(data + f"reading {reading}".encode()).hexdigest()


def bvh_take(file: SourceFile, data: bytes, fingerprint: str) -> Take:
    """Return the take of a BVH file. Raises InputError if the file cannot be read."""
    bvh = read_bvh_motion(file.path, data)
    return replace(take_of(file.stem, file.name, bvh.motion, fingerprint), notes=bvh.notes)


def take_of(name: str, source: str, motion: Motion, fingerprint: str, tags: Mapping[str, str] | None = None) -> Take:
    """Return a take for a newly read motion."""
    digest = skeleton_digest(motion.skeleton, motion.translated)
    return Take(name, source, motion, fingerprint, digest, motion.frames_per_second, MappingProxyType(dict(tags or {})))


def cluster_names(clips: Iterable[Clip]) -> Mapping[str, Mapping[str, str]]:
    """Return the tag with the names of its clusters for each source among clips, if it has one."""
    return {clip.source: {CLUSTER_TAG: clip.tags[CLUSTER_TAG]} for clip in clips if CLUSTER_TAG in clip.tags}


def skeleton_digest(skeleton: Skeleton, translated: Int64) -> str:
    """Return a digest of a skeleton's names, parents and proportions.

    translated: joints left out of the proportions, since their offset is a location, as for the hips in many files.
    """
    offsets = skeleton.rest_translations.copy()
    offsets[translated] = 0.0
    rounded = np.round(np.hstack((100 * offsets / _extent(offsets), skeleton.rest_rotations)), DIGITS) + 0.0
    content = repr((skeleton.names, skeleton.parents.tolist(), rounded.tolist()))
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _extent(offsets: Float64) -> float:
    return float(np.linalg.norm(offsets, axis=1).sum()) or 1.0


def _written(name: str) -> str:
    """Return a name in valid UTF-8; other bytes in names come from archives made on other systems."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _raise_unreadable(error: OSError) -> None:
    raise InputError(f'The folder "{error.filename}" cannot be read: {error.strerror}.') from error


def tags_by(patterns: Sequence[TagPattern], take: Take) -> Mapping[str, str] | None:
    """Return the tags that the first matching pattern gives a take; None if no pattern matches."""
    source = PART_OF_SOURCE.sub("", take.source)
    return next((tags for pattern in patterns if (tags := pattern.tags(source)) is not None), None)


def parts_of(take: Take) -> list[Take]:
    """Return a take, or those of which it consists if its motion jumps from one to the next, with numbers."""
    found = find_takes(take.motion)
    if found == [(0, take.motion.frames)]:
        return [take]
    parts = [replace(take, motion=take.motion.slice(first, end)) for first, end in found]
    if len(parts) == 1:
        return parts
    return [
        replace(part, name=f"{part.name} {number}", source=f"{part.source}:take {number}")
        for number, part in enumerate(parts, 1)
    ]


def earlier_takes(earlier: ClipLibrary | None, numbers: Sequence[int], file: SourceFile) -> list[Take]:
    """Return the takes of a file that an earlier library has as these clips; none where one of them is damaged."""
    takes = list[Take]()
    for number in () if earlier is None else numbers:
        clip = earlier.clips[number]
        action = clip.source.partition(":")[2]
        source, name = (f"{file.name}:{action}", clip.name) if action else (file.name, file.stem)
        origin = (clip.fingerprint, clip.original_skeleton, clip.original_rate, clip.source_tags, clip.by_mean_pose)
        try:
            takes.append(Take(name, source, earlier.motion(number), *origin))
        except InputError:
            return []
    return takes
