# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawings in the viewports while an operator works: lines in the world, and texts beside points of it."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import bpy
from bpy.types import Context, Object, SpaceView3D
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Vector
from numpy.typing import NDArray

from ...state.properties import scene_properties
from ...state.registration import Drawing
from ...state.selection import character_of
from .draw_handlers import shows_overlays
from .line_drawing import Color, ColoredLines, draw_lines
from .screen_units import draw_shadowed, set_text, widget_height


class ViewportDrawing:
    """A drawing in all viewports from its creation to `end`; subclasses draw lines and texts."""

    def __init__(self) -> None:
        """Begin to draw."""
        view: Any = SpaceView3D
        self._handlers = [
            view.draw_handler_add(_in_viewport, (draw,), "WINDOW", stage)
            for draw, stage in ((self.draw_lines, "POST_VIEW"), (self.draw_texts, "POST_PIXEL"))
        ]

    def end(self) -> None:
        """Stop drawing."""
        while self._handlers:
            SpaceView3D.draw_handler_remove(self._handlers.pop(), "WINDOW")

    def draw_lines(self, context: Context) -> None:
        """Draw lines in world space."""
        raise NotImplementedError

    def draw_texts(self, context: Context) -> None:
        """Draw texts in pixels of the region."""
        raise NotImplementedError


def lines_around(find: Callable[[Context, Object], ColoredLines | None], switch: str = "") -> Drawing:
    """Return the drawing of lines around the selected character, in all viewports that show overlays.

    find: returns the lines in the world; None for nothing to draw. switch: the property of the scene that shows them.
    """

    def draw() -> None:
        context = bpy.context
        if not shows_overlays(context) or (switch and not getattr(scene_properties(context.scene), switch)):
            return
        character = character_of(context)
        lines = None if character is None or character.pose is None else find(context, character)
        if lines is not None:
            draw_lines(context, lines)

    return Drawing(SpaceView3D, draw, "POST_VIEW")


def draw_text_beside(context: Context, point: NDArray[Any], text: str, color: Color) -> Vector | None:
    """Draw a text beside a point `(3,)` of the world, and return the point in pixels; None where it is not visible."""
    space: Any = context.space_data
    at = location_3d_to_region_2d(context.region, space.region_3d, Vector(point.tolist()))
    if at is not None:
        beside = widget_height(context) / 2
        set_text(context, color)
        draw_shadowed(text, at.x + beside, at.y + beside)
    return at


def _in_viewport(draw: Any) -> None:
    if bpy.context.region is not None and isinstance(bpy.context.space_data, SpaceView3D):
        with suppress(ReferenceError):  # another window has deleted what is drawn
            draw(bpy.context)
