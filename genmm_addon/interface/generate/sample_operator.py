# SPDX-License-Identifier: GPL-3.0-or-later
"""Add > Armature > GenMM Sample Character."""

from bpy.types import Context, Menu, Operator

from ...character.sample.sample_character import add_sample_character
from ..common.blender_bases import reports_refusal


class GENMM_OT_add_sample_character(Operator):
    """Add a person with five example actions (a walk in three styles, a wave and a dance), ready to generate from"""

    bl_idname = "genmm.add_sample_character"
    bl_label = "GenMM Sample Character"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether an object can be added now."""
        if context.mode != "OBJECT":
            cls.poll_message_set("Switch to Object Mode to add the sample character")
            return False
        return True

    @reports_refusal
    def execute(self, context: Context) -> None:
        """Add the character and say which actions it brought."""
        added = add_sample_character(context)
        names = ", ".join(action.name for action in added.actions)
        self.report({"INFO"}, f"Added {added.armature.name} with the actions {names}")


def _draw_menu_entry(menu: Menu, _context: Context) -> None:
    menu.layout.operator(GENMM_OT_add_sample_character.bl_idname, icon="OUTLINER_OB_ARMATURE")


ENTRIES = {"VIEW3D_MT_armature_add": _draw_menu_entry}
