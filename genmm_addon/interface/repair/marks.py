# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks in the dope sheet and timeline at the frames of the flaws found in the active action."""

from typing import Any

import bpy
import gpu

from ...state.properties import scene_properties
from ..timeline.duration_bars import draw_rectangles, frames_on_screen
from ..timeline.stretch_operator import edited_action

COLORS = {
    "SPIKE": (0.95, 0.35, 0.3, 0.35),
    "JITTER": (0.95, 0.7, 0.25, 0.3),
    "LOST": (0.7, 0.45, 0.95, 0.35),
    "SLIDE": (0.35, 0.7, 0.95, 0.3),
}
LEFT_OUT = (0.5, 0.5, 0.5, 0.2)
FRAME_NUMBERS = 25
"""Height of Blender's row of frame numbers at the top, in pixels at an interface scale of 1."""

_handlers: list[Any] = []


def draw_marks() -> None:
    """Draw the marks; Blender calls this after drawing the keys of a timeline or dope sheet."""
    context = bpy.context
    region = context.region
    edited = edited_action(context) if region is not None else None
    listed = scene_properties(context.scene).repair
    if region is None or edited is None or listed.action != edited[1].name or not listed.flaws:
        return
    origin, unit = frames_on_screen(region)
    top = region.height - FRAME_NUMBERS * context.preferences.system.ui_scale
    gpu.state.blend_set("ALPHA")
    for flaw in listed.flaws:
        # Half a frame is added on both sides, so that a spike of one frame is visible.
        left, right = origin + (flaw.first - 0.5) * unit, origin + (flaw.last + 0.5) * unit
        draw_rectangles([(left, 0.0, right, top)], COLORS.get(flaw.kind, LEFT_OUT) if flaw.repaired else LEFT_OUT)
    gpu.state.blend_set("NONE")


def register() -> None:
    """Add the draw handler; without a window there is nothing to draw on."""
    if not bpy.app.background:
        editor = bpy.types.SpaceDopeSheetEditor
        _handlers.append((editor, editor.draw_handler_add(draw_marks, (), "WINDOW", "POST_PIXEL")))


def unregister() -> None:
    """Remove the draw handler."""
    while _handlers:
        editor, handler = _handlers.pop()
        editor.draw_handler_remove(handler, "WINDOW")
