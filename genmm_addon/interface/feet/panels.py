# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel of feet."""

from bpy.types import Context, Panel, UILayout

from ...animation.foot_locks import FOOT_LOCKS
from ...state.bone_lists import feet_of
from ...state.properties import GENMM_PG_character
from ...state.registration import registration_of
from ..common.choice_operator import draw_choice
from ..common.drawing import draw_contacts
from ..common.sidebar import GenerateSubPanel
from .bone_lists import draw_bone_list, draw_found_feet


class GENMM_PT_feet(GenerateSubPanel, Panel):
    bl_label = "Feet"
    bl_order = 5
    help_page = "feet"

    def draw(self, context: Context) -> None:
        """Draw the treatment of feet, and the bones that are feet."""
        _, settings = self.shown(context)
        draw_contacts(self.layout, settings)
        if settings.feet_choice == "CHOSEN":
            draw_bone_list(self.layout, settings, "feet")
            if not feet_of(settings.feet):
                self.layout.label(text="No bone stands on the ground", icon="INFO")
        else:
            draw_found_feet(self.layout, settings)
        self.layout.operator("genmm.find_feet", icon="VIEWZOOM")
        _draw_locks(self.layout, settings)


def _draw_locks(layout: UILayout, settings: GENMM_PG_character) -> None:
    """Draw the feet that are always or never locked over frames."""
    locks = FOOT_LOCKS.readable(settings.foot_locks)
    column = layout.column(align=True)
    box = column.box().column(align=True) if locks else column
    for number, lock in enumerate(locks):
        row = box.row(align=True)
        kind = "always" if lock.always else "never"
        row.label(text=f"{lock.bone} {kind}", icon="LOCKED" if lock.always else "UNLOCKED", translate=False)
        frames = row.row()
        frames.alignment = "RIGHT"
        frames.label(text=f"{lock.first}\N{EN DASH}{lock.last}", translate=False)
        draw_choice(row, "genmm.remove_row", "foot_locks", text="", icon="X").number = number
    column.operator_context = "INVOKE_DEFAULT"
    draw_choice(column, "genmm.add_row", "foot_locks", text="Add Foot Lock...", icon="ADD")
    if settings.foot_locks:
        layout.prop(settings, "foot_locks", text="As Text")
    if settings.foot_locks and not locks:
        layout.label(text="Write it as foot.L always 40-70", icon="ERROR")


CLASSES = (GENMM_PT_feet,)
register, unregister = registration_of(CLASSES)
