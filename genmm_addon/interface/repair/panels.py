# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel Clean Up: the values of a repair, the flaws found, and the button."""

from bpy.types import Context, Panel, UILayout, UIList

from ...editing.repairing.record import repair_text
from ...state.edit_properties import FLAW_KINDS, FLAW_TITLES, GENMM_PG_flaw
from ...state.properties import scene_properties
from ..common.choice_operator import draw_choice
from ..common.drawing import draw_sentence, length_text
from ..common.drawn_rows import DrawnRows
from ..common.sidebar import CharacterPanel
from ..timeline.stretch_operator import edited_action
from ..timeline.unchanged_keys import shown_fingerprint
from ..transform.drawing import draw_example_names
from .asked import why_not_listed
from .operators import GENMM_OT_find_flaws, GENMM_OT_repair


class GENMM_UL_flaws(DrawnRows, UIList):
    def draw_row(self, _context: Context, layout: UILayout, item: GENMM_PG_flaw, index: int) -> None:
        """Draw one flaw: its checkbox, its kind, its frames, and its amount."""
        row = layout.row(align=True)
        row.alignment = "LEFT"
        row.prop(item, "repaired", text="")
        frames = f"{item.first:g}" if item.first == item.last else f"{item.first:g}-{item.last:g}"
        text = f"{FLAW_TITLES.get(item.kind, item.kind)} {frames} {item.amount.partition(':')[0]}".rstrip()
        draw_choice(row, "genmm.go_to_frame", "flaws", text=text, emboss=False, translate=False).number = index


class GENMM_PT_repair(CharacterPanel, Panel):
    bl_idname = "GENMM_PT_repair"
    bl_label = "Clean Up"
    bl_order = 5
    help_page = "repair"

    def draw(self, context: Context) -> None:
        """Draw the values, the flaws found in this action, and the button."""
        self.shown(context)
        layout, settings = self.layout, scene_properties(context.scene).repair
        layout.prop(settings, "what", expand=True)
        kinds = layout.grid_flow(row_major=True, columns=3, even_columns=True, align=True)
        kinds.use_property_split = False
        for kind in FLAW_KINDS:
            kinds.prop_enum(settings, "kinds", kind[0])
        layout.prop(settings, "source")
        draw_example_names(layout, settings)
        layout.operator(GENMM_OT_find_flaws.bl_idname, icon="VIEWZOOM")
        edited = edited_action(context)
        if edited is not None and settings.action == edited[1].name and settings.flaws:
            reason = why_not_listed(settings, edited[1], edited[2], shown_fingerprint)
            if reason:
                draw_sentence(layout, f"{reason}.", "INFO")
            else:
                layout.template_list("GENMM_UL_flaws", "", settings, "flaws", settings, "active_flaw")
                _draw_selected(layout, settings.flaws[min(settings.active_flaw, len(settings.flaws) - 1)], context)
        layout.operator(GENMM_OT_repair.bl_idname, icon="MODIFIER")
        text = repair_text(None if edited is None else edited[1])
        if text:
            layout.label(text=text, icon="INFO", translate=False)


def _draw_selected(layout: UILayout, flaw: GENMM_PG_flaw, context: Context) -> None:
    """Draw the bones of the selected flaw, and how far its repair moves joints."""
    bones = flaw.amount.partition(": ")[2] or flaw.bones
    moves = f"Repair moves joints by up to {length_text(flaw.change, context.scene)}."
    draw_sentence(layout, f"{bones}. {moves}" if bones else moves, "INFO")
