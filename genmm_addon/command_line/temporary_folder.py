# SPDX-License-Identifier: GPL-3.0-or-later
"""The temporary folder that Blender makes for each of its processes, and removes only on a normal exit."""

from contextlib import suppress

import bpy

from ..core.storage import new_folder


def remove_temporary_folder_of_blender() -> None:
    """Have Blender remove its temporary folder, for a process that ends without Blender's clean-up.

    Only Blender knows whether it created the folder. When the preference changes, Blender removes that folder and
    creates another one, here in a folder that is then removed.
    """
    with suppress(OSError):
        replacement = new_folder()
        bpy.context.preferences.filepaths.temporary_directory = str(replacement.path)
        replacement.remove()
