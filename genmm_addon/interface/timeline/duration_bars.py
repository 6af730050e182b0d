# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars in the dope sheet and timeline that show how good each duration of the last filled range would be."""

from dataclasses import dataclass

import bpy
import numpy as np

from ...core import Float64
from ...editing.filling.record import FilledRange, record_of, why_not_again
from ...state.properties import scene_properties
from ...state.registration import Drawing
from ..common.line_drawing import FRAME_NUMBERS, draw_rectangles, frames_on_screen
from ..common.screen_units import widget_height
from .stretch_operator import edited_action
from .unchanged_keys import shown_fingerprint

COLOR = (0.35, 0.6, 0.9, 0.55)
CHOSEN = (1.0, 0.75, 0.25, 0.9)
RANGE = (0.35, 0.6, 0.9, 0.12)


@dataclass(frozen=True, eq=False)
class Bars:
    """Bars: left and right edges `(D,)` in pixels, heights `(D,)` as shares of the best, and the number chosen."""

    lefts: Float64
    rights: Float64
    heights: Float64
    chosen: int


def bars_of(record: FilledRange, origin: float, unit: float) -> Bars | None:
    """Return a bar for each duration, at the frame where the range would end; None where no duration is known.

    origin: the position of frame 0, unit: the width of a frame, both in pixels.
    """
    if not record.durations:
        return None
    durations, costs = np.array(record.durations, np.float64), np.array(record.costs)
    # Bars of neighboring durations are a pixel apart.
    half = 0.5 * max(float(np.diff(durations).min(initial=np.inf if len(durations) > 1 else 1.0)) * unit - 1.0, 1.0)
    middles = origin + (record.first + durations) * unit
    least = max(float(costs.min()), 1e-9)
    chosen = int(np.argmin(np.abs(durations - (record.last - record.first))))
    return Bars(middles - half, middles + half, least / np.maximum(costs, least), chosen)


def draw_durations() -> None:
    """Draw the bars; Blender calls this after drawing the keys of a timeline or dope sheet."""
    context = bpy.context
    region = context.region
    edited = edited_action(context) if region is not None else None
    record = None if edited is None else record_of(edited[1])
    if region is None or edited is None or record is None or not scene_properties(context.scene).show_durations:
        return
    if why_not_again(edited[1], edited[2], shown_fingerprint):
        return
    origin, unit = frames_on_screen(region)
    bars = bars_of(record, origin, unit)
    scale = context.preferences.system.ui_scale
    top = region.height - FRAME_NUMBERS * scale
    draw_rectangles([(origin + record.first * unit, 0.0, origin + record.last * unit, top)], RANGE)
    if bars is not None:
        # As high as a result's ribbon with its legend, and above it where there is room.
        height = 2 * widget_height(context)
        low = max(min(height, top - height), 0.0)
        high = min(low + height, top)
        rectangles = [
            (left, low, right, low + height * (high - low))
            for left, right, height in zip(bars.lefts, bars.rights, bars.heights, strict=True)
        ]
        draw_rectangles([rectangle for number, rectangle in enumerate(rectangles) if number != bars.chosen], COLOR)
        draw_rectangles([rectangles[bars.chosen]], CHOSEN)


DRAWING = Drawing(bpy.types.SpaceDopeSheetEditor, draw_durations, "POST_PIXEL")
