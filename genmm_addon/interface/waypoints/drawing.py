# SPDX-License-Identifier: GPL-3.0-or-later
"""The waypoints in the viewport."""

import bpy

from ...animation.rig import read_skeleton
from ...state.properties import readable_settings, scene_properties
from ...state.registration import Drawing
from ...state.selection import character_of
from ..common.draw_handlers import shows_overlays
from ..common.line_drawing import UNUSED, draw_lines
from .lines import plan_lines
from .shown import scale_of, shown_waypoints


def draw_waypoints() -> None:
    """Draw the waypoints; Blender calls this after drawing a viewport."""
    context = bpy.context
    if not shows_overlays(context):
        return
    if not scene_properties(context.scene).show_waypoints:
        return
    character = character_of(context)
    if character is None or character.pose is None:
        return
    settings = readable_settings(character, context.scene)
    if not settings.waypoints:
        return
    size = float(read_skeleton(character).size) * scale_of(character)
    waypoints = shown_waypoints(character, settings, context.scene)
    draw_lines(context, plan_lines(waypoints, size, 1.0 if settings.use_waypoints else UNUSED))


DRAWING = Drawing(bpy.types.SpaceView3D, draw_waypoints, "POST_VIEW")
