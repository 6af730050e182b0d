# SPDX-License-Identifier: GPL-3.0-or-later
"""The ribbon in timeline and dope sheet: the examples that the result consists of, and below it their legend."""

from collections.abc import Sequence

import blf
import bpy
import numpy as np
from bpy.types import Context, Region

from ...core import Float32
from ...generation.sources import PlayedResult, Sources, played_result
from ...generation.stretches.locks import locked_ranges
from ...state.properties import scene_properties
from ...state.registration import Drawing
from ...state.selection import character_of
from ..common.line_drawing import draw_rectangles, draw_triangles, frames_on_screen
from ..common.screen_units import set_text
from .bands import GAP, Band, RibbonEdges, example_bands, plan_places, result_bands

BACKGROUND = (0.1, 0.1, 0.1, 0.85)
TEXT = (1.0, 1.0, 1.0, 1.0)
NAME_GROUND = (0.0, 0.0, 0.0, 0.55)
SHADE = (1.0, 1.0, 1.0, 0.5)
CHOSEN = (1.0, 1.0, 1.0, 1.0)
LOCKED = (0.0, 0.0, 0.0, 0.8)

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
    draw_rectangles([(0, places.bottom - GAP, region.width, places.top + GAP)], BACKGROUND)
    _draw_bands(bands)
    _draw_locked(played, region, places)
    _draw_chosen(context, region, places)
    _draw_current_frame(context, region, places)
    if places.legend is not None:
        _draw_names(context, played.sources, bands)


def _draw_bands(bands: Sequence[PlacedBand]) -> None:
    triangles = [_triangles(*band) for band in bands]
    corners, colors = (np.concatenate(arrays) for arrays in zip(*triangles, strict=True))
    draw_triangles(corners, colors)


def _triangles(band: Band, low: float, high: float) -> tuple[Float32, Float32]:
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
        draw_rectangles([(left, places.top - GAP, right, places.top + GAP)], LOCKED)


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
        (left, low, right, low + GAP),
        (left, high - GAP, right, high),
        (left - GAP, low, left, high),
        (right, low, right + GAP, high),
    ]
    draw_rectangles(edges, CHOSEN)


def _draw_names(context: Context, sources: Sources, bands: Sequence[PlacedBand]) -> None:
    """Draw each example's name on its legend, on a dark background that keeps it readable on any color."""
    margin = GAP * context.preferences.system.ui_scale
    set_text(context, TEXT)
    blf.enable(0, blf.CLIPPING)
    for clip, (band, low, high) in zip(sources.examples, bands, strict=False):
        left, right = band.edges[0, 0] + margin, band.edges[-1, 1]
        end = min(left + blf.dimensions(0, clip.title)[0] + margin, right)
        draw_rectangles([(left - margin, low, end, high)], NAME_GROUND)
        blf.clipping(0, left, low, right, high)
        blf.position(0, left, low + margin, 0)
        blf.draw(0, clip.title)
    blf.disable(0, blf.CLIPPING)


DRAWING = Drawing(bpy.types.SpaceDopeSheetEditor, draw_ribbon, "POST_PIXEL")
