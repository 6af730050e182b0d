# SPDX-License-Identifier: GPL-3.0-or-later
"""The clips of libraries that are learned from: those that tags and words choose, and as many of them as are wanted."""

import os
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import bpy

from ..animation.labels import parse_labels
from ..core import InputError, Motion, counted
from ..core.clips import Clip, ClipLibrary, load_library, parse_choice
from ..core.fields import items, settle, text, whole_number
from .tags_there import tags_to_ask, why_none_fits
from .traveling import traveling

MOST_FRAMES = 20_000
"""Frames of clips that are learned from unless another number is asked for: eleven minutes. They are read and
prepared once, in 6 s of a busy core; 10,000 take 3 s, but are too few clips for each seed to have a shortlist."""
FEWEST_SECONDS = 1.0
"""Shorter clips are left out where there are longer ones: the shortest clip bounds how long the patches are."""
FIRST_OF_CLIP = 1.0
"""The frame at which a clip begins where it is opened as an action."""
MISSING = (0, 0)
"""The state of a file that is not there."""
KEPT_LOADED = 4
"""Libraries that stay in memory until others are asked for."""


@dataclass(frozen=True)
class LibraryChoice:
    """Libraries to learn from, and which of their clips.

    files: paths as Blender writes them, "//" at their beginning being the open file's folder. tags: as "style=angry,
    action=walk". search: words that are looked for in names, sources and tags. frames: of all clips together, at most.
    fingerprints: of the libraries as they were when a result was made of them; none before that.
    """

    files: tuple[str, ...]
    tags: str = ""
    search: str = ""
    frames: int = MOST_FRAMES
    fingerprints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        settle(
            self,
            files=items(text, "a list of files"),
            tags=text,
            search=text,
            frames=whole_number,
            fingerprints=items(text, "a list of fingerprints"),
        )
        parse_choice(self.tags)
        if self.frames < 1:
            raise InputError("The most frames of clips to learn from must be 1 or more.")


@dataclass(frozen=True, eq=False)
class ChosenClips:
    """Clips that are learned from.

    names: by which results know them, distinct. motions: as they are in their libraries. notes: sentences for the user.
    """

    clips: tuple[Clip, ...]
    names: tuple[str, ...]
    motions: tuple[Motion, ...]
    notes: tuple[str, ...] = ()


_loaded: dict[Path, tuple[tuple[int, int], ClipLibrary]] = {}


def library_in(file: str) -> ClipLibrary:
    """Return the library in a file, as Blender writes its path; the last few stay loaded. Raises InputError."""
    path, state = _place_and_state(file)
    kept = _loaded.pop(path, None)
    if kept is None or kept[0] != state:
        kept = (state, load_library(path))
    _loaded[path] = kept
    while len(_loaded) > KEPT_LOADED:
        del _loaded[next(iter(_loaded))]
    return kept[1]


def loaded_library(file: str) -> ClipLibrary | None:
    """Return the library in a file where it is loaded and as it is on the disk; quick enough for drawing a panel."""
    path, state = _place_and_state(file)
    kept = _loaded.get(path)
    return None if kept is None or kept[0] != state else kept[1]


def check_there(file: str) -> None:
    """Raise InputError where there is no such file; quick enough for drawing a panel."""
    path, state = _place_and_state(file)
    if state == MISSING:
        raise InputError(f'There is no library "{path}"; it was moved or renamed: choose it anew.')


def suggested_tags(files: Sequence[str], text: str) -> list[str]:
    """Return texts that ask for one tag of the libraries' clips more, while one is typed; those that can be read."""
    libraries = []
    for file in files:
        with suppress(InputError):
            libraries.append(library_in(file))
    return tags_to_ask(libraries, text)


def states_of(choice: LibraryChoice) -> tuple[tuple[int, int], ...]:
    """Return what changes with the files of a choice; quick enough for drawing a panel."""
    return tuple(_place_and_state(file)[1] for file in choice.files)


def _place_and_state(file: str) -> tuple[Path, tuple[int, int]]:
    path = Path(bpy.path.abspath(file)).absolute()
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return path, MISSING
    return path, (found.st_mtime_ns, found.st_size)


def choose_clips(choice: LibraryChoice, labels: str = "", *, travel: bool = False) -> ChosenClips:
    """Return the clips that are learned from. labels: over time, whose tags some clips should have. travel: along a
    path, so that clips which stay in place are left out.

    Raises InputError where a library cannot be read, and where no clip fits.
    """
    if not choice.files:
        raise InputError("There is no library to learn from; choose the file of one.")
    libraries = [library_in(file) for file in choice.files]
    found = _found(choice, libraries)
    if not found:
        raise InputError(why_none_fits(libraries, choice.tags, choice.search))
    lasting = [(library, index) for library, index in found if _seconds(library, index) >= FEWEST_SECONDS] or found
    going = _traveling(lasting) if travel else lasting
    kept = _some(going, choice.frames, labels)
    notes = []
    if len(lasting) < len(found):
        notes.append(f"{counted(len(found) - len(lasting), 'clip')} shorter than {FEWEST_SECONDS:g} s left out.")
    if len(going) < len(lasting):
        notes.append(f"{counted(len(lasting) - len(going), 'clip')} left out that do not travel as a path is followed.")
    if len(kept) < len(going):
        notes.append(
            f"{len(kept):,} of {counted(len(going), 'clip')} are learned from, evenly spread, up to "
            f"{choice.frames:,} frames; narrow the choice by tags, or allow more frames."
        )
    names = _names([_clip(entry) for entry in found])
    name_of = {(id(library), index): name for (library, index), name in zip(found, names, strict=True)}
    return ChosenClips(
        tuple(library.clips[index] for library, index in kept),
        tuple(name_of[id(library), index] for library, index in kept),
        tuple(library.motion(index) for library, index in kept),
        tuple(notes),
    )


