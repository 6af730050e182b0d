# SPDX-License-Identifier: GPL-3.0-or-later
"""Indexes of libraries' poses, kept in memory: the second search in a library begins at once."""

from ...core import InputError
from ...core.clips import ClipLibrary
from ...core.memory import memory_errors_told
from ...core.search import PoseIndex, build_pose_index

KEPT = 2
"""Indexes that stay in memory until others are asked for: 0.27 kB a frame each."""

_kept: dict[str, PoseIndex] = {}
"""By the fingerprint of the library."""


@memory_errors_told()
def index_of(library: ClipLibrary) -> PoseIndex:
    """Return the index of all clips' poses. Raises InputError where the library has no clips."""
    if not library.clips:
        raise InputError("The library has no clips to search in; build it again from a folder with motion in it.")
    index = _kept.pop(library.fingerprint, None)
    if index is None:
        index = build_pose_index([library.motion(number) for number in range(len(library.clips))])
    _kept[library.fingerprint] = index
    while len(_kept) > KEPT:
        del _kept[next(iter(_kept))]
    return index


def keep_index(library: ClipLibrary, changed: ClipLibrary) -> None:
    """Have the index of a library serve another one with the same frames, of which only tags are others."""
    if library.fingerprint in _kept:
        _kept[changed.fingerprint] = _kept[library.fingerprint]
