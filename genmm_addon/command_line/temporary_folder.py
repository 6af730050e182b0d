# SPDX-License-Identifier: GPL-3.0-or-later
"""The temporary folder that Blender makes for each of its processes, and removes only on a normal exit."""

from contextlib import suppress

import bpy

from ..core.storage import new_folder


def remove_temporary_folder_of_blender() -> None:
    """Have Blender remove the temporary folder that it made, for a process that ends without Blender's clean-up.

    Only Blender knows whether it made the folder that it uses. A change of the preference makes it remove that folder
    and make another one, here in a folder of our own.
    """
    with suppress(OSError):
        own = new_folder()
        bpy.context.preferences.filepaths.temporary_directory = str(own.path)
        own.remove()
