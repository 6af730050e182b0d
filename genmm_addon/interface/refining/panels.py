# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse Keys and Make Natural in the dope sheet's tab."""

from bpy.types import Context, Panel

from ...editing.coarse_record import coarse_record
from ...state.registration import registration_of
from ..timeline.panels import TimelinePanel
from ..timeline.stretch_operator import edited_action
from .operators import (
    GENMM_OT_coarse_keys,
    GENMM_OT_make_natural,
    draw_switching,
)


class GENMM_PT_natural(TimelinePanel, Panel):
    bl_idname = "GENMM_PT_natural"
    bl_label = "Make Natural"
    help_page = "natural"

    def draw(self, context: Context) -> None:
        """Draw the buttons for coarse keys, the name of their original, and Make Natural."""
        self.shown(context)
        edited = edited_action(context)
        record = None if edited is None else coarse_record(edited[1])
        column = self.layout.column(align=True)
        column.operator(GENMM_OT_coarse_keys.bl_idname, icon="KEYFRAME")
        draw_switching(column)
        if record is not None:
            original = "Its original is gone" if record.original is None else f"Original: {record.original.name}"
            self.layout.label(text=original, icon="ACTION", translate=False)
        self.layout.operator_context = "INVOKE_REGION_WIN"
        self.layout.operator(GENMM_OT_make_natural.bl_idname, icon="MOD_SMOOTH")


register, unregister = registration_of((GENMM_PT_natural,))
