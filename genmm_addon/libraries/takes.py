# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes: motions as they are in their files, on skeletons of their own; NumPy alone for BVH files."""

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ..core import InputError, Motion, Skeleton
from ..files.bvh_motion import read_bvh_motion

READING, READING_GLTF = 1, 2
"""Raised where the same file gives another motion than before: clips that an older version read are read again."""
GLTF_ENDINGS = (".glb", ".gltf")
ENDINGS = (".bvh", ".fbx", ".glb", ".gltf", ".blend")
SAME_OFFSET = 1e-3
"""Offsets from a joint to the next one that differ by less, in sizes of the skeleton, are the same."""
DIGITS = 2
"""Decimals, in hundredths of the skeleton's size, by which skeletons are told from each other when they are counted."""


@dataclass(frozen=True, eq=False)
class Take:
    """A motion of a file.

    name: as the user sees it. source: the file below the folder and, where it may hold several, its action behind ":".
    fingerprint: of the file's content. skeleton: a digest of its skeleton. rate: its own frames per second.
    tags: those that the file itself gives it. by_mean_pose: it was brought onto another skeleton by mean poses before.
    """

    name: str
    source: str
    motion: Motion
    fingerprint: str
    skeleton: str
    rate: float
    tags: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    by_mean_pose: bool = False


@dataclass(frozen=True)
class SourceFile:
    """A file with motions. name: its path below the library's folder, with "/" on every system, and "?" in place of
    characters that cannot be written down.
    """

    path: Path
    name: str

    @property
    def stem(self) -> str:
        """Its name without folders and ending."""
        return PurePosixPath(self.name).stem

    @property
    def is_bvh(self) -> bool:
        """It can be read without Blender."""
        return self.path.suffix.lower() == ".bvh"


@dataclass(frozen=True)
class Skipped:
    """A file, or an action in one, that is not in the library, and the reason, a sentence without its subject."""

    name: str
    reason: str


OtherReader = Callable[[SourceFile, str], list[Take | Skipped]]
"""Reads the takes of a file that needs Blender, given its fingerprint. Raises InputError."""


def files_in(folder: Path) -> list[SourceFile]:
    """Return the motion files in a folder and the folders below it, by name; hidden ones are other programs' own.

    A file stands for itself. Raises InputError where there is none.
    """
    if folder.is_file() and folder.suffix.lower() in ENDINGS:
        return [SourceFile(folder, _written(folder.name))]
    found = _files_in(folder)
    if not found:
        raise InputError(f'The folder "{folder}" has no {", ".join(ENDINGS[:-1])} or {ENDINGS[-1]} file in it.')
    return found


def asset_files_in(folder: Path) -> list[SourceFile]:
    """Return the .blend files of an asset library, by name. Raises InputError where there is none."""
    found = [file for file in _files_in(folder) if file.path.suffix.lower() == ".blend"]
    if not found:
        raise InputError(f'The asset library "{folder}" has no .blend file in it.')
    return found


def _files_in(folder: Path) -> list[SourceFile]:
    if folder.is_file():
        raise InputError(
            f'"{folder}" is neither a folder nor one of {", ".join(sorted(ENDINGS))}; choose one of these.'
        )
    if not folder.is_dir():
        raise InputError(f'There is no folder "{folder}"; check its name.')
    found = []
    for place, folders, names in os.walk(folder, onerror=_raise_unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = Path(place) / name
            if path.suffix.lower() in ENDINGS and not name.startswith("."):
                found.append(SourceFile(path, _written(path.relative_to(folder).as_posix())))
    return sorted(found, key=lambda file: file.name)


def content_of(file: SourceFile) -> tuple[bytes, str]:
    """Return a file's bytes and their fingerprint. Raises InputError where it cannot be read."""
    try:
        data = file.path.read_bytes()
    except OSError as error:
        raise InputError(f'"{file.name}" cannot be read: {error.strerror}.') from error
    reading = READING_GLTF if file.path.suffix.lower() in GLTF_ENDINGS else READING
    return data, hashlib.sha256(data + f"reading {reading}".encode()).hexdigest()


def bvh_take(file: SourceFile, data: bytes, fingerprint: str) -> Take:
    """Return the take of a BVH file. Raises InputError."""
    motion = read_bvh_motion(file.path, data).motion
    return take_of(file.stem, file.name, motion, fingerprint)


def take_of(name: str, source: str, motion: Motion, fingerprint: str, tags: Mapping[str, str] | None = None) -> Take:
    """Return a take as it has just been read."""
    digest = skeleton_digest(motion.skeleton, motion.translated)
    return Take(name, source, motion, fingerprint, digest, motion.frames_per_second, MappingProxyType(dict(tags or {})))


def skeleton_digest(skeleton: Skeleton, translated: NDArray[np.int64]) -> str:
    """Return a digest of a skeleton's names, parents and proportions.

    translated: joints whose offset is a place, as that of the hips in many files, and says nothing of the body.
    """
    offsets = skeleton.rest_translations.copy()
    offsets[translated] = 0.0
    rounded = np.round(np.hstack((100 * offsets / _extent(offsets), skeleton.rest_rotations)), DIGITS) + 0.0
    said = repr((skeleton.names, skeleton.parents.tolist(), rounded.tolist()))
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def _extent(offsets: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(offsets, axis=1).sum()) or 1.0


def _written(name: str) -> str:
    """Return a name as UTF-8 can have it; bytes of a name that are no UTF-8 come from archives of other systems."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _raise_unreadable(error: OSError) -> None:
    raise InputError(f'The folder "{error.filename}" cannot be read: {error.strerror}.') from error
