# SPDX-License-Identifier: GPL-3.0-or-later
"""Sets of motions given to a command: libraries, .npz motions, BVH files, and folders of them; without a scene."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...core import InputError, Motion, load_motion
from ...core.library import ClipLibrary, load_library
from ...core.motion import format_of, read_bvh_motion
from ...core.storage import Malformed
from ...files.import_file import check_file
from ...libraries.one_skeleton import is_same_skeleton, matches_onto, onto
from ...libraries.takes import take_of

ENDINGS = (".npz", ".bvh")
_SEED = re.compile(r"[_\-. ]*\d+$")


@dataclass(frozen=True, eq=False)
class NamedMotion:
    """A motion and its name."""

    name: str
    motion: Motion

    @property
    def group(self) -> str:
        """Return the name without its number, shared by all seeds or takes of a motion."""
        return _SEED.sub("", self.name) or self.name


def motions_in(inputs: Sequence[Path]) -> list[NamedMotion]:
    """Return the motions of files and folders; those of a folder are sorted by name. Raises InputError."""
    motions: list[NamedMotion] = []
    for path in inputs:
        files = _files_of(path) if path.is_dir() else [path]
        for file in files:
            motions += _motions_of(file)
    return motions


def on_skeleton_of(motions: Sequence[NamedMotion], library: ClipLibrary) -> list[NamedMotion]:
    """Return motions on a library's skeleton, at its rate. Raises InputError for one of a different creature."""
    takes = [take_of(named.name, named.name, named.motion, "") for named in motions]
    reference, moved = library.motion(0), list[NamedMotion]()
    others = [take for take in takes if not is_same_skeleton(take.motion, reference)]
    clip = library.clips[0]
    chosen = take_of(clip.name, clip.source, reference, clip.fingerprint)
    matches = matches_onto(others, chosen)
    for take in takes:
        try:
            moved.append(NamedMotion(take.name, onto(take, chosen, library.frames_per_second, matches=matches)))
        except InputError as error:
            raise InputError(f'"{take.name}" does not fit the skeleton of the library: {error}') from error
    return moved


def library_with_clips(path: Path) -> ClipLibrary:
    """Return the library in a file. Raises InputError without a library or clips."""
    library = load_library(path)
    if not library.clips:
        raise InputError(f'"{path.name}" has no clips; build it again from a folder with motions.')
    return library


def clips_of(library: ClipLibrary) -> list[NamedMotion]:
    """Return the clips of a library as named motions."""
    return [NamedMotion(clip.name, library.motion(number)) for number, clip in enumerate(library.clips)]


def _files_of(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in ENDINGS and path.name[0] != ".")
    if not files:
        raise InputError(f'The folder "{folder}" contains no {" or ".join(ENDINGS)} file; choose another.')
    return files


def _motions_of(path: Path) -> list[NamedMotion]:
    suffix = path.suffix.lower()
    if suffix not in ENDINGS:
        raise InputError(f'"{path.name}" cannot be measured or searched for; use {" or ".join(ENDINGS)} files.')
    check_file(path)
    if suffix == ".bvh":
        return [NamedMotion(path.stem, read_bvh_motion(path, path.read_bytes()).motion)]
    if _is_library(path):
        return clips_of(load_library(path))
    return [NamedMotion(path.stem, load_motion(path))]


def _is_library(path: Path) -> bool:
    try:
        return format_of(path).startswith("GenMM library")
    except (OSError, Malformed):
        return False
