# SPDX-License-Identifier: GPL-3.0-or-later
"""Catalogs of the asset library that a .blend file lies in, as Blender keeps them: lines of a text file."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

from ..core import InputError

CATALOGS = "blender_assets.cats.txt"
"""Blender's file of an asset library's catalogs, in its folder or one above a .blend."""
HEADER = """# This is an Asset Catalog Definition file for Blender.
#
# Empty lines and lines starting with `#` will be ignored.
# The first non-ignored line should be the version indicator.
# Other lines are of the format "UUID:catalog/path/for/assets:simple catalog name"

VERSION 1

"""
NAMES = uuid.UUID("5d9b0a0e-3a0e-4c0c-9c3a-0d3a2f6c7b11")
"""The same catalog gets the same identifier in all files."""


def catalogs_of(blend: Path) -> dict[str, str]:
    """Return the paths of the catalogs of the asset library that a file lies in, by their identifiers."""
    file = _file_of(blend)
    return dict(_entries(file.read_text(encoding="utf-8", errors="replace"))) if file.is_file() else {}


def ensure_catalog(blend: Path, path: str) -> str:
    """Return the identifier of a catalog of the asset library that a .blend file lies in, added where it is missing.

    path: as "Walks/Tired". The file is replaced whole. Raises InputError where it cannot be read or written, and for
    a path without a name.
    """
    file = _file_of(blend)
    path = "/".join(part.strip() for part in path.replace(":", "-").replace("\\", "-").split("/") if part.strip())
    if not path or not path.isprintable():
        raise InputError("The catalog has no name that can be written; say it as Walks/Tired.")
    try:
        text = file.read_text(encoding="utf-8") if file.is_file() else HEADER
        for identifier, known in _entries(text):
            if known == path:
                return identifier
        identifier = str(uuid.uuid5(NAMES, path))
        unfinished = file.with_name(f"{file.name}.unfinished")
        ending = "" if text.endswith("\n") else "\n"
        unfinished.write_text(f"{text}{ending}{identifier}:{path}:{path.replace('/', '-')}\n", encoding="utf-8")
        os.replace(unfinished, file)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f'The catalogs in "{file}" cannot be written; check the file and its folder.') from error
    return identifier


def _file_of(blend: Path) -> Path:
    """Return the file of the catalogs, which lies beside a .blend or above it; where there is none, the one to make."""
    folders = blend.absolute().parents
    return next((folder / CATALOGS for folder in folders if (folder / CATALOGS).is_file()), folders[0] / CATALOGS)


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """Yield the identifier and path of each catalog in the text of a file."""
    for line in text.splitlines():
        entry = line.split(":")
        if len(entry) >= 3 and not line.startswith("#"):
            yield entry[0].strip(), entry[1].strip()
