# SPDX-License-Identifier: GPL-3.0-or-later
"""Linked libraries of the open file that are missing, or that no longer contain the linked data-blocks."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bpy

from ..animation.stretches.linked import missing_clause
from ..core import InputError
from .newer_files import note_on_version


def missing_links() -> tuple[str, ...]:
    """Return a clause for each library of the open file from which a linked data-block is missing."""
    clauses = []
    for library in bpy.data.libraries:
        names = sorted(block.name for block in library.users_id if block.is_missing)
        if names:
            clauses.append(missing_clause(library, names))
    return tuple(clauses)


def notes_on_open_file() -> tuple[str, ...]:
    """Return notes for the user on missing data-blocks, and on the open file and its libraries from a newer Blender."""
    files = [(Path(bpy.data.filepath).name, bpy.data.version)] if bpy.data.filepath else []
    files += [(Path(library.filepath.replace("\\", "/")).name, library.version) for library in bpy.data.libraries]
    newer = tuple(note for name, version in files for note in note_on_version(name, version))
    return newer + tuple(
        f"{clause[0].upper()}{clause[1:]}; data linked from it are left out." for clause in missing_links()
    )


@contextmanager
def naming_missing_links() -> Iterator[None]:
    """Add the missing libraries to the message of an InputError raised in the block, since they may be its cause."""
    try:
        yield
    except InputError as error:
        missing = missing_links()
        if not missing:
            raise
        raise InputError(f"{str(error).rstrip('.')}; {', and '.join(missing)}.") from error
