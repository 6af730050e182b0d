# SPDX-License-Identifier: GPL-3.0-or-later
"""Gizmos in timeline and dope sheet that move the first and the last frame of the range to edit."""

from typing import Any, cast

import bpy
from bpy.types import Context, Event, Gizmo, GizmoGroup

from ...state.properties import scene_properties
from ..common.blender_bases import Outcome
from ..common.draw_handlers import redraw
from ..common.line_drawing import FRAME_NUMBERS, draw_rectangles, frames_on_screen
from ..common.screen_units import draw_shadowed, set_text, widget_height
from ..timeline.duration_bars import RANGE
from ..timeline.stretch_operator import edited_action


class GENMM_GT_range_end(Gizmo):
    bl_idname = "GENMM_GT_range_end"

    end = 0
    _before = (0, 0)

    def draw(self, context: Context) -> None:
        """Draw a line at the end of the range, with a grip; the first end also draws the range."""
        left, low, right, high = _grip(context, self.end)
        ends, middle = _ends(context), (right, left)[self.end]
        if self.end == 0:
            origin, unit = frames_on_screen(context.region)
            draw_rectangles([(origin + ends[0] * unit, 0.0, origin + ends[1] * unit, high)], RANGE)
        color: Any = self.color_highlight if self.is_highlight else self.color
        draw_rectangles([(middle - 1.0, 0.0, middle + 1.0, low), (left, low, right, high)], (*color, 1.0))
        if self.is_highlight or self.is_modal:
            set_text(context, (1.0, 1.0, 1.0, 1.0))
            draw_shadowed(str(ends[self.end]), right, low)

    def test_select(self, context: Context, location: Any) -> int:
        """Return 0 if the mouse is on the grip, else -1: below it, keys are selected as ever."""
        left, low, right, high = _grip(context, self.end)
        return 0 if left <= location[0] <= right and low <= location[1] <= high else -1

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Begin a drag."""
        self._before = _ends(context)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event, _tweak: Any) -> Outcome:
        """Move the end to the frame under the mouse, at most to the frame beside the other end."""
        origin, unit = frames_on_screen(context.region)
        frame, (first, last) = round((event.mouse_region_x - origin) / unit), _ends(context)
        if self.end == 0:
            _set_ends(context, min(frame, last - 1), last)
        else:
            _set_ends(context, first, max(frame, first + 1))
        return {"RUNNING_MODAL"}

    def exit(self, context: Context, cancel: bool) -> None:
        """Undo a canceled drag; else push an undo step if the range has changed."""
        if cancel:
            _set_ends(context, *self._before)
        elif _ends(context) != self._before:
            bpy.ops.ed.undo_push(message="Set Range")


class GENMM_GGT_range(GizmoGroup):
    bl_idname = "GENMM_GGT_range"
    bl_label = "Range to Edit"
    bl_space_type = "DOPESHEET_EDITOR"
    bl_region_type = "WINDOW"
    bl_options = {"PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether edits in place take the range from one frame to another, and there is an action to edit."""
        chosen = scene_properties(context.scene).filling.range_choice == "FRAMES"
        return chosen and bool(context.scene.is_editable) and edited_action(context) is not None

    def setup(self, context: Context) -> None:
        """Add a gizmo for each end, in the colors of the theme."""
        theme = context.preferences.themes[0].user_interface
        for end in (0, 1):
            gizmo = self.gizmos.new(GENMM_GT_range_end.bl_idname)
            cast(GENMM_GT_range_end, gizmo).end = end
            gizmo.color, gizmo.color_highlight = theme.gizmo_primary, theme.gizmo_hi


def _ends(context: Context) -> tuple[int, int]:
    settings = scene_properties(context.scene).filling
    return settings.first_frame, settings.last_frame


def _set_ends(context: Context, first: int, last: int) -> None:
    settings = scene_properties(context.scene).filling
    settings.first_frame, settings.last_frame = first, last
    for editor in ("DOPESHEET_EDITOR", "VIEW_3D"):  # The panel is in both.
        redraw(context, editor)


def _grip(context: Context, end: int) -> tuple[float, float, float, float]:
    """Return the left, lower, right and upper edge in pixels of an end's grip, which is outside of the range.

    An end that the view does not show has its grip near the edge of the region, which itself resizes the sidebar.
    """
    region, size = context.region, 0.5 * widget_height(context)
    origin, unit = frames_on_screen(region)
    left = min(max(origin + _ends(context)[end] * unit, 2 * size), region.width - 3 * size) - (size, 0.0)[end]
    high = region.height - FRAME_NUMBERS * context.preferences.system.ui_scale
    return left, high - 2 * size, left + size, high
