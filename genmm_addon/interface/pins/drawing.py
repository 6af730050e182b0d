# SPDX-License-Identifier: GPL-3.0-or-later
"""Diamonds at the pinned frames, at the top of timeline and dope sheet: below the frame numbers, above the keys."""

from collections.abc import Sequence

import bpy
import numpy as np

from ...core import Float32
from ...state.properties import readable_settings
from ...state.registration import Drawing
from ...state.selection import character_of
from ..common.line_drawing import FRAME_NUMBERS, UNUSED, draw_triangles, frames_on_screen
from ..common.screen_units import widget_height
from .ghosts import PLACED, POSED
from .shown import ShownPin, shown_pins

BORDER = (0.05, 0.05, 0.05, 1.0)


def diamonds(pins: Sequence[ShownPin], begin: float, unit: float, middle: float, size: float) -> Float32:
    """Return the corners of two triangles for each pin, `(6 N, 2)` in pixels.

    begin: the position of frame 0. unit: the width of a frame. middle: the height of the diamonds.
    """
    centers = np.array([(begin + pin.frame * unit, middle) for pin in pins], np.float32).reshape(-1, 1, 2)
    corners = size * np.array([(-1, 0), (0, -1), (1, 0), (-1, 0), (1, 0), (0, 1)], np.float32)
    return np.asarray((centers + corners).reshape(-1, 2), np.float32)


def colors_of(pins: Sequence[ShownPin], *, used: bool) -> Float32:
    """Return the colors `(6 N, 4)` of the diamonds' corners, the same as of the ghosts."""
    strength = 1.0 if used else UNUSED
    rows = np.array([(*(PLACED if pin.place else POSED), strength) for pin in pins], np.float32)
    return np.repeat(rows.reshape(-1, 4), 6, axis=0)


def draw_pins() -> None:
    """Draw the pins; Blender calls this after drawing the keys of a timeline or dope sheet."""
    context = bpy.context
    region, character = context.region, character_of(context)
    if region is None or character is None or character.pose is None:
        return
    settings = readable_settings(character, context.scene)
    pins = shown_pins(character, settings, context.scene)
    if not pins:
        return
    scale = context.preferences.system.ui_scale
    # As wide as half a widget, which is about the size of a key.
    size = widget_height(context) / 4
    middle = region.height - FRAME_NUMBERS * scale - size - scale
    begin, unit = frames_on_screen(region)
    colors = colors_of(pins, used=settings.use_pins)
    border = np.tile(np.array(BORDER, np.float32), (len(colors), 1))
    draw_triangles(diamonds(pins, begin, unit, middle, size + scale), border)
    draw_triangles(diamonds(pins, begin, unit, middle, size), colors)


DRAWING = Drawing(bpy.types.SpaceDopeSheetEditor, draw_pins, "POST_PIXEL")
