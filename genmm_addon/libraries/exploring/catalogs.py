# SPDX-License-Identifier: GPL-3.0-or-later
"""Catalogs of the asset library that a .blend file lies in, as Blender keeps them: lines of a text file."""

import os
import uuid
from pathlib import Path

from ...core import InputError
from ..reading.blender_files import CATALOGS

HEADER = """# This is an Asset Catalog Definition file for Blender.
#
# Empty lines and lines starting with `#` will be ignored.
# The first non-ignored line should be the version indicator.
# Other lines are of the format "UUID:catalog/path/for/assets:simple catalog name"

VERSION 1

"""
NAMES = uuid.UUID("5d9b0a0e-3a0e-4c0c-9c3a-0d3a2f6c7b11")
"""The same catalog gets the same identifier in all files."""


def ensure_catalog(blend: Path, path: str) -> str:
    """Return the identifier of a catalog of the asset library that a .blend file lies in, added where it is missing.

    path: as "Walks/Tired". Raises InputError where the catalogs cannot be read or written.
    """
    folders = blend.absolute().parents
    file = next((folder / CATALOGS for folder in folders if (folder / CATALOGS).is_file()), folders[0] / CATALOGS)
    path = path.replace(":", "-").replace("\\", "-")
    try:
        text = file.read_text(encoding="utf-8") if file.is_file() else HEADER
        for line in text.splitlines():
            entry = line.split(":")
            if len(entry) >= 3 and not line.startswith("#") and entry[1].strip() == path:
                return entry[0].strip()
        identifier = str(uuid.uuid5(NAMES, path))
        unfinished = file.with_name(f"{file.name}.unfinished")
        ending = "" if text.endswith("\n") else "\n"
        unfinished.write_text(f"{text}{ending}{identifier}:{path}:{path.replace('/', '-')}\n", encoding="utf-8")
        os.replace(unfinished, file)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f'The catalogs in "{file}" cannot be written; check the file and its folder.') from error
    return identifier
