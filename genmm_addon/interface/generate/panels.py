# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's main panel: the character, its examples, the length, and the Generate button."""

from typing import Any

from bpy.types import Context, Panel, UILayout

from ...generation.generation import Generation, running
from ...generation.recipe import character_behind
from ...requests.direction_values import why_no_path
from ...state.properties import GENMM_PG_character, readable_settings, stored_settings
from ...state.selection import character_or_reason, followed_curve
from ..common.drawing import (
    draw_channels,
    draw_keys,
    draw_length,
    draw_method,
    draw_output,
    draw_progress,
    draw_sentence,
    in_columns,
)
from ..common.sidebar import GenerateSubPanel, SidebarPanel, begin_layout
from ..examples.panels import draw_examples, draw_remarks
from ..feet.bone_lists import draw_bone_list
from ..help.tip import draw_tip
from ..presets.operators import GENMM_PT_method_presets

BUTTON_HEIGHT = 1.8


class GENMM_PT_generate(SidebarPanel, Panel):
    bl_label = "New Motion"
    help_page = "generate"

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return True; Blender asks each time that it lays out the sidebar, with any tab."""
        begin_layout(context)
        return True

    def draw(self, context: Context) -> None:
        """Draw what to select, or everything needed to generate."""
        layout = in_columns(self.layout)
        character, reason = character_or_reason(context)
        if character is None:
            _draw_what_to_select(layout, reason)
            return
        character = character_behind(character)
        draw_tip(layout)
        layout.label(text=character.name, icon="OUTLINER_OB_ARMATURE", translate=False)
        if stored_settings(character, context.scene) is None:
            # Until the button is pressed, Blender shows a linked character's values grayed out.
            layout.operator("genmm.keep_character_settings", icon="LIBRARY_DATA_DIRECT")
        settings = readable_settings(character, context.scene)
        draw_examples(layout, character, settings)
        draw_remarks(layout, character, settings, context.scene)
        draw_length(layout, settings, context.scene)
        layout.prop(settings, "loop")
        layout.prop(settings, "variations")
        layout.prop(settings, "noise", slider=True)
        layout.prop(settings, "output")
        _draw_followed(layout, context, settings)
        _draw_button(layout, running())


class GENMM_PT_output(GenerateSubPanel, Panel):
    bl_label = "Output"
    bl_order = 5
    help_page = "output"

    def draw(self, context: Context) -> None:
        """Draw where the motion begins, its root motion, and its keys."""
        _, settings = self.shown(context)
        draw_output(self.layout, settings)
        draw_keys(self.layout, settings)


class GENMM_PT_method(GenerateSubPanel, Panel):
    bl_label = "Advanced"
    bl_order = 6
    help_page = "advanced"

    def draw_header_preset(self, context: Context) -> None:
        """Draw Blender's preset menu and the help button."""
        GENMM_PT_method_presets.draw_panel_header(self.layout)
        super().draw_header_preset(context)

    def draw(self, context: Context) -> None:
        """Draw the seed, the parameters of the synthesis, the channels to learn, and the weights."""
        character, settings = self.shown(context)
        seed = self.layout.row(align=True)
        seed.prop(settings, "seed")
        seed.prop(settings, "new_seed", text="", icon="FILE_REFRESH")
        draw_method(self.layout, settings)
        draw_channels(self.layout, settings, character)
        self.layout.label(text="Weights")
        draw_bone_list(self.layout, settings, "joint_weights")


def _draw_what_to_select(layout: UILayout, reason: str) -> None:
    draw_sentence(layout, reason, "INFO")
    layout.separator()
    layout.label(text="No character yet?")
    layout.operator("genmm.add_sample_character", text="Add Sample Character", icon="OUTLINER_OB_ARMATURE")


def _draw_followed(layout: UILayout, context: Context, settings: GENMM_PG_character) -> None:
    """Draw which curve the motion follows, or why it cannot."""
    curve = followed_curve(context, settings)
    reason = why_no_path(settings, curve)
    if reason:
        draw_sentence(layout, reason, "ERROR")
    elif curve is not None:
        layout.label(text=f"Follows {curve.name}", icon="CURVE_PATH", translate=False)


def _draw_button(layout: UILayout, generation: Generation[Any] | None) -> None:
    if generation is not None:
        row = layout.row()
        row.scale_y = BUTTON_HEIGHT
        draw_progress(row, generation)
        return
    column = layout.column()
    column.scale_y = BUTTON_HEIGHT
    column.operator("genmm.generate_motion", icon="PLAY")
