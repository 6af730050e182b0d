# SPDX-License-Identifier: GPL-3.0-or-later
"""The colors of the parts over the bones in the viewport, while painting or with Show Parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.types import Context, Object
from mathutils import Color

from ...core import Array, Float32
from ...state.properties import readable_settings, scene_properties
from ...state.registration import Drawing
from ...state.selection import character_of
from ..common.draw_handlers import shows_overlays
from ..common.line_drawing import THICKNESS, ColoredLines, draw_lines
from .bone_picking import Lines, View, lines_on_screen
from .paint_tool import is_painting
from .visible_bones import shown_bones

PartColor = tuple[float, float, float, float]

WIDTH = 2 * THICKNESS
"""Width of each color on a bone, and length of dashes and gaps, in pixels at an interface scale of 1."""
RIM = 1.5
"""Width of the dark outline, which keeps any color visible on any background, in pixels at an interface scale of 1."""

RIM_COLOR: PartColor = (0.03, 0.03, 0.03, 0.9)
UNCOVERED: PartColor = (1.0, 1.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Layer:
    """Lines of one width: their ends `(N, 2, 2)` in pixels, and their colors `(N, 4)`."""

    width: float
    ends: Array
    colors: Float32


def plan_overlay(
    bones: Lines, parts_of: Sequence[Sequence[int]], colors: Sequence[PartColor], scale: float = 1.0
) -> tuple[Layer, ...]:
    """Return the layers to draw, from the bottom up.

    bones: lines in pixels `(N, 2, 2)`. parts_of: for every bone of the armature, the numbers of its parts.
    """
    width = WIDTH * scale
    # Gaps at the joints tell the bones of a chain apart, and a bone that points at the viewer stays visible.
    ends = _at_least(_shortened(bones.ends, width), width)
    counts = np.array([len(parts_of[number]) for number in bones.bones.tolist()], np.int64)
    rims, fills = [], []
    for count in np.unique(counts).tolist():
        of_count = np.flatnonzero(counts == count)
        rims.append(_layer(max(count, 1) * width + 2 * RIM * scale, ends[of_count], RIM_COLOR))
        if count == 0:
            fills.append(_layer(width, dashes(ends[of_count], width), UNCOVERED))
            continue
        lists = [parts_of[number] for number in bones.bones[of_count].tolist()]
        for place in range(count):
            aside = (place - (count - 1) / 2) * width
            shades = np.array([colors[parts[place]] for parts in lists], np.float32)
            fills.append(Layer(width, beside(ends[of_count], aside), shades))
    return (*rims, *fills)


def beside(ends: Array, distance: float) -> Array:
    """Return lines `(N, 2, 2)` moved to the left of their direction by a distance in pixels."""
    along = ends[:, 1] - ends[:, 0]
    across = np.stack((-along[:, 1], along[:, 0]), axis=1)
    length = np.linalg.norm(across, axis=1, keepdims=True)
    moved: Array = ends + (distance * across / np.where(length > 0.0, length, 1.0))[:, None]
    return moved


def dashes(ends: Array, length: float) -> Array:
    """Return lines `(N, 2, 2)` cut into pieces `(M, 2, 2)` and gaps of a length, at least one piece per line."""
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    counts = np.maximum(1, np.ceil(lengths / (2 * length)).astype(np.int64))
    # More dashes than fill a window would lie outside of it.
    counts = np.minimum(counts, 1000)
    lines = np.repeat(np.arange(len(ends)), counts)
    places = np.arange(len(lines)) - np.repeat(np.cumsum(counts) - counts, counts)
    begin = 2 * places * length
    shares = np.stack((begin, begin + length), axis=1) / np.maximum(lengths[lines], 1e-9)[:, None]
    first, along = ends[lines, :1], (ends[:, 1:] - ends[:, :1])[lines]
    pieces: Array = first + np.clip(shares, 0.0, 1.0)[..., None] * along
    return pieces


def parts_of_bones(names: Sequence[str], parts: Sequence[Sequence[str]]) -> tuple[tuple[int, ...], ...]:
    """Return for every bone the numbers of its parts."""
    numbers: dict[str, list[int]] = {}
    for number, bones in enumerate(parts):
        for bone in dict.fromkeys(bones):
            numbers.setdefault(bone, []).append(number)
    return tuple(tuple(numbers.get(name, ())) for name in names)


def _shortened(ends: Array, end: float) -> Array:
    """Return lines shortened by `end` pixels at both ends, but to no less than half their length."""
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    share = np.minimum(end / np.maximum(lengths, 1e-9), 0.25)[:, None, None]
    shorter: Array = ends + share * (ends[:, ::-1] - ends)
    return shorter


def _at_least(ends: Array, shortest: float) -> Array:
    short = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) < shortest
    longer = ends.copy()
    longer[short, 1] = ends[short, 0] + (shortest, 0.0)
    return longer


def _layer(width: float, ends: Array, color: PartColor) -> Layer:
    return Layer(width, ends, np.tile(np.array(color, np.float32), (len(ends), 1)))


def draw_parts() -> None:
    """Draw the parts; Blender calls this after drawing a viewport."""
    context = bpy.context
    if not shows_overlays(context):
        return
    if not (scene_properties(context.scene).show_parts or is_painting(context)):
        return
    character = character_of(context)
    if character is None or character.mode not in {"OBJECT", "POSE"} or character.pose is None:
        return
    for layer in layers_of(context, character):
        points = layer.ends.reshape(-1, 2).astype(np.float32)
        draw_lines(context, ColoredLines(points, np.repeat(layer.colors, 2, axis=0)), layer.width)


def layers_of(context: Context, character: Object) -> tuple[Layer, ...]:
    """Return the layers to draw over the character's bones in the context's region."""
    names, lines = shown_bones(character, context.evaluated_depsgraph_get())
    region = context.region
    view = View(np.array(context.region_data.perspective_matrix), region.width, region.height)
    parts = readable_settings(character, context.scene).part_list
    parts_of = parts_of_bones(names, [[row.name for row in part.bones] for part in parts])
    colors = [_displayed(part.color) for part in parts]
    return plan_overlay(lines_on_screen(lines, view), parts_of, colors, context.preferences.system.ui_scale)


def _displayed(color: Any) -> PartColor:
    """Return a part's color as its button shows it, converted from the stored linear light."""
    shown = Color(color).from_scene_linear_to_srgb()
    return (shown.r, shown.g, shown.b, 1.0)


DRAWING = Drawing(bpy.types.SpaceView3D, draw_parts, "POST_PIXEL")
