# SPDX-License-Identifier: GPL-3.0-or-later
"""Choice of the clips to learn from: those that tags and search words select, up to a number of frames."""

import os
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import bpy
import numpy as np

from ..animation.labels import LABELS
from ..core import InputError, Motion, counted
from ..core.examples import is_cycle
from ..core.fields import items, settle, text, whole_number
from ..core.library import Clip, ClipLibrary, load_library, motions_of, parse_choice, values_of
from .last_used import LastUsed
from .tags_there import tags_to_ask, why_none_fits
from .takes import file_of
from .traveling import Entry, traveling

MOST_FRAMES = 20_000
"""Most frames of clips to learn from unless another number is given: eleven minutes. They are read and prepared once,
in 6 s of a busy core; 10,000 take 3 s, but are too few clips for each seed to have a shortlist."""
FEWEST_SECONDS = 1.0
"""Shortest clip in seconds that is not a cycle, if there are longer ones: the shortest limits the length of patches."""
FIRST_OF_CLIP = 1.0
"""The frame at which a clip begins when it is opened as an action."""
MISSING = (0, 0)
"""The state of a file that does not exist."""
KEPT_LOADED = 64
"""Most libraries that stay in memory, without their frames: some 2 MB for 1,500 clips."""


@dataclass(frozen=True)
class LibraryChoice:
    """Libraries to learn from, and the choice of their clips.

    files: paths as Blender writes them, "//" at their beginning being the open file's folder. tags: such as
    "style=angry, action=walk". search: words to find in names, sources and tags. frames: most frames of all clips
    together. fingerprints: of the libraries from which a result was made; empty before that.
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
    """Clips to learn from.

    names: distinct names, by which results refer to them. motions: on their libraries' skeletons. rates: the frames
    per second of each. checksums: of the motions, see `ClipLibrary.checksums`. notes: sentences for the user.
    """

    clips: tuple[Clip, ...]
    names: tuple[str, ...]
    motions: Sequence[Motion]
    rates: tuple[float, ...]
    checksums: tuple[int, ...]
    notes: tuple[str, ...] = ()


_loaded = LastUsed[Path, tuple[tuple[int, int], ClipLibrary]](KEPT_LOADED)


def library_in(file: str) -> ClipLibrary:
    """Return the library in a file, given by Blender's path; the last few stay in memory. Raises InputError."""
    path, state = _place_and_state(file)
    kept = _loaded.get(path)
    if kept is None or kept[0] != state:
        kept = (state, load_library(path))
    _loaded.keep({path: kept})
    return kept[1]


def loaded_library(file: str) -> ClipLibrary | None:
    """Return a file's library if it is in memory and up to date, otherwise None; quick enough for drawing a panel."""
    path, state = _place_and_state(file)
    kept = _loaded.get(path)
    return None if kept is None or kept[0] != state else kept[1]


def check_there(file: str) -> None:
    """Raise InputError if the file does not exist; quick enough for drawing a panel."""
    path, state = _place_and_state(file)
    if state == MISSING:
        raise InputError(f'There is no library "{path}"; it was moved or renamed; choose it again.')


def suggested_tags(files: Sequence[str], text: str) -> list[str]:
    """Return completions of a text that is being typed, each with one more tag; unreadable libraries are ignored."""
    libraries = []
    for file in files:
        with suppress(InputError):
            libraries.append(library_in(file))
    return tags_to_ask(libraries, text)


def states_of(choice: LibraryChoice) -> tuple[tuple[int, int], ...]:
    """Return values that change with the files of a choice; quick enough for drawing a panel."""
    return tuple(_place_and_state(file)[1] for file in choice.files)


def _place_and_state(file: str) -> tuple[Path, tuple[int, int]]:
    path = Path(bpy.path.abspath(file)).absolute()
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return path, MISSING
    return path, (status.st_mtime_ns, status.st_size)


def choose_clips(choice: LibraryChoice, labels: str = "", *, travel: bool = False) -> ChosenClips:
    """Return the clips to learn from.

    labels: over time; some clips with each of their tags are chosen. travel: whether the result follows a path, so that
    clips that stay in place are left out. Raises InputError if a library cannot be read, or if no clip fits.
    """
    if not choice.files:
        raise InputError("There is no library to learn from; choose the file of one.")
    libraries = [library_in(file) for file in choice.files]
    entries = _found(choice, libraries)
    if not entries:
        raise InputError(why_none_fits(libraries, choice.tags, choice.search))
    lengths = zip(entries, _lengths(entries), strict=True)
    lasting = [entry for entry, frames in lengths if _lasts(entry, frames)] or entries
    going = traveling(lasting) if travel else lasting
    kept = _some(going, choice.frames, labels)
    notes = []
    if len(lasting) < len(entries):
        notes.append(f"{counted(len(entries) - len(lasting), 'clip')} shorter than {FEWEST_SECONDS:g} s left out.")
    if len(going) < len(lasting):
        notes.append(f"{counted(len(lasting) - len(going), 'clip')} left out that do not travel as a path is followed.")
    if len(kept) < len(going):
        notes.append(
            f"{len(kept):,} of {counted(len(going), 'clip')} are learned from, evenly spread, up to "
            f"{choice.frames:,} frames; narrow the choice by tags, or allow more frames."
        )
    return ChosenClips(
        tuple(map(_clip, kept)),
        tuple(_names(kept, entries)),
        motions_of(kept),
        tuple(library.frames_per_second for library, _ in kept),
        tuple(int(library.checksums[index]) for library, index in kept),
        tuple(notes),
    )


