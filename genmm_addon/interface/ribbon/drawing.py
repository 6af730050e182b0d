# SPDX-License-Identifier: GPL-3.0-or-later
"""The ribbon in timeline and dope sheet: the examples that the result consists of, and below it their legend."""

from collections.abc import Sequence
from typing import Any

import blf
import bpy
import gpu
import numpy as np
from bpy.types import Context, Region
from gpu_extras.batch import batch_for_shader
from numpy.typing import NDArray

from ...generation.sources import PlayedResult, Sources, played_result
from ...generation.stretches.locks import locked_ranges
from ...state.properties import scene_properties
from ...state.selection import character_of
from ..common.draw_handlers import drawing_registration
from ..common.frame_axis import draw_rectangles, frames_on_screen
from .bands import GAP, Band, RibbonEdges, example_bands, plan_places, result_bands

LETTERS = 10
MARGIN = 4
FONT = 0
BACKGROUND = (0.1, 0.1, 0.1, 0.85)
TEXT = (1.0, 1.0, 1.0, 1.0)
NAME_GROUND = (0.0, 0.0, 0.0, 0.55)
SHADE = (1.0, 1.0, 1.0, 0.5)
CHOSEN = (1.0, 1.0, 1.0, 1.0)
LOCKED = (0.0, 0.0, 0.0, 0.8)
LINE = 2
LOCK = 4
"""Height of the bar over locked stretches, in pixels."""

PlacedBand = tuple[Band, float, float]


def bands_on_screen(sources: Sources, offset: float, region: Region, places: RibbonEdges) -> list[PlacedBand]:
    """Return the bands of the legend, then those of the result, in pixels, each with its lower and upper edge."""
    placed: list[PlacedBand] = []
    if places.legend is not None:
        lengths = np.array([clip.frames for clip in sources.examples], np.float64)
        ends = np.cumsum([0.0, *lengths]) / lengths.sum() * region.width
        for left, right, band in zip(ends[:-1], ends[1:], example_bands(sources), strict=True):
            placed.append((Band(left + band.edges * (right - GAP - left), band.colors), *places.legend))
    begin, unit = frames_on_screen(region)
    for band, (low, high) in zip(result_bands(sources), places.rows, strict=False):
        edges = np.clip(begin + (band.edges + offset) * unit, -1.0, region.width + 1.0)
        placed.append((Band(edges, band.colors), low, high))
    return placed


def draw_ribbon() -> None:
    """Draw the ribbon; Blender calls this after drawing the keys of a timeline or dope sheet."""
    context = bpy.context
    region = context.region
    if region is None or not scene_properties(context.scene).show_ribbon:
        return
    played = played_result(character_of(context))
    if played is None:
        return
    scale = context.preferences.system.ui_scale
    places = plan_places(region.height, scale, len(played.sources.parts))
    if places is None:
        return
    bands = bands_on_screen(played.sources, played.offset, region, places)
    gpu.state.blend_set("ALPHA")
    draw_rectangles([(0, places.bottom - GAP, region.width, places.top + GAP)], BACKGROUND)
    _draw_bands(bands)
    _draw_locked(played, region, places)
    _draw_chosen(context, region, places)
    _draw_current_frame(context, region, places)
    gpu.state.blend_set("NONE")
    if places.legend is not None:
        _draw_names(played.sources, bands, scale)


def _draw_bands(bands: Sequence[PlacedBand]) -> None:
    triangles = [_triangles(*band) for band in bands]
    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    corners, colors = (np.concatenate(arrays) for arrays in zip(*triangles, strict=True))
    values: dict[str, Any] = {"pos": corners, "color": colors}
    batch_for_shader(shader, "TRIS", values).draw(shader)


def _triangles(band: Band, low: float, high: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return two triangles for each piece of a band: corners `(6 N, 2)` and their colors `(6 N, 4)`."""
    sides, lows = [0, 1, 1, 0, 1, 0], [True, True, False, True, False, False]
    across = band.edges[:, sides]
    up = np.broadcast_to(np.where(lows, low, high), across.shape)
    corners = np.stack((across, up), axis=2).reshape(-1, 2)
    return corners.astype(np.float32), band.colors[:, sides].reshape(-1, 4)


def _draw_current_frame(context: Context, region: Region, places: RibbonEdges) -> None:
    begin, unit = frames_on_screen(region)
    at = begin + context.scene.frame_current_final * unit
    draw_rectangles([(at - 1, places.rows[-1][0], at + 1, places.top)], SHADE)


def _draw_locked(played: PlayedResult, region: Region, places: RibbonEdges) -> None:
    """Draw a bar over the locked stretches."""
    begin, unit = frames_on_screen(region)
    for first, last in locked_ranges(played.action):
        left, right = (begin + (frame + played.offset) * unit for frame in (first - 0.5, last + 0.5))
        draw_rectangles([(left, places.top - LOCK, right, places.top + GAP)], LOCKED)


def _draw_chosen(context: Context, region: Region, places: RibbonEdges) -> None:
    """Draw a frame around the chosen stretch."""
    chosen = scene_properties(context.scene)
    if chosen.stretch_last < chosen.stretch_first:
        return
    begin, unit = frames_on_screen(region)
    left = begin + (chosen.stretch_first - 0.5) * unit
    right = begin + (chosen.stretch_last + 0.5) * unit
    low, high = places.rows[-1][0] - GAP, places.top + GAP
    edges = [
        (left, low, right, low + LINE),
        (left, high - LINE, right, high),
        (left - LINE, low, left, high),
        (right, low, right + LINE, high),
    ]
    draw_rectangles(edges, CHOSEN)


def _draw_names(sources: Sources, bands: Sequence[PlacedBand], scale: float) -> None:
    """Draw each example's name on its legend, on a dark background that keeps it readable on any color."""
    blf.size(FONT, LETTERS * scale)
    blf.color(FONT, *TEXT)
    blf.enable(FONT, blf.CLIPPING)
    for clip, (band, low, high) in zip(sources.examples, bands, strict=False):
        left, right = band.edges[0, 0] + MARGIN * scale, band.edges[-1, 1]
        end = min(left + blf.dimensions(FONT, clip.title)[0] + MARGIN * scale, right)
        gpu.state.blend_set("ALPHA")
        draw_rectangles([(left - MARGIN * scale, low, end, high)], NAME_GROUND)
        blf.clipping(FONT, left, low, right, high)
        blf.position(FONT, left, low + 3 * scale, 0)
        blf.draw(FONT, clip.title)
    blf.disable(FONT, blf.CLIPPING)
    gpu.state.blend_set("NONE")


register, unregister = drawing_registration(bpy.types.SpaceDopeSheetEditor, draw_ribbon, "POST_PIXEL")
