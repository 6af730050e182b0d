# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogs of the asset library that contains a .blend file, read and written as Blender's text file."""

import re
import uuid
from collections.abc import Iterator
from pathlib import Path

from ..core import InputError
from ..core.storage import Malformed, read_bounded, whole_file

CATALOGS = "blender_assets.cats.txt"
"""Name of Blender's file of catalogs, in the asset library's folder: that of the .blend file or one above it."""
VERSION = "VERSION 1"
LARGEST_FILE = 2**24
"""Largest file of catalogs, in bytes: some hundred thousand of them."""
HEADER = f"""# This is an Asset Catalog Definition file for Blender.
#
# Empty lines and lines starting with `#` will be ignored.
# The first non-ignored line should be the version indicator.
# Other lines are of the format "UUID:catalog/path/for/assets:simple catalog name"

{VERSION}

"""
_IDENTIFIER = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
NAMES = uuid.UUID("5d9b0a0e-3a0e-4c0c-9c3a-0d3a2f6c7b11")
"""Namespace of the identifiers: a catalog of one path gets the same identifier in all files."""


def catalogs_of(blend: Path) -> dict[str, str]:
    """Return the paths of all catalogs in the asset library of a .blend file, by their identifiers.

    Raises InputError if the file of catalogs cannot be read.
    """
    file = _file_of(blend)
    try:
        content = read_bounded(file, LARGEST_FILE) if file.is_file() else b""
    except (OSError, Malformed) as error:
        raise InputError(f'The catalogs in "{file}" cannot be read; check the file.') from error
    return dict(_entries(content.decode("utf-8", errors="replace")))


def ensure_catalog(blend: Path, path: str) -> str:
    """Return the identifier of a catalog in the asset library of a .blend file; add the catalog if it is missing.

    path: such as "Walks/Tired". The file of catalogs is replaced as a whole. Raises InputError if it cannot be read
    or written, if it is of another version, and for a path without a name.
    """
    file, path = _file_of(blend), catalog_path(path)
    try:
        # Reading bytes keeps the file's own line ends.
        text = read_bounded(file, LARGEST_FILE).decode("utf-8") if file.is_file() else HEADER
        for identifier, known in _entries(text):
            if known == path:
                return identifier
        _check_version(file, text)
        identifier, line_end = str(uuid.uuid5(NAMES, path)), "\r\n" if "\r\n" in text else "\n"
        ending = "" if text.endswith("\n") else line_end
        line = f"{identifier}:{path}:{path.replace('/', '-')}{line_end}"
        with whole_file(file) as unfinished:
            unfinished.write_bytes(f"{text}{ending}{line}".encode())
    except (OSError, UnicodeDecodeError, Malformed) as error:
        raise InputError(f'The catalogs in "{file}" cannot be written; check the file and its folder.') from error
    return identifier


def catalog_path(path: str) -> str:
    """Return a catalog's path as Blender stores it, without colons. Raises InputError for a path without a name.

    >>> catalog_path(" Walks : Fast / Tired ")
    'Walks - Fast/Tired'
    """
    path = "/".join(part.strip() for part in path.replace(":", "-").replace("\\", "-").split("/") if part.strip())
    if not path or not path.isprintable():
        raise InputError("The name of the catalog is empty or unprintable; write it as Walks/Tired.")
    return path


def _check_version(file: Path, text: str) -> None:
    """Raise InputError for a file of another version than VERSION."""
    version = next((line.split()[1:] for line in text.splitlines() if line.startswith(VERSION.split()[0])), None)
    if version is not None and version != VERSION.split()[1:]:
        raise InputError(
            f'The catalogs in "{file}" were written by another version of Blender; add the catalog in Blender.'
        )


def _file_of(blend: Path) -> Path:
    """Return the file of catalogs beside a .blend file or in a folder above it; without one, the file to create."""
    folders = blend.absolute().parents
    return next((folder / CATALOGS for folder in folders if (folder / CATALOGS).is_file()), folders[0] / CATALOGS)


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """Yield the identifier and path of each catalog in a file's text."""
    for line in text.splitlines():
        entry = line.split(":")
        if len(entry) >= 3 and _IDENTIFIER.fullmatch(entry[0].strip()):
            yield entry[0].strip(), entry[1].strip()
