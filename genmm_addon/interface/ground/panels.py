# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel of the ground."""

from bpy.types import Context, Panel

from ...requests.direction_values import why_no_ground
from ..common.drawing import draw_switch
from ..common.sidebar import DirectSubPanel


class GENMM_PT_ground(DirectSubPanel, Panel):
    bl_label = "Ground"
    bl_order = 6
    help_page = "ground"

    def draw_header(self, context: Context) -> None:
        """Draw the switch of the ground."""
        _, settings = self.shown(context)
        draw_switch(self.layout, settings, "use_ground", usable=settings.ground_object is not None)

    def draw(self, context: Context) -> None:
        """Draw the object that feet stand on, and the button for the present action."""
        character, settings = self.shown(context)
        layout = self.layout
        layout.prop(settings, "ground_object", text="Object")
        if settings.ground_object is None:
            layout.label(text="Choose stairs, a slope or a terrain", icon="INFO")
            return
        reason = why_no_ground(settings, character)
        if reason:
            layout.label(text=reason, icon="ERROR", translate=False)
            return
        layout.operator("genmm.put_feet_on_ground", icon="IMPORT")
