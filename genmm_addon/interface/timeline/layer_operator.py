# SPDX-License-Identifier: GPL-3.0-or-later
"""The layer that edits in place go onto: its row in the panel, and Remove Layer."""

from bpy.types import Context, Object, Operator, UILayout

from ...animation.layers.edit_layer import EditLayer, layer_of, remove_layer
from ...state.registration import registration_of
from ...state.selection import character_of
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from ..common.generating_operator import MODES
from ..common.refusals import reports_refusal


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

    @reports_refusal
    def execute(self, context: Context) -> Outcome:
        """Remove the layer, and report the action that plays."""
        character = character_of(context)
        if character is None:
            return {"CANCELLED"}
        base = remove_layer(character)
        self.report({"INFO"}, f'"{character.name}" plays "{base.name}" as it was.')
        return {"FINISHED"}


def draw_layer(layout: UILayout, layer: EditLayer) -> None:
    """Draw the layer's influence and its mute; Remove Layer is in the menu."""
    row = layout.row(align=True)
    influence = row.row(align=True)
    influence.active = not layer.track.mute
    influence.prop(layer.strip, "influence", text="Layer", slider=True)
    row.prop(layer.track, "mute", text="", icon="HIDE_ON" if layer.track.mute else "HIDE_OFF")


register, unregister = registration_of((GENMM_OT_remove_layer,))
