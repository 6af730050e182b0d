# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's list of parts."""

from bpy.types import Context, Menu, Panel, UILayout, UIList

from ...requests.library_values import learns_from_library
from ...requests.part_values import missing_bones, uncovered_bones
from ...state.direction_properties import GENMM_PG_part
from ...state.properties import GENMM_PG_character
from ..common.choice_operator import draw_choice
from ..common.drawing import draw_list_buttons
from ..common.drawn_rows import DrawnRows
from ..common.sidebar import GenerateSubPanel
from ..timeline.menus import PARTS, draw_entries
from .operators import active_part


class GENMM_UL_parts(DrawnRows, UIList):
    def draw_row(self, _context: Context, layout: UILayout, item: GENMM_PG_part, _index: int) -> None:
        """Draw a part: its color, its name, its number of bones."""
        row = layout.row(align=True)
        color = row.row()
        color.ui_units_x = 1
        color.prop(item, "color", text="")
        row.prop(item, "name", text="", emboss=False)
        count = row.row()
        count.alignment = "RIGHT"
        count.active = len(item.bones) > 0
        count.label(text=str(len(item.bones)), translate=False)


class GENMM_MT_parts(Menu):
    bl_label = "Parts"

    def draw(self, _context: Context) -> None:
        """Draw the less common operations on the list."""
        draw_entries(self.layout, PARTS)


class GENMM_PT_parts(GenerateSubPanel, Panel):
    bl_label = "Parts"
    bl_order = 3
    help_page = "parts"

    def draw(self, context: Context) -> None:
        """Draw the parts, the bones of the selected one, and the number of bones in none."""
        character, settings = self.shown(context)
        layout = self.layout
        layout.prop(settings, "parts")
        row = layout.row()
        row.template_list("GENMM_UL_parts", "", settings, "part_list", settings, "active_part", rows=4)
        draw_list_buttons(row, "part_list").menu("GENMM_MT_parts", text="", icon="DOWNARROW_HLT")
        if active_part(settings) is not None:
            assign = layout.row(align=True)
            draw_choice(assign, "genmm.edit_part", "ASSIGN", by="action", text="Assign")
            draw_choice(assign, "genmm.edit_part", "REMOVE", by="action", text="Remove")
            draw_choice(assign, "genmm.edit_part", "SELECT", by="action", text="Select")
            left = len(uncovered_bones(settings, character))
            if left:
                layout.label(
                    text="1 other bone is a part" if left == 1 else f"{left} other bones form a part", icon="INFO"
                )
            gone = missing_bones(settings, character)
            if gone:
                layout.label(text=f"Missing: {', '.join(gone[:3])}", icon="ERROR", translate=False)
            elif settings.parts != "PAINTED":
                layout.label(text="The list is not used: set Parts to Custom", icon="INFO")
            draw_part_examples(layout, settings)


def draw_part_examples(layout: UILayout, settings: GENMM_PG_character) -> None:
    """Draw a switch for each example, where there is more than one to choose from."""
    part = active_part(settings)
    if part is None or len(settings.examples) < 2 or learns_from_library(settings):
        return
    layout.prop(part, "use_examples")
    if not part.use_examples:
        return
    column = layout.column(align=True)
    excluded = {row.number for row in part.excluded}
    for number, item in enumerate(settings.examples):
        if item.action is None or not item.enabled:
            continue
        name = item.action.name if item.armature is None else f"{item.action.name} ({item.armature.name})"
        toggle = column.operator(
            "genmm.toggle_part_example",
            text=name,
            icon="CHECKBOX_DEHLT" if number in excluded else "CHECKBOX_HLT",
            translate=False,
        )
        toggle.number = number
