# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's list of parts."""

from bpy.types import Context, Menu, Panel, UILayout, UIList

from ...requests.part_values import missing_bones, uncovered_bones
from ...state.direction_properties import GENMM_PG_part
from ...state.properties import scene_properties
from ...state.registration import registration_of
from ..common.choice_operator import draw_choice
from ..common.drawn_rows import DrawnRows
from ..common.sidebar import GenerateSubPanel
from .operators import active_part
from .partition_operators import KINDS


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
        layout = self.layout
        for kind, name, _ in KINDS:
            layout.operator("genmm.make_parts", text=name).kind = kind
        layout.separator()
        draw_choice(layout, "genmm.edit_part", "MIRROR", by="action", text="Mirror Part", icon="MOD_MIRROR")
        draw_choice(layout, "genmm.edit_part", "GROW", by="action", text="Grow Part", icon="ADD")
        layout.separator()
        draw_choice(layout, "genmm.move_row", "part_list", text="Move Up", icon="TRIA_UP").direction = "UP"
        draw_choice(layout, "genmm.move_row", "part_list", text="Move Down", icon="TRIA_DOWN").direction = "DOWN"
        layout.separator()
        draw_choice(
            layout, "genmm.part_collections", "IMPORT", by="action", text="From Bone Collections", icon="IMPORT"
        )
        draw_choice(layout, "genmm.part_collections", "EXPORT", by="action", text="To Bone Collections", icon="EXPORT")


class GENMM_PT_parts(GenerateSubPanel, Panel):
    bl_label = "Parts"
    bl_order = 4
    help_page = "parts"

    def draw(self, context: Context) -> None:
        """Draw the parts, the bones of the selected one, and the number of bones in none."""
        character, settings = self.shown(context)
        layout = self.layout
        layout.prop(settings, "parts")
        row = layout.row()
        row.template_list("GENMM_UL_parts", "", settings, "part_list", settings, "active_part", rows=4)
        buttons = row.column(align=True)
        draw_choice(buttons, "genmm.add_row", "part_list", text="", icon="ADD")
        draw_choice(buttons, "genmm.remove_row", "part_list", text="", icon="REMOVE")
        buttons.menu("GENMM_MT_parts", text="", icon="DOWNARROW_HLT")
        if active_part(settings) is not None:
            assign = layout.row(align=True)
            draw_choice(assign, "genmm.edit_part", "ASSIGN", by="action", text="Assign")
            draw_choice(assign, "genmm.edit_part", "REMOVE", by="action", text="Remove")
            draw_choice(assign, "genmm.edit_part", "SELECT", by="action", text="Select")
            left = len(uncovered_bones(settings, character))
            if left:
                sentence = f"{left} bones are in no part: they make" if left > 1 else "1 bone is in no part: it makes"
                layout.label(text=f"{sentence} one", icon="INFO")
            gone = missing_bones(settings, character)
            if gone:
                layout.label(text=f"No longer there: {', '.join(gone[:3])}", icon="ERROR", translate=False)
            elif settings.parts != "PAINTED":
                layout.label(text="The list is not used: set Parts to Custom", icon="INFO")
        shown = layout.row()
        shown.use_property_split = False
        shown.prop(scene_properties(context.scene), "show_parts", icon="OVERLAY", toggle=True)


CLASSES = (GENMM_UL_parts, GENMM_MT_parts, GENMM_PT_parts)
register, unregister = registration_of(CLASSES)
