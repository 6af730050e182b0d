# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel with the origins of actions to bring."""

from bpy.types import Context, Panel

from ...state.registration import registration_of
from ..common.sidebar import CharacterPanel


class GENMM_PT_bring(CharacterPanel, Panel):
    bl_label = "Bring Action Here"
    help_page = "bring"
    bl_order = 2

    def draw(self, context: Context) -> None:
        """Draw a button for each origin."""
        self.shown(context)
        column = self.layout.column(align=True)
        column.operator_context = "INVOKE_DEFAULT"
        column.operator_enum("genmm.bring_action", "origin")


CLASSES = (GENMM_PT_bring,)
register, unregister = registration_of(CLASSES)
