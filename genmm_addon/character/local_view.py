# SPDX-License-Identifier: GPL-3.0-or-later
"""New objects in the local view of the viewport in use."""

from collections.abc import Iterable

from bpy.types import Context, Object, SpaceView3D


def show_in_local_view(context: Context, made: Iterable[Object]) -> None:
    """Show new objects in the local view of the viewport in use, if it has one, as Blender's own Add menu does."""
    space = context.space_data
    if not isinstance(space, SpaceView3D) or space.local_view is None:
        return
    context.view_layer.update()
    present = set(context.view_layer.objects)
    for thing in made:
        if thing in present:
            thing.local_view_set(space, True)
