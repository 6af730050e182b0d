# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel of feet."""

from bpy.types import Context, Panel

from ...generation.request import RECORDS
from ...state.bone_lists import feet_of
from ...state.setting_properties import rows_of
from ..common.drawing import draw_contacts, draw_row_list
from ..common.sidebar import CharacterPanel
from .bone_lists import draw_bone_list, draw_found_feet


class GENMM_PT_feet(CharacterPanel, Panel):
    bl_label = "Feet"
    bl_parent_id = "GENMM_PT_repair"
    help_page = "feet"

    def draw(self, context: Context) -> None:
        """Draw the treatment of feet, and the bones that are feet."""
        _, settings = self.shown(context)
        draw_contacts(self.layout, settings)
        if settings.feet_choice == "CHOSEN":
            draw_bone_list(self.layout, settings, "feet")
            if not feet_of(settings.feet):
                self.layout.label(text="No bone stands on the ground", icon="INFO")
        else:
            draw_found_feet(self.layout, settings)
        for name in rows_of("feet", *RECORDS):
            draw_row_list(self.layout, settings, name)
