# SPDX-License-Identifier: GPL-3.0-or-later
"""Remove Layer: the layer that edits in place went onto is removed."""

from bpy.types import Context, Object, Operator

from ...animation.layers.edit_layer import layer_of, remove_layer
from ..common.character_operator import MODES, CharacterOperator


class GENMM_OT_remove_layer(CharacterOperator, Operator):
    bl_idname = "genmm.remove_layer"
    bl_label = "Remove Layer"
    bl_description = "Remove the layer of edits; the character plays the action below it again, exactly as it was"

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the character has no layer of edits."""
        if context.mode not in MODES:
            return "Go to Object Mode or Pose Mode first"
        return "" if layer_of(character) else f"{character.name} has no layer of edits: choose On Layer, then edit"

    def act(self, context: Context, character: Object) -> None:
        """Remove the layer, and report the action that plays."""
        base = remove_layer(character)
        self.report({"INFO"}, f'"{character.name}" plays "{base.name}" as it was.')
