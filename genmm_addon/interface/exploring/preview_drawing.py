# SPDX-License-Identifier: GPL-3.0-or-later
"""The selected clip, place or variation drawn in the viewport; it is not saved in the file."""

import bpy

from ...state.registration import Drawing
from ...state.selection import character_of
from ..common.draw_handlers import redraw, shows_overlays
from ..common.line_drawing import draw_lines
from .preview import place_lines, shown_clip


def draw_preview() -> None:
    """Draw it, and once more at the next frame if it plays; Blender calls this after a viewport."""
    context = bpy.context
    character = character_of(context) if shows_overlays(context) else None
    shown = None if character is None or character.pose is None else shown_clip(context, character)
    if shown is None:
        return
    draw_lines(context, place_lines(shown.laid, shown.armature, shown.frame))
    if shown.plays and not bpy.app.timers.is_registered(_draw_again):
        bpy.app.timers.register(_draw_again, first_interval=1.0 / shown.laid.motion.frames_per_second)


def _draw_again() -> None:
    redraw(bpy.context, regions=("WINDOW",))


DRAWING = Drawing(bpy.types.SpaceView3D, draw_preview, "POST_VIEW")


def unregister() -> None:
    """Remove the timer."""
    if bpy.app.timers.is_registered(_draw_again):
        bpy.app.timers.unregister(_draw_again)
