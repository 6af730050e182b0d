# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panels for mixing: the examples that a part draws from, and the names of other characters' bones."""

from typing import Any

from bpy.props import BoolProperty
from bpy.types import AnyType, Context, Panel, UILayout, UIList

from ...state.direction_properties import GENMM_PG_bone_name
from ...state.properties import readable_settings
from ...state.selection import character_or_reason
from ..common.drawing import draw_list_buttons
from ..common.drawn_rows import DrawnRows
from ..common.sidebar import GenerateSubPanel
from .map_drawing import table_is_drawn
from .other_skeletons import learns_from_others, other_characters

ICONS: dict[str, Any] = {
    "SET": "COLORSET_04_VEC",
    "SURE": "COLORSET_03_VEC",
    "DOUBTFUL": "COLORSET_09_VEC",
    "NONE": "COLORSET_01_VEC",
}
"""Blue, green, yellow and red squares."""


class GENMM_UL_bone_names(DrawnRows, UIList):
    only_doubtful: BoolProperty(
        name="To Check", description="Show only the bones whose counterparts are doubtful, or that have none"
    )

    def draw_row(self, _context: Context, layout: UILayout, item: GENMM_PG_bone_name, _index: int) -> None:
        """Draw how sure a pair is, a bone of another character, and its counterpart on this one, without namespaces."""
        row = layout.row(align=True)
        row.label(text="", icon=ICONS[item.shown_certainty])
        names = row.split(factor=0.5, align=True)
        names.label(text=item.name.rpartition(":")[2], translate=False)
        names.label(text=item.target.rpartition(":")[2], translate=False)

    def draw_filter(self, _context: Context, layout: UILayout) -> None:
        """Draw the search for a name, and the choice of the pairs to check."""
        row = layout.row(align=True)
        row.prop(self, "filter_name", text="")
        row.prop(self, "only_doubtful", toggle=True)

    def filter_items(self, _context: Context, data: AnyType, property: str) -> tuple[list[int], list[int]]:  # type: ignore[override]  # the stub names no types
        """Return the visibility of each row: those of which a name contains the text, and only those to check."""
        text = self.filter_name.lower()
        return [
            self.bitflag_filter_item
            if text in f"{row.name} {row.target}".lower()
            and (not self.only_doubtful or row.shown_certainty in ("DOUBTFUL", "NONE"))
            else 0
            for row in getattr(data, property)
        ], []


class GENMM_PT_bone_names(GenerateSubPanel, Panel):
    bl_label = "Bone Names"
    bl_order = 4
    help_page = "bone_names"

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether the character learns from another skeleton, or another character is selected as well."""
        character, _ = character_or_reason(context)
        if character is None:
            return False
        settings = readable_settings(character, context.scene)
        has_others = learns_from_others(settings) or bool(other_characters(context, character))
        return has_others or len(settings.bone_names) > 0

    def draw(self, context: Context) -> None:
        """Draw the table, and the fields of the row that is selected."""
        character, settings = self.shown(context)
        layout = self.layout
        layout.prop(settings, "keep_contacts")
        layout.operator_menu_enum("genmm.edit_bone_names", "what", text="Match, Load or Save", icon="BONE_DATA")
        row = layout.row()
        row.template_list("GENMM_UL_bone_names", "", settings, "bone_names", settings, "active_bone_name", rows=5)
        draw_list_buttons(row, "bone_names")
        if settings.bone_names:
            table_is_drawn(context)
            chosen = settings.bone_names[min(settings.active_bone_name, len(settings.bone_names) - 1)]
            column = layout.column(align=True)
            column.prop(chosen, "name", text="")
            column.prop_search(chosen, "target", character.data, "bones", text="", icon="BONE_DATA")
        layout.label(text="Other bones are matched by shape", icon="INFO")
