# SPDX-License-Identifier: GPL-3.0-or-later
"""The selected clip, place or variation drawn in the viewport; it is not saved in the file."""

import bpy
from bpy.types import Context, Object

from ..common.draw_handlers import redraw
from ..common.line_drawing import ColoredLines
from ..common.viewport_drawing import lines_around
from .preview import place_lines, shown_clip


def preview_lines(context: Context, character: Object) -> ColoredLines | None:
    """Return the lines of what is shown over a character, which is drawn again at the next frame if it plays."""
    shown = shown_clip(context, character)
    if shown is None:
        return None
    if shown.plays and not bpy.app.timers.is_registered(_draw_again):
        bpy.app.timers.register(_draw_again, first_interval=1.0 / shown.laid.motion.frames_per_second)
    return place_lines(shown.laid, shown.armature, shown.frame)


def _draw_again() -> None:
    redraw(bpy.context, regions=("WINDOW",))


DRAWING = lines_around(preview_lines)


def unregister() -> None:
    """Remove the timer."""
    if bpy.app.timers.is_registered(_draw_again):
        bpy.app.timers.unregister(_draw_again)
