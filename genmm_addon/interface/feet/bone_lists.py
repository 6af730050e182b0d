# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's lists of bones: the feet, and the bones with weights of their own."""

from bpy.types import Context, UILayout, UIList

from ...state.bone_lists import GENMM_PG_foot, GENMM_PG_joint_weight, feet_of
from ...state.properties import GENMM_PG_character
from ...state.selection import character_of
from ..common.drawing import draw_bone, draw_list_buttons
from ..common.drawn_rows import DrawnRows


class GENMM_UL_feet(DrawnRows, UIList):
    def draw_row(self, context: Context, layout: UILayout, item: GENMM_PG_foot, _index: int) -> None:
        """Draw one foot."""
        draw_bone(layout, item, character_of(context))


class GENMM_UL_joint_weights(DrawnRows, UIList):
    def draw_row(self, context: Context, layout: UILayout, item: GENMM_PG_joint_weight, _index: int) -> None:
        """Draw one bone and its weight factor."""
        row = layout.row(align=True)
        draw_bone(row, item, character_of(context))
        factor = row.row(align=True)
        factor.ui_units_x = 3
        factor.prop(item, "factor", text="")


SHOWN = {"feet": ("GENMM_UL_feet", "active_foot"), "joint_weights": ("GENMM_UL_joint_weights", "active_weight")}


def draw_bone_list(layout: UILayout, settings: GENMM_PG_character, rows: str) -> None:
    """Draw a list of bones with the buttons that add and remove: the feet, or the weights."""
    shown, active = SHOWN[rows]
    row = layout.row()
    row.template_list(shown, "", settings, rows, settings, active, rows=2)
    draw_list_buttons(row, rows)


def draw_found_feet(layout: UILayout, settings: GENMM_PG_character) -> None:
    """Draw the feet that were last found, by generating or by the button."""
    column = layout.box().column(align=True)
    names = feet_of(settings.found_feet)
    if not settings.feet_were_sought:
        column.label(text="Found when generating", icon="INFO")
    elif not names:
        column.label(text="No feet were found", icon="INFO")
        column.label(text="Choose bones, or go without", icon="BLANK1")
    for name in names:
        column.label(text=name, icon="BONE_DATA", translate=False)
