# SPDX-License-Identifier: GPL-3.0-or-later
"""Indexes of libraries' poses, kept on disk, of which a search reads what it needs, so that a second begins at once."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ...core import InputError, Progress, computing, part_of_progress
from ...core.library import ClipLibrary, KeptFiles, PoseIndex, build_pose_index, made_once
from ..choosing import KEPT_LOADED, folder_of
from ..last_used import LastUsed

INDEXES = KeptFiles(".poses", 2, in_file=True)

_kept = LastUsed[str, PoseIndex](KEPT_LOADED)
"""The last indexes, by the fingerprint of their library; large ones stay in their files if these can be written."""


@computing()
def index_of(library: ClipLibrary) -> PoseIndex:
    """Return the index of all clips' poses. Raises InputError if the library has no clips."""
    _ = without_index([library])  # which forgets an index whose file was removed
    return _kept.made_once(library.fingerprint, lambda: make_indexes([library])[library.fingerprint])


@computing()
def make_indexes(libraries: Sequence[ClipLibrary], progress: Progress | None = None) -> dict[str, PoseIndex]:
    """Return the indexes of libraries by fingerprint, without access to Blender data. Raises InputError, or Cancelled.

    progress: see `core.Progress`.
    """
    indexes: dict[str, PoseIndex] = {}
    for number, library in enumerate(libraries):
        if not library.clips:
            raise InputError("The library has no clips to search in; build it again from a folder with motion in it.")
        share = part_of_progress(progress, number / len(libraries), (number + 1) / len(libraries))
        indexes[library.fingerprint] = kept_index(library, folder_of(library), share)
    return indexes


def kept_index(library: ClipLibrary, folder: Path | None, progress: Progress | None = None) -> PoseIndex:
    """Return the index of a library's clips, read from a folder if it was stored there before, otherwise made and
    stored.

    progress: see `core.Progress`. Raises InputError as `core.library.build_pose_index` does, and Cancelled.
    """

    def make() -> PoseIndex:
        index = build_pose_index(library.motions, progress=progress)
        _ = index.coarse_rows  # computed now, so that they are stored
        return index

    # Of the frames, checksums suffice; tags change without them.
    asked = (library.skeleton, library.frames_per_second, library.translated, library.stops, library.checksums)
    return made_once(INDEXES, folder, asked, make, examples=(), frames=library.frames)


def without_index(libraries: Sequence[ClipLibrary]) -> list[ClipLibrary]:
    """Return the libraries that have clips but no index yet, or one whose file was removed since."""
    for library in libraries:
        if library.fingerprint in _kept and not _kept[library.fingerprint].is_there:
            del _kept[library.fingerprint]
    return [library for library in libraries if library.clips and library.fingerprint not in _kept]


def keep_indexes(indexes: Mapping[str, PoseIndex]) -> None:
    """Keep indexes in memory, in place of those that were unused for the longest time."""
    _kept.keep(indexes)


def keep_index(library: ClipLibrary, changed: ClipLibrary) -> None:
    """Use the index of a library for a changed one that differs only in tags."""
    if library.fingerprint in _kept:
        _kept[changed.fingerprint] = _kept[library.fingerprint]
