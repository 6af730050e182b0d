# SPDX-License-Identifier: GPL-3.0-or-later
"""Continue and Connect in the dope sheet's tab."""

from bpy.types import Context, Panel

from ...state.registration import registration_of
from ..timeline.panels import TimelinePanel
from .operators import GENMM_OT_connect_action, draw_starts


class GENMM_PT_continue(TimelinePanel, Panel):
    bl_idname = "GENMM_PT_continue"
    bl_label = "Continue"
    help_page = "continue"

    def draw(self, context: Context) -> None:
        """Draw the buttons of Continue and of Connect."""
        self.shown(context)
        draw_starts(self.layout.column(align=True))
        self.layout.operator_context = "INVOKE_DEFAULT"
        self.layout.operator(GENMM_OT_connect_action.bl_idname, icon="LINKED")


register, unregister = registration_of((GENMM_PT_continue,))
