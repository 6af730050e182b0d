# SPDX-License-Identifier: GPL-3.0-or-later
"""The file of a library replaced by a changed one, whole or not at all."""

from pathlib import Path

from ..core import InputError
from ..core.clips import ClipLibrary, load_library, save_library
from ..files.replaced_files import replaced_whole


def library_to_replace(path: Path) -> ClipLibrary | None:
    """Return the library that a new one is written in place of; None where there is nothing.

    Raises InputError for any other file, which is never written over: it may be somebody's work, and a library of a
    later version is.
    """
    if not path.exists():
        return None
    try:
        return load_library(path)
    except InputError as error:
        raise InputError(
            f'"{path.name}" is there and cannot be read as a library, so it is not written over; '
            "remove it or choose another name."
        ) from error


def replace_library(path: Path, library: ClipLibrary) -> None:
    """Write a library in place of the one that is there. Raises InputError where that cannot be; then it stays."""
    try:
        path.stat()  # what was removed meanwhile is not made anew
        with replaced_whole(path) as unfinished:
            save_library(unfinished, library)
    except OSError as error:
        raise InputError(
            f'"{path.name}" cannot be written: {error.strerror}; check its folder and the disk.'
        ) from error
