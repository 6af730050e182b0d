# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel for hands and feet at places."""

from bpy.types import Context, Panel

from ..common.drawing import draw_row_list, draw_sentence
from ..common.sidebar import DirectSubPanel
from .shown import shown_places


class GENMM_PT_reach(DirectSubPanel, Panel):
    bl_label = "Hands and Feet"
    bl_order = 6
    help_page = "reach"

    def draw(self, context: Context) -> None:
        """Draw the list of places, and a sentence on what is wrong with them."""
        character, settings = self.shown(context)
        layout, shown = self.layout, shown_places(character, settings)
        draw_row_list(layout, settings, "reaches", "No hand or foot is held yet", "Hold Hand or Foot...")
        if shown.problem:
            draw_sentence(layout, shown.problem, "ERROR")
        column = layout.column()
        column.enabled = bool(shown.places)
        column.operator("genmm.reach_in_action", text="Apply to This Action", icon="CON_KINEMATIC")
