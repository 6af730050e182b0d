# SPDX-License-Identifier: GPL-3.0-or-later
"""Indexes of libraries' poses, kept in memory and on disk, so that a second search begins at once."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from ...core import InputError, Motion, Progress, part_of_progress
from ...core.examples import memory_errors_told
from ...core.library import ClipLibrary, KeptFiles, PoseIndex, build_pose_index, made_once
from ..choosing import folder_of
from ..last_used import LastUsed

INDEXES = KeptFiles(".poses", 2, PoseIndex)

_kept = LastUsed[str, PoseIndex]()
"""The indexes in memory, by the fingerprint of their library."""


@memory_errors_told()
def index_of(library: ClipLibrary) -> PoseIndex:
    """Return the index of all clips' poses. Raises InputError if the library has no clips."""
    return _kept.made_once(library.fingerprint, lambda: make_indexes([library])[library.fingerprint])


@memory_errors_told()
def make_indexes(libraries: Sequence[ClipLibrary], progress: Progress | None = None) -> dict[str, PoseIndex]:
    """Return the indexes of libraries by fingerprint, without access to Blender data. Raises InputError, or Cancelled.

    progress: see `core.Progress`.
    """
    indexes: dict[str, PoseIndex] = {}
    for number, library in enumerate(libraries):
        if not library.clips:
            raise InputError("The library has no clips to search in; build it again from a folder with motion in it.")
        motions = [library.motion(clip) for clip in range(len(library.clips))]
        share = part_of_progress(progress, number / len(libraries), (number + 1) / len(libraries))
        indexes[library.fingerprint] = kept_index(motions, folder_of(library), share)
    return indexes


def kept_index(motions: Sequence[Motion], folder: Path | None, progress: Progress | None = None) -> PoseIndex:
    """Return the index of motions, read from a folder if it was stored there before, otherwise computed and stored.

    progress: see `core.Progress`. Raises InputError as `core.library.build_pose_index` does, and Cancelled.
    """
    make = partial(build_pose_index, motions, progress=progress)

    def fits(index: PoseIndex) -> bool:
        first, lengths = motions[0], [motion.frames for motion in motions]
        content = index.space.joints, index.frames_per_second, (index.stops - index.starts).tolist()
        return content == (first.skeleton.names, first.frames_per_second, lengths)

    return made_once(INDEXES, folder, tuple(motions), make, examples=motions, fits=fits)


def without_index(libraries: Sequence[ClipLibrary]) -> list[ClipLibrary]:
    """Return the libraries that have clips but no index yet."""
    return [library for library in libraries if library.clips and library.fingerprint not in _kept]


def keep_indexes(indexes: Mapping[str, PoseIndex]) -> None:
    """Keep indexes in memory, in place of those that were unused for the longest time."""
    _kept.keep(indexes)


def keep_index(library: ClipLibrary, changed: ClipLibrary) -> None:
    """Use the index of a library for a changed one that differs only in tags."""
    if library.fingerprint in _kept:
        _kept[changed.fingerprint] = _kept[library.fingerprint]