def fingerprints_of(choice: LibraryChoice) -> tuple[str, ...]:
    """Return the present fingerprints of the libraries. Raises InputError if one cannot be read."""
    return tuple(library_in(file).fingerprint for file in choice.files)


def preparations_beside(choice: LibraryChoice) -> Path:
    """Return the folder that stores preparations of a choice, beside its first library."""
    return beside(_place_and_state(choice.files[0])[0])


def beside(path: Path) -> Path:
    """Return the folder that stores data computed from a library's file."""
    return path.with_suffix(".preparations")


def folder_of(library: ClipLibrary) -> Path | None:
    """Return the folder that stores data computed from a library; None if it was not loaded from a file."""
    paths = [path for path, (_, loaded) in tuple(_loaded.items()) if loaded is library]
    return beside(paths[0]) if paths else None


def clip_called(choice: LibraryChoice, name: str) -> Motion:
    """Return the motion of a clip, given by the name that results use.

    Raises InputError if a library cannot be read, or does not have the clip any more.
    """
    entries = _found(choice, [library_in(file) for file in choice.files])
    names = _names(entries, entries)
    if name not in names:
        raise InputError(f'The library no longer has the clip "{name}", since it was built again; choose another.')
    library, index = entries[names.index(name)]
    return library.motion(index)


def clip_names(choice: LibraryChoice) -> list[str]:
    """Return the names of the chosen clips that `clip_called` knows. Raises InputError if a library cannot be read."""
    entries = _found(choice, [library_in(file) for file in choice.files])
    return _names(entries, entries)


def label_tags(clip: Clip) -> tuple[str, ...]:
    """Return a clip's tags in the form of labels over time, without tags that have no value."""
    return tuple(f"{key}={value}" for key, value in clip.tags.items() if value)


def _found(choice: LibraryChoice, libraries: Sequence[ClipLibrary]) -> list[Entry]:
    tags = parse_choice(choice.tags)
    chosen = [library.chosen(tags, choice.search).tolist() for library in libraries]
    found = [(library, index) for library, numbers in zip(libraries, chosen, strict=True) for index in numbers]
    if len(libraries) == 1:
        return found
    # Clips of several libraries are in the order of one library of all, however they are split.
    places: list[tuple[bool, str, str, str]] = []
    for library, numbers in zip(libraries, chosen, strict=True):
        of_library = _places_of(library)
        places += [of_library[index] for index in numbers]
    return [found[number] for number in sorted(range(len(found)), key=places.__getitem__)]


def _places_of(library: ClipLibrary) -> list[tuple[bool, str, str, str]]:
    """Return the place of each clip in the order of one library of all clips."""
    mirrored, sources, fingerprints = (values_of(library.clips, name) for name in ("mirrored", "source", "fingerprint"))
    return list(zip(mirrored, map(file_of, sources), fingerprints, repeat(library.fingerprint)))


def _names(some: Sequence[Entry], entries: Sequence[Entry]) -> list[str]:
    """Return a name for some of the chosen clips: its own, or its source if several chosen clips have that name."""
    libraries = {id(library): library for library, _ in entries}
    names = {number: values_of(library.clips, "name") for number, library in libraries.items()}
    times = Counter(names[id(library)][index] for library, index in entries)
    return [
        clip.name if times[clip.name] == 1 else f"{clip.source}{' mirrored' if clip.mirrored else ''}"
        for clip in map(_clip, some)
    ]


def _some(entries: Sequence[Entry], frames: int, labels: str) -> list[Entry]:
    """Return evenly spread clips with at most `frames` frames together; at least one, and one for each label."""
    lengths = _lengths(entries)
    if sum(lengths) <= frames:
        return list(entries)
    label_tags = [stretch.tag.partition("=")[::2] for stretch in LABELS.parse(labels)]
    groups = [
        [place for place, entry in enumerate(entries) if _clip(entry).tags.get(key) == value]
        for key, value in label_tags
    ]
    groups = [group for group in groups if group] or [list(range(len(entries)))]
    kept: set[int] = set()
    spare, shortest = frames, min(lengths)
    for group in groups:
        left = frames // len(groups)
        for place in _evenly(group):
            if lengths[place] <= left or not kept:
                left -= lengths[place]
                spare -= lengths[place]
                kept.add(place)
            elif left < shortest:
                break
    # Frames that a label with few clips does not use go to the other labels.
    for group in groups:
        for place in _evenly(group):
            if spare < shortest:
                break
            if lengths[place] <= spare and place not in kept:
                spare -= lengths[place]
                kept.add(place)
    return [entries[place] for place in sorted(kept)]


def _evenly(group: Sequence[int]) -> list[int]:
    """Return a group in an order in which every beginning is spread over the whole group (van der Corput)."""
    order = np.zeros(1, np.int64)
    while len(order) < len(group):
        order = np.concatenate((2 * order, 2 * order + 1))
    return [group[place] for place in order[order < len(group)].tolist()]


def _clip(entry: Entry) -> Clip:
    return entry[0].clips[entry[1]]


def _lasts(entry: Entry, frames: int) -> bool:
    """Return whether a clip of a number of frames is long enough to learn from, or is a cycle, which goes on."""
    library, index = entry
    return frames / library.frames_per_second >= FEWEST_SECONDS or is_cycle(library.motion(index))


def _lengths(entries: Sequence[Entry]) -> list[int]:
    """Return the numbers of frames of clips."""
    listed = {id(library): library for library, _ in entries}
    frames = {key: (library.stops - library.starts).tolist() for key, library in listed.items()}
    return [frames[id(library)][index] for library, index in entries]