def fingerprints_of(choice: LibraryChoice) -> tuple[str, ...]:
    """Return the fingerprints of the libraries as they are. Raises InputError where one cannot be read."""
    return tuple(library_in(file).fingerprint for file in choice.files)


def preparations_beside(choice: LibraryChoice) -> Path:
    """Return the folder in which what is prepared of a choice is kept: beside its first library."""
    return beside(_place_and_state(choice.files[0])[0])


def beside(path: Path) -> Path:
    """Return the folder in which what is made of a library's file is kept."""
    return path.with_suffix(".preparations")


def folder_of(library: ClipLibrary) -> Path | None:
    """Return the folder in which what is made of a library is kept; None for one that is not loaded from a file."""
    paths = [path for path, (_, loaded) in tuple(_loaded.items()) if loaded is library]
    return beside(paths[0]) if paths else None


def clip_called(choice: LibraryChoice, name: str) -> Motion:
    """Return the motion of a clip by the name that results have for it.

    Raises InputError where a library cannot be read, or no longer has the clip.
    """
    found = _found(choice, [library_in(file) for file in choice.files])
    names = _names([_clip(entry) for entry in found])
    if name not in names:
        raise InputError(f'The library no longer has the clip "{name}"; it has changed since.')
    library, index = found[names.index(name)]
    return library.motion(index)


def label_tags(clip: Clip) -> tuple[str, ...]:
    """Return a clip's tags as labels over time know them; those without a value are none."""
    return tuple(f"{key}={value}" for key, value in clip.tags.items() if value)


def _found(choice: LibraryChoice, libraries: Sequence[ClipLibrary]) -> list[tuple[ClipLibrary, int]]:
    tags = parse_choice(choice.tags)
    return [(library, int(index)) for library in libraries for index in library.chosen(tags, choice.search)]


def _names(clips: Sequence[Clip]) -> list[str]:
    """Return a name for each clip: its own, or where several have that one, its source."""
    times = Counter(clip.name for clip in clips)
    return [
        clip.name if times[clip.name] == 1 else f"{clip.source}{' mirrored' if clip.mirrored else ''}" for clip in clips
    ]


def _some(found: Sequence[tuple[ClipLibrary, int]], frames: int, labels: str) -> list[tuple[ClipLibrary, int]]:
    """Return clips that have that many frames together at most, evenly spread; at least one, and one of each label."""
    if sum(_clip(entry).frames for entry in found) <= frames:
        return list(found)
    label_tags = [stretch.tag.partition("=")[::2] for stretch in parse_labels(labels)]
    groups = [[entry for entry in found if _clip(entry).tags.get(key) == value] for key, value in label_tags]
    groups = [group for group in groups if group] or [list(found)]
    kept: dict[tuple[int, int], tuple[ClipLibrary, int]] = {}
    spare = frames
    for group in groups:
        left = frames // len(groups)
        for entry in _evenly(group):
            if _clip(entry).frames <= left or not kept:
                left -= _clip(entry).frames
                spare -= _clip(entry).frames
                kept[id(entry[0]), entry[1]] = entry
    # What a label with few clips leaves over goes to the others.
    for group in groups:
        for entry in _evenly(group):
            if _clip(entry).frames <= spare and (id(entry[0]), entry[1]) not in kept:
                spare -= _clip(entry).frames
                kept[id(entry[0]), entry[1]] = entry
    places = {(id(library), index): place for place, (library, index) in enumerate(found)}
    return sorted(kept.values(), key=lambda entry: places[id(entry[0]), entry[1]])


def _traveling(found: Sequence[tuple[ClipLibrary, int]]) -> list[tuple[ClipLibrary, int]]:
    libraries = {id(library): library for library, _ in found}
    return [
        (library, number)
        for library in libraries.values()
        for number in traveling(library, [index for owner, index in found if owner is library])
    ]


def _evenly(group: Sequence[tuple[ClipLibrary, int]]) -> list[tuple[ClipLibrary, int]]:
    """Return a group in an order of which each beginning is spread over all of it (van der Corput's)."""
    width = max(len(group) - 1, 1).bit_length()
    order = sorted(range(2**width), key=lambda place: int(f"{place:0{width}b}"[::-1], 2))
    return [group[place] for place in order if place < len(group)]


def _clip(entry: tuple[ClipLibrary, int]) -> Clip:
    return entry[0].clips[entry[1]]


def _seconds(library: ClipLibrary, index: int) -> float:
    return library.clips[index].frames / library.frames_per_second
