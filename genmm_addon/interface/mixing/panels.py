# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panels for mixing: the examples that a part draws from, and the names of other characters' bones."""

from bpy.types import Context, Panel, UILayout, UIList

from ...requests.library_values import learns_from_library
from ...state.direction_properties import GENMM_PG_bone_name
from ...state.properties import readable_settings
from ...state.registration import registration_of
from ...state.selection import character_of, character_or_reason
from ..common.choice_operator import draw_choice
from ..common.drawn_rows import DrawnRows
from ..common.sidebar import GenerateSubPanel
from ..parts.operators import active_part
from .operators import learns_from_others


class GENMM_UL_bone_names(DrawnRows, UIList):
    def draw_row(self, context: Context, layout: UILayout, item: GENMM_PG_bone_name, _index: int) -> None:
        """Draw a bone of another character, and its counterpart on this one."""
        row = layout.split(factor=0.4, align=True)
        row.prop(item, "name", text="", emboss=False)
        character = character_of(context)
        if character is not None:
            row.prop_search(item, "target", character.data, "bones", text="", icon="BONE_DATA")


class GENMM_PT_part_examples(GenerateSubPanel, Panel):
    bl_label = "Examples of the Part"
    bl_parent_id = "GENMM_PT_parts"
    help_page = "parts"

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether there is a part, and more than one example to choose from."""
        character, _ = character_or_reason(context)
        if character is None:
            return False
        settings = readable_settings(character, context.scene)
        several = len(settings.examples) > 1 and not learns_from_library(settings)
        return active_part(settings) is not None and several

    def draw(self, context: Context) -> None:
        """Draw a switch for each example."""
        _, settings = self.shown(context)
        part = active_part(settings)
        self.layout.prop(part, "use_examples", text="Choose")
        column = self.layout.column(align=True)
        column.active = part.use_examples
        excluded = {row.number for row in part.excluded}
        for number, item in enumerate(settings.examples):
            if item.action is None or not item.enabled:
                continue
            used = not part.use_examples or number not in excluded
            name = item.action.name if item.armature is None else f"{item.action.name} ({item.armature.name})"
            toggle = column.operator(
                "genmm.toggle_part_example",
                text=name,
                icon="CHECKBOX_HLT" if used else "CHECKBOX_DEHLT",
                translate=False,
            )
            toggle.number = number


class GENMM_PT_bone_names(GenerateSubPanel, Panel):
    bl_label = "Bone Names"
    bl_order = 1
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
        buttons = row.column(align=True)
        draw_choice(buttons, "genmm.add_row", "bone_names", text="", icon="ADD")
        draw_choice(buttons, "genmm.remove_row", "bone_names", text="", icon="REMOVE")
        draw_choice(buttons, "genmm.clear_rows", "bone_names", text="", icon="X")
        layout.label(text="Other bones are matched by name", icon="INFO")


CLASSES = (GENMM_UL_bone_names, GENMM_PT_part_examples, GENMM_PT_bone_names)
register, unregister = registration_of(CLASSES)
