# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator that brings bones to places in the action that plays."""

from bpy.props import StringProperty
from bpy.types import Action, Context, Object, Operator

from ...animation.bone_places import PLACES
from ...control_rigs.reach_in_action import reach_in_action
from ...core import counted
from ...state.properties import readable_settings
from ..common.blender_bases import report_done
from ..common.progress_display import busy
from ..timeline.stretch_operator import ActionOperator


class GENMM_OT_reach_in_action(ActionOperator, Operator):
    bl_idname = "genmm.reach_in_action"
    bl_label = "Bring Bones to Places"
    bl_description = (
        "Change the action that the character plays so that the bones of the list reach their objects; "
        "only these frames and the transitions before and after them change"
    )

    places: StringProperty(
        name="Places",
        description="Bones, objects and frames, such as hand.R at Handle 40-70; empty means the character's list",
        options={"SKIP_SAVE"},
    )

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> None:
        """Bring the bones to their places, and report the changed frames."""
        text = self.places or readable_settings(character, context.scene).reaches
        with busy(context):
            reached = reach_in_action(character, context.scene, action, slot, PLACES.parse(text))
        sentence = f"{counted(reached.bones, 'bone')} at {'its place' if reached.bones == 1 else 'their places'}"
        report_done(self, reached.notes, f"{sentence}; frames {reached.first:g} to {reached.last:g} changed.")
