# SPDX-License-Identifier: GPL-3.0-or-later
"""Path of a file that is written, as it was chosen in the file browser."""

from pathlib import Path

import bpy

from ..core import InputError


def file_to_write(chosen: str, ending: str) -> Path:
    """Return the path of a chosen file, with its ending. Raises InputError if the file has no name, only a folder."""
    path = bpy.path.abspath(chosen)
    if bpy.path.basename(path) in ("", ending):
        raise InputError("The file has no name; enter one.")
    return Path(bpy.path.ensure_ext(path, ending))
