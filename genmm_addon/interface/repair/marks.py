# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks in the dope sheet and timeline at the frames of the flaws found in the active action."""

from colorsys import hsv_to_rgb

import bpy

from ...state.edit_properties import FLAW_KINDS
from ...state.properties import scene_properties
from ...state.registration import Drawing
from ..common.line_drawing import FRAME_NUMBERS, draw_rectangles, frames_on_screen
from ..timeline.stretch_operator import edited_action
from ..timeline.unchanged_keys import shown_fingerprint
from .asked import why_not_listed

COLORS = {kind[0]: (*hsv_to_rgb(number / len(FLAW_KINDS), 0.65, 0.95), 0.32) for number, kind in enumerate(FLAW_KINDS)}
LEFT_OUT = (0.5, 0.5, 0.5, 0.2)


def draw_marks() -> None:
    """Draw the marks; Blender calls this after drawing the keys of a timeline or dope sheet."""
    context = bpy.context
    region = context.region
    edited = edited_action(context) if region is not None else None
    listed = scene_properties(context.scene).repair
    if region is None or edited is None or why_not_listed(listed, edited[1], edited[2], shown_fingerprint):
        return
    origin, unit = frames_on_screen(region)
    top = region.height - FRAME_NUMBERS * context.preferences.system.ui_scale
    for flaw in listed.flaws:
        # Half a frame is added on both sides, so that a spike of one frame is visible.
        left, right = origin + (flaw.first - 0.5) * unit, origin + (flaw.last + 0.5) * unit
        draw_rectangles([(left, 0.0, right, top)], COLORS.get(flaw.kind, LEFT_OUT) if flaw.repaired else LEFT_OUT)


DRAWING = Drawing(bpy.types.SpaceDopeSheetEditor, draw_marks, "POST_PIXEL")
