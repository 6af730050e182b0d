# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel Attributes in Transform: the active action's values, and sliders within the range of its examples."""

from bpy.types import Context, Panel

from ...requests.attribute_examples import is_narrow, value_text
from ...state.properties import scene_properties
from ..common.sidebar import CharacterPanel
from ..timeline.stretch_operator import edited_action
from .attribute_operators import GENMM_OT_edit_attributes, GENMM_OT_read_attributes
from .panels import GENMM_PT_transform


class GENMM_PT_attributes(CharacterPanel, Panel):
    bl_idname = "GENMM_PT_attributes"
    bl_label = "Attributes"
    bl_parent_id = GENMM_PT_transform.bl_idname
    help_page = "attributes"

    def draw(self, context: Context) -> None:
        """Draw the bone, the values read, a slider for each attribute whose range leaves room, and the button."""
        self.shown(context)
        layout = self.layout
        shown = scene_properties(context.scene).transform.attributes
        layout.operator(GENMM_OT_read_attributes.bl_idname, icon="VIEWZOOM")
        edited = edited_action(context)
        if edited is None or shown.action != edited[1].name:
            return
        for value in shown.values:
            column = layout.column(align=True)
            slider = column.row()
            slider.enabled = not is_narrow(value)
            slider.prop(value, "change", text=value.label, slider=True)
            row = column.row()
            row.alignment = "RIGHT"
            row.label(text=value_text(value, shown.size, context.scene), translate=False)
        layout.operator(GENMM_OT_edit_attributes.bl_idname, icon="OPTIONS")
