# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels Change and Attributes."""

from bpy.types import Context, Panel

from ...editing.transforming.record import recipe_of, recipe_text
from ...requests.attribute_examples import is_narrow, value_text
from ...state.properties import scene_properties
from ..common.sidebar import CharacterPanel
from ..timeline.stretch_operator import edited_action
from .drawing import draw_examples
from .operators import GENMM_OT_blend_action, GENMM_OT_edit_attributes, GENMM_OT_read_attributes, GENMM_OT_restyle


class GENMM_PT_transform(CharacterPanel, Panel):
    bl_idname = "GENMM_PT_transform"
    bl_label = "Change"
    bl_order = 4
    help_page = "transform"

    def draw(self, context: Context) -> None:
        """Draw the examples, both buttons, and the origin of the active action."""
        _, character_settings = self.shown(context)
        layout = self.layout
        settings = scene_properties(context.scene).transform
        draw_examples(layout, settings, expand=True)
        layout.prop(settings, "strength", text="Style Strength", slider=True)
        layout.operator(GENMM_OT_restyle.bl_idname, icon="BRUSH_DATA")
        layout.use_property_decorate = True
        layout.prop(character_settings, "blend_share", slider=True)
        layout.operator(GENMM_OT_blend_action.bl_idname, icon="ARROW_LEFTRIGHT")
        edited = edited_action(context)
        recipe = None if edited is None else recipe_of(edited[1])
        if recipe is not None:
            layout.label(text=recipe_text(recipe), icon="INFO", translate=False)


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
