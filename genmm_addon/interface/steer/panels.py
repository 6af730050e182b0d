# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel for steering."""

from bpy.types import Context, Panel

from ...state.properties import scene_properties
from ...state.registration import registration_of
from ..common.sidebar import CharacterPanel
from .operators import GENMM_OT_steer
from .polish_operator import GENMM_OT_polish_performance


class GENMM_PT_live(CharacterPanel, Panel):
    bl_idname = "GENMM_PT_live"
    bl_label = "Live"
    bl_order = 3
    help_page = "live"

    def draw(self, context: Context) -> None:
        """Draw the responsiveness, the object to follow, and the button."""
        self.shown(context)
        layout, steering = self.layout, scene_properties(context.scene).steering
        layout.prop(steering, "responsiveness", slider=True)
        layout.prop_search(steering, "target", context.scene, "objects")
        layout.prop(steering, "count_in")
        layout.prop(steering, "plays_scene")
        layout.operator(GENMM_OT_steer.bl_idname, icon="ARMATURE_DATA")
        layout.operator(GENMM_OT_polish_performance.bl_idname, icon="BRUSH_DATA")


CLASSES = (GENMM_PT_live,)
register, unregister = registration_of(CLASSES)
