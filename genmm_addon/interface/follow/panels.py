# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel of signals that a motion follows."""

from bpy.types import Context, Panel

from ..common.choice_operator import draw_choice
from ..common.drawing import draw_row_list, draw_sentence
from ..common.sidebar import DirectSubPanel
from .shown import problems_of


class GENMM_PT_follow(DirectSubPanel, Panel):
    bl_label = "Follow"
    bl_order = 7
    help_page = "follow"

    def draw(self, context: Context) -> None:
        """Draw the followed signals, why any cannot be followed, and the button that marks a beat."""
        character, settings = self.shown(context)
        layout = self.layout
        draw_row_list(layout, settings, "follows", "No sound or other signal is followed", "Follow Signal...")
        for problem in problems_of(character, settings, context.scene):
            draw_sentence(layout, problem, "ERROR")
        draw_choice(layout, "genmm.mark_beats", "TAP", by="action", text="Tap Beat", icon="MARKER_HLT")
