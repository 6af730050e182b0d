# SPDX-License-Identifier: GPL-3.0-or-later
"""The libraries of a panel, and the choice of their clips to learn from or to search."""

from functools import lru_cache

from bpy.types import Object

from ..animation.reading.example_spec import ExampleSpec
from ..core import InputError, counted
from ..core.library import parse_choice
from ..libraries.choosing import LibraryChoice, check_there, label_tags, loaded_library
from ..libraries.tags_there import why_none_fits
from ..state.pins_editing import own_assignment
from ..state.properties import GENMM_PG_character


def learns_from_library(settings: GENMM_PG_character) -> bool:
    """Return whether the panel is set to learn from libraries."""
    return bool(settings.learn_from == "LIBRARY")


def are_loaded(settings: GENMM_PG_character) -> bool:
    """Return whether all libraries of the panel are loaded; fast enough to draw."""
    return all(loaded_library(file) is not None for file in library_files(settings))


def library_files(settings: GENMM_PG_character) -> tuple[str, ...]:
    """Return the files of the character's libraries, in Blender's notation of paths."""
    return tuple(item.path for item in settings.library_files if item.path)


def library_choice(settings: GENMM_PG_character) -> LibraryChoice | None:
    """Return the choice of clips; None where the panel learns from actions. Raises InputError without a library."""
    if not learns_from_library(settings):
        return None
    files = library_files(settings)
    if not files:
        raise InputError("No library is chosen; add a library file, or build one.")
    return LibraryChoice(files, settings.library_tags, settings.library_search, settings.library_frames)


def chosen_text(settings: GENMM_PG_character) -> str:
    """Return the chosen clips and minutes, in words; "" where a library is not loaded yet. Fast enough to draw.

    Raises InputError for tags that cannot be read, for a missing library, and where no clip fits.
    """
    clips, minutes, files = 0, 0.0, list[tuple[str, str]]()
    for item in settings.library_files:
        if not item.path:
            continue
        check_there(item.path)
        library = loaded_library(item.path)
        if library is None:
            return ""
        files.append((item.path, library.fingerprint))
        count, seconds = _chosen(item.path, library.fingerprint, settings.library_tags, settings.library_search)
        clips, minutes = clips + count, minutes + seconds / 60
    if files and not clips:
        raise InputError(_why_none(tuple(files), settings.library_tags, settings.library_search))
    return f"{counted(clips, 'clip')}, {minutes:,.1f} minutes"


@lru_cache(maxsize=1)
def _why_none(files: tuple[tuple[str, str], ...], tags: str, search: str) -> str:
    """Return why no clip fits; called with files and fingerprints, so that the cache keeps no library in memory."""
    loaded = [loaded_library(path) for path, _ in files]
    return why_none_fits([library for library in loaded if library is not None], tags, search)


@lru_cache(maxsize=64)
def _chosen(path: str, fingerprint: str, tags: str, search: str) -> tuple[int, float]:
    library = loaded_library(path)
    if library is None or library.fingerprint != fingerprint:
        return 0, 0.0
    chosen = library.chosen(parse_choice(tags), search)
    frames = sum(library.clips[int(index)].frames for index in chosen)
    return len(chosen), frames / library.frames_per_second


def clip_specs(settings: GENMM_PG_character) -> list[ExampleSpec]:
    """Return an example for each combination of tags among the chosen clips of the libraries that are loaded."""
    specs: dict[tuple[str, ...], ExampleSpec] = {}
    for item in settings.library_files:
        library = loaded_library(item.path) if item.path else None
        if library is not None:
            for tags in _combinations(item.path, library.fingerprint, settings.library_tags, settings.library_search):
                specs.setdefault(tags, ExampleSpec(None, clip="any", tags=tags))
    return list(specs.values())


@lru_cache(maxsize=64)
def _combinations(path: str, fingerprint: str, tags: str, search: str) -> tuple[tuple[str, ...], ...]:
    library = loaded_library(path)
    if library is None or library.fingerprint != fingerprint:
        return ()
    clips = (library.clips[int(index)] for index in library.chosen(parse_choice(tags), search))
    return tuple(dict.fromkeys(label_tags(clip) for clip in clips))


def why_not_search(settings: GENMM_PG_character) -> str:
    """Return a sentence where the character has no library to search; "" where it has one."""
    return "" if library_files(settings) else "Add a library first, in the panel Library"


def search_choice(settings: GENMM_PG_character) -> LibraryChoice:
    """Return the panel's choice of clips in its libraries, even where it learns from actions."""
    return LibraryChoice(library_files(settings), settings.library_tags, settings.library_search)


def spec_to_find(character: Object) -> ExampleSpec:
    """Return the motion to search for: the character's own action, results included, or else its NLA."""
    assignment = own_assignment(character)
    return ExampleSpec(None) if assignment is None else ExampleSpec(assignment[0], assignment[1])
