# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel Transform, with Restyle and Blend for the active action."""

from bpy.types import Context, Panel

from ...editing.transforming.record import recipe_of, recipe_text
from ...state.properties import scene_properties
from ..common.sidebar import CharacterPanel
from ..timeline.stretch_operator import edited_action
from .drawing import draw_examples
from .operators import GENMM_OT_blend_action, GENMM_OT_restyle


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
