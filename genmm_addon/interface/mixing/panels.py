# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panels for mixing: the examples that a part draws from, and the names of other characters' bones."""

from bpy.types import Context, Panel, UILayout, UIList

from ...state.direction_properties import GENMM_PG_bone_name
from ...state.properties import readable_settings
from ...state.registration import registration_of
from ...state.selection import character_of, character_or_reason
from ..common.drawing import draw_list_buttons
from ..common.drawn_rows import DrawnRows
from ..common.sidebar import GenerateSubPanel
from .operators import learns_from_others


class GENMM_UL_bone_names(DrawnRows, UIList):
    def draw_row(self, context: Context, layout: UILayout, item: GENMM_PG_bone_name, _index: int) -> None:
        """Draw a bone of another character, and its counterpart on this one."""
        row = layout.split(factor=0.4, align=True)
        row.prop(item, "name", text="", emboss=False)
        character = character_of(context)
        if character is not None:
            row.prop_search(item, "target", character.data, "bones", text="", icon="BONE_DATA")


class GENMM_PT_bone_names(GenerateSubPanel, Panel):
    bl_label = "Bone Names"
    bl_order = 4
    help_page = "bone_names"

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether the character learns from another character or from libraries."""
        character, _ = character_or_reason(context)
        if character is None:
            return False
        settings = readable_settings(character, context.scene)
        return bool(learns_from_others(settings)) or len(settings.bone_names) > 0

    def draw(self, context: Context) -> None:
        """Draw the table."""
        _, settings = self.shown(context)
        layout = self.layout
        layout.prop(settings, "keep_contacts")
        layout.operator("genmm.guess_bone_names", icon="VIEWZOOM")
        row = layout.row()
        row.template_list("GENMM_UL_bone_names", "", settings, "bone_names", settings, "active_bone_name", rows=5)
        draw_list_buttons(row, "bone_names")
        layout.label(text="Other bones are matched by shape", icon="INFO")


CLASSES = (GENMM_UL_bone_names, GENMM_PT_bone_names)
register, unregister = registration_of(CLASSES)
