# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing of editors: functions that Blender calls after it, and requests to draw again."""

from collections.abc import Callable, Container
from typing import Any, Literal

import bpy
from bpy.types import Context, SpaceView3D

from ...state.registration import Steps

Draw = Callable[[], None]

added: dict[Draw, list[Any]] = {}
"""The handles of the draw handlers that are active, by their function."""


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


def drawing_registration(space: type[bpy.types.Space], draw: Draw, stage: Literal["POST_VIEW", "POST_PIXEL"]) -> Steps:
    """Return the functions that add and that remove a draw handler; without a window there is nothing to draw on.

    stage: POST_VIEW for a drawing in world space, POST_PIXEL for one in pixels of the region.
    """
    editor: Any = space

    def register() -> None:
        if not bpy.app.background:
            added.setdefault(draw, []).append(editor.draw_handler_add(draw, (), "WINDOW", stage))

    def unregister() -> None:
        for handle in added.pop(draw, []):
            editor.draw_handler_remove(handle, "WINDOW")

    return register, unregister
