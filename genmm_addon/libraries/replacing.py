# SPDX-License-Identifier: GPL-3.0-or-later
"""Replacement of a library's file by a changed library, as a whole or not at all."""

import os
from pathlib import Path

from ..core import InputError
from ..core.library import ClipLibrary, load_library, save_library


def library_to_replace(path: Path) -> ClipLibrary | None:
    """Return the library in a file that a new library should replace; None if there is no file.

    Raises InputError for any other file, including a library of a later version, since it is never overwritten.
    """
    if not os.path.lexists(path):
        return None
    try:
        if not path.is_file():  # a pipe would never end
            raise InputError(f'"{path}" is not a file.')
        return load_library(path)
    except InputError as error:
        raise InputError(
            f'"{path.name}" is there and cannot be read as a library, so it is not written over; '
            "remove it or choose another name."
        ) from error


def replace_library(path: Path, library: ClipLibrary) -> None:
    """Replace a library's file. Raises InputError if it cannot be written; the file is then unchanged."""
    try:
        path.stat()  # a file that was removed meanwhile is not written again
        save_library(path, library)
    except OSError as error:
        raise InputError(
            f'"{path.name}" cannot be written: {error.strerror}; check its folder and the disk.'
        ) from error
