# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel for playing a character live: Steer, and Live Preview."""

from bpy.types import Context, Panel

from ...state.properties import scene_properties
from ..common.drawing import in_columns
from ..common.sidebar import CharacterPanel
from ..live.drawing import draw_live
from ..live.running import session
from .operators import GENMM_OT_steer
from .polish_operator import GENMM_OT_polish_performance


class GENMM_PT_live(CharacterPanel, Panel):
    bl_idname = "GENMM_PT_live"
    bl_label = "Play"
    bl_order = 6
    help_page = "live"

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether a character is selected, or Live Preview is on: then the path may be selected instead."""
        return session() is not None or super().poll(context)

    def draw(self, context: Context) -> None:
        """Draw the values for steering, its buttons, and the switch of Live Preview."""
        layout, steering = in_columns(self.layout), scene_properties(context.scene).steering
        layout.prop(steering, "responsiveness", slider=True)
        layout.prop_search(steering, "target", context.scene, "objects")
        layout.prop(steering, "count_in")
        layout.prop(steering, "plays_scene")
        column = layout.column(align=True)
        column.operator(GENMM_OT_steer.bl_idname, icon="ARMATURE_DATA")
        column.operator(GENMM_OT_polish_performance.bl_idname, icon="BRUSH_DATA")
        draw_live(layout, context)
