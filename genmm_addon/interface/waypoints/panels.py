# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel of waypoints."""

from bpy.types import Context, Panel, Scene, UILayout

from ...state.properties import GENMM_PG_character, readable_settings
from ...state.selection import character_of
from ..common.choice_operator import draw_choice
from ..common.drawing import draw_sentence, draw_switch, length_text
from ..common.sidebar import DirectSubPanel
from .shown import ShownWaypoint, shown_waypoints, warnings_on


class GENMM_PT_waypoints(DirectSubPanel, Panel):
    bl_label = "Waypoints"
    bl_order = 5
    help_page = "waypoints"

    def draw_header(self, context: Context) -> None:
        """Draw the switch of the waypoints."""
        settings = readable_settings(character_of(context), context.scene)
        draw_switch(self.layout, settings, "use_waypoints", usable=len(settings.waypoints) > 0)

    def draw(self, context: Context) -> None:
        """Draw the list with its warnings, and the buttons that add to it."""
        character, settings = self.shown(context)
        layout, scene = self.layout, context.scene
        row = layout.row(align=True)
        draw_choice(row, "genmm.add_row", "waypoints", text="At Cursor", icon="PIVOT_CURSOR").source = "CURSOR"
        draw_choice(row, "genmm.add_row", "waypoints", text="Selected", icon="EMPTY_AXIS").source = "SELECTED"
        waypoints = shown_waypoints(character, settings, scene)
        column = layout.column(align=True)
        column.active = settings.use_waypoints
        column.use_property_split = False
        _draw_rows(column, settings, {waypoint.number: waypoint for waypoint in waypoints}, scene)
        for warning in warnings_on(waypoints, settings, scene.frame_start, settings.frames):
            draw_sentence(layout, warning, "ERROR")


def _draw_rows(layout: UILayout, settings: GENMM_PG_character, shown: dict[int, ShownWaypoint], scene: Scene) -> None:
    if not settings.waypoints:
        layout.label(text="No place to pass yet", icon="INFO")
        return
    for number, waypoint in enumerate(settings.waypoints):
        passed = shown.get(number)
        if passed is not None and passed.distance:
            leg = layout.row()
            leg.alert = passed.out_of_reach
            far, fast = (length_text(value, scene) for value in (passed.distance, passed.speed))
            leg.label(text=f"{far} at {fast}/s", icon="SORT_ASC", translate=False)
        row = layout.row(align=True)
        draw_choice(row, "genmm.go_to_frame", "waypoints", text="", icon="TIME").number = number
        frame = row.row(align=True)
        frame.ui_units_x = 2.5
        frame.prop(waypoint, "frame", text="")
        row.prop(waypoint, "empty", text="")
        row.prop(waypoint, "use_place", text="", icon="EMPTY_ARROWS", toggle=True)
        row.prop(waypoint, "use_facing", text="", icon="EMPTY_SINGLE_ARROW", toggle=True)
        draw_choice(row, "genmm.remove_row", "waypoints", text="", icon="X").number = number
