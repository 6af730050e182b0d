# SPDX-License-Identifier: GPL-3.0-or-later
"""The waypoints in the viewport."""

from bpy.types import Context, Object

from ...animation.rig import read_skeleton
from ...state.properties import readable_settings
from ..common.line_drawing import UNUSED, ColoredLines
from ..common.viewport_drawing import lines_around
from .lines import plan_lines
from .shown import scale_of, shown_waypoints


def waypoint_lines(context: Context, character: Object) -> ColoredLines | None:
    """Return the lines of a character's waypoints; None without any."""
    settings = readable_settings(character, context.scene)
    if not settings.waypoints:
        return None
    size = float(read_skeleton(character).size) * scale_of(character)
    waypoints = shown_waypoints(character, settings, context.scene)
    return plan_lines(waypoints, size, 1.0 if settings.use_waypoints else UNUSED)


DRAWING = lines_around(waypoint_lines, "show_waypoints")
