# SPDX-License-Identifier: GPL-3.0-or-later
"""The switch of Live below the Generate button, with the reason why no motion is made or kept."""

from bpy.types import Context, Panel

from ...state.registration import registration_of
from ...state.selection import settings_character
from ..common.drawing import draw_sentence
from ..common.sidebar import GenerateSubPanel
from . import running
from .operators import GENMM_OT_live


class GENMM_PT_live_switch(GenerateSubPanel, Panel):
    bl_label = "Live"
    bl_options = {"HIDE_HEADER"}
    bl_order = 0
    help_page = "live"

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether a character is selected, or Live is on: then the path may be selected instead."""
        return running.session() is not None or super().poll(context)

    def draw(self, context: Context) -> None:
        """Draw the switch, and the session's sentence where it has one."""
        character, live = settings_character(context), running.session()
        is_own = live is not None and (character is None or live.character == character.name_full)
        column = self.layout.column(align=True)
        column.operator(
            GENMM_OT_live.bl_idname,
            text=f"Live: {live.character}" if live is not None and character is None else "Live",
            translate=False,
            icon="RADIOBUT_ON" if is_own else "RADIOBUT_OFF",
            depress=is_own,
        )
        sentence = running.ended_because() if live is None else live.problem or live.waits_for or live.note
        if sentence:
            draw_sentence(column, sentence, "INFO")


CLASSES = (GENMM_PT_live_switch,)
register, unregister = registration_of(CLASSES)
