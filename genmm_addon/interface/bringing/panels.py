# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel with the origins of actions to bring."""

from bpy.types import Context, Panel

from ..common.choice_operator import draw_choices
from ..common.sidebar import CharacterPanel
from .operators import ORIGINS


class GENMM_PT_bring(CharacterPanel, Panel):
    bl_label = "Bring Action Here"
    help_page = "bring"
    bl_order = 2

    def draw(self, context: Context) -> None:
        """Draw a button for each origin, disabled with a reason where there is nothing to bring."""
        self.shown(context)
        draw_choices(self.layout, "genmm.bring_action", ORIGINS, by="origin")
