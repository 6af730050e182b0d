# SPDX-License-Identifier: GPL-3.0-or-later
"""The temporary folder that Blender makes for each of its processes, and removes only on a normal exit."""

import shutil
from pathlib import Path

import bpy

PREFIX = "blender_"
"""Beginning of the name of such a folder; six random characters follow."""


def own_temporary_folder() -> Path | None:
    """Return this process's own temporary folder; None where Blender uses the system's shared one."""
    folder = Path(bpy.app.tempdir)
    return folder if folder.name.startswith(PREFIX) and folder.is_dir() else None


def remove_own_temporary_folder() -> None:
    """Remove this process's own temporary folder, for a process that ends without Blender's clean-up."""
    remove_temporary_folder(own_temporary_folder())


def remove_temporary_folder(folder: Path | None) -> None:
    """Remove the temporary folder of a Blender that we started and that has ended; other folders are left alone."""
    if folder is not None and folder.name.startswith(PREFIX):
        shutil.rmtree(folder, ignore_errors=True)
