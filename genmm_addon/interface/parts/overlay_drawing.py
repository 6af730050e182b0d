# SPDX-License-Identifier: GPL-3.0-or-later
"""The colors of the parts over the bones in the viewport, while painting or with Show Parts."""

from typing import Any

import bpy
import numpy as np
from bpy.types import Context, Object
from mathutils import Color

from ...state.properties import readable_settings, scene_properties
from ...state.registration import Drawing
from ...state.selection import character_of
from ..common.draw_handlers import shows_overlays
from ..common.line_drawing import ColoredLines, draw_lines
from .bone_picking import View, lines_on_screen
from .overlay import Layer, PartColor, parts_of_bones, plan_overlay
from .paint_tool import is_painting
from .visible_bones import shown_bones


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
