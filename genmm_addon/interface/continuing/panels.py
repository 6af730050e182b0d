# SPDX-License-Identifier: GPL-3.0-or-later
"""Continue and Connect in the dope sheet's tab."""

from bpy.types import Context, Panel

from ...state.registration import registration_of
from ..timeline.panels import TimelinePanel
from ..timeline.stretch_operator import last_frame_played
from .operators import GENMM_OT_connect_action, draw_starts


class GENMM_PT_continue(TimelinePanel, Panel):
    bl_idname = "GENMM_PT_continue"
    bl_label = "Continue"
    help_page = "continue"

    def draw(self, context: Context) -> None:
        """Draw the buttons of Continue and of Connect, and one that extends playback where the motion lasts longer."""
        character, _ = self.shown(context)
        draw_starts(self.layout.column(align=True))
        self.layout.operator_context = "INVOKE_DEFAULT"
        self.layout.operator(GENMM_OT_connect_action.bl_idname, icon="LINKED")
        last = last_frame_played(character)
        if last > context.scene.frame_end:
            self.layout.label(text=f"Ends at {last}, the scene at {context.scene.frame_end}", icon="INFO")
            self.layout.operator("genmm.extend_playback", icon="TIME")


register, unregister = registration_of((GENMM_PT_continue,))
