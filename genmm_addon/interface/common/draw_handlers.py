# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to draw editors again, and whether they show overlays."""

from collections.abc import Container

from bpy.types import Context, SpaceView3D


def redraw(context: Context, editor: str = "VIEW_3D", regions: Container[str] | None = None) -> None:
    """Redraw all editors of a type, for changes that Blender does not notice; regions: their types, all by default."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            for region in area.regions if area.type == editor else ():
                if regions is None or region.type in regions:
                    region.tag_redraw()


def shows_overlays(context: Context) -> bool:
    """Return whether a viewport that shows overlays is being drawn."""
    space = context.space_data
    return isinstance(space, SpaceView3D) and space.overlay.show_overlays
