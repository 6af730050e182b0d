# SPDX-License-Identifier: GPL-3.0-or-later
"""Bars in the dope sheet and timeline: how good each duration of the range that was filled last would be."""

from dataclasses import dataclass
from typing import Any

import bpy
import gpu
import numpy as np
from bpy.types import Region
from gpu_extras.batch import batch_for_shader
from numpy.typing import NDArray

from ...filling.record import FilledRange, record_of
from ...state.properties import scene_properties
from .stretch_operator import edited_action

HEIGHT = 40
"""Pixels of the best duration's bar, at the usual size of the interface."""
FRAME_NUMBERS = 25
"""Pixels that Blender keeps at the top."""
ABOVE_RIBBON = 56
"""Pixels kept at the bottom for the scroll bar and a result's ribbon."""
WIDEST = 8
COLOR = (0.35, 0.6, 0.9, 0.55)
CHOSEN = (1.0, 0.75, 0.25, 0.9)
RANGE = (0.35, 0.6, 0.9, 0.12)

_handlers: list[Any] = []


@dataclass(frozen=True, eq=False)
class Bars:
    """Bars in pixels: lefts and rights `(D,)`, heights `(D,)` as shares of the best, and which is the present one."""

    lefts: NDArray[np.float64]
    rights: NDArray[np.float64]
    heights: NDArray[np.float64]
    chosen: int


def bars_of(record: FilledRange, origin: float, unit: float) -> Bars | None:
    """Return a bar for each duration, where the range would end; None where no duration is known.

    origin: where frame 0 lies in pixels; unit: how many pixels a frame is wide.
    """
    if not record.durations:
        return None
    durations, costs = np.array(record.durations, np.float64), np.array(record.costs)
    spacing = float(np.diff(durations).min(initial=WIDEST)) * unit
    half = 0.5 * min(max(spacing - 1.0, 1.0), WIDEST)
    middles = origin + (record.first + durations) * unit
    least = max(float(costs.min()), 1e-9)
    chosen = int(np.argmin(np.abs(durations - (record.last - record.first))))
    return Bars(middles - half, middles + half, least / np.maximum(costs, least), chosen)


def draw_durations() -> None:
    """Called by Blender after it has drawn the keys of a timeline or dope sheet."""
    context = bpy.context
    region = context.region
    edited = edited_action(context) if region is not None else None
    record = None if edited is None else record_of(edited[1])
    if region is None or record is None or not scene_properties(context.scene).show_durations:
        return
    origin, unit = frames_on_screen(region)
    bars = bars_of(record, origin, unit)
    scale = context.preferences.system.ui_scale
    top = region.height - FRAME_NUMBERS * scale
    gpu.state.blend_set("ALPHA")
    draw_rectangles([(origin + record.first * unit, 0.0, origin + record.last * unit, top)], RANGE)
    if bars is not None:
        low = max(min(ABOVE_RIBBON * scale, top - HEIGHT * scale), 0.0)
        high = min(low + HEIGHT * scale, top)
        rectangles = [
            (left, low, right, low + height * (high - low))
            for left, right, height in zip(bars.lefts, bars.rights, bars.heights, strict=True)
        ]
        draw_rectangles([one for number, one in enumerate(rectangles) if number != bars.chosen], COLOR)
        draw_rectangles([rectangles[bars.chosen]], CHOSEN)
    gpu.state.blend_set("NONE")


def frames_on_screen(region: Region) -> tuple[float, float]:
    """Return where frame 0 lies, in pixels, and how many pixels a frame is wide."""
    # Far from each other, as Blender rounds to whole pixels.
    far = 100_000.0
    first, last = (region.view2d.view_to_region(frame, 0.0, clip=False)[0] for frame in (-far, far))
    unit = (last - first) / (2 * far)
    return first + far * unit, unit


def draw_rectangles(rectangles: list[tuple[float, float, float, float]], color: tuple[float, ...]) -> None:
    """Draw rectangles: left, bottom, right and top, in pixels of the region."""
    corners = [
        corner
        for left, low, right, high in rectangles
        for corner in ((left, low), (right, low), (right, high), (left, low), (right, high), (left, high))
    ]
    if not corners:
        return
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    shader.uniform_float("color", color)
    values: dict[str, Any] = {"pos": corners}
    batch_for_shader(shader, "TRIS", values).draw(shader)


def register() -> None:
    """Have Blender call the drawing; without a window there is nothing to draw on."""
    if not bpy.app.background:
        editor = bpy.types.SpaceDopeSheetEditor
        _handlers.append((editor, editor.draw_handler_add(draw_durations, (), "WINDOW", "POST_PIXEL")))


def unregister() -> None:
    """Take the drawing out again."""
    while _handlers:
        editor, handler = _handlers.pop()
        editor.draw_handler_remove(handler, "WINDOW")
