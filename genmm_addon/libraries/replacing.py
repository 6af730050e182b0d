# SPDX-License-Identifier: GPL-3.0-or-later
"""The file of a library replaced by a changed one, whole or not at all."""

import os
import tempfile
from pathlib import Path

from ..core import InputError
from ..core.clips import ClipLibrary, load_library, save_library


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
    unfinished = None
    try:
        handle, name = tempfile.mkstemp(suffix=".unfinished", prefix=f".{path.name}.", dir=path.parent)
        os.close(handle)
        unfinished = Path(name)
        save_library(unfinished, library)
        # A file of its own making is the user's alone.
        unfinished.chmod(path.stat().st_mode & 0o777)
        os.replace(unfinished, path)
    except OSError as error:
        if unfinished is not None:
            unfinished.unlink(missing_ok=True)
        raise InputError(
            f'"{path.name}" cannot be written: {error.strerror}; check its folder and the disk.'
        ) from error
