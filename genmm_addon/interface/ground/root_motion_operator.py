# SPDX-License-Identifier: GPL-3.0-or-later
"""Root Motion to Bone, which moves the travel of the action that a character plays to its root bone."""

from bpy.props import BoolProperty, StringProperty
from bpy.types import Action, Context, Event, Object, Operator

from ...control_rigs.root_motion.putting import put_on_root
from ...core.motion import ROOT_NAME
from ...state.properties import readable_settings
from ..common.blender_bases import Outcome
from ..timeline.stretch_operator import ActionOperator, edited_action


class GENMM_OT_root_motion_to_bone(ActionOperator, Operator):
    bl_idname = "genmm.root_motion_to_bone"
    bl_label = "Root Motion to Bone"
    bl_description = (
        "Move the travel of the action over the ground to a bone at the top of the skeleton, as game engines expect "
        "it; a missing bone is added, and all other bones stay where they are in the world"
    )

    bone: StringProperty(
        name="Root Bone",
        description="The name of the bone; if none has it, the bone at the top above the hips is used",
        default=ROOT_NAME,
    )
    in_place: BoolProperty(
        name="In Place",
        description="Remove the travel: the root bone stays where it begins, and the character moves on the spot",
        options={"SKIP_SAVE"},
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Set the name from the panel."""
        edited = edited_action(context)
        if edited is not None and not self.properties.is_property_set("bone"):
            self.bone = readable_settings(edited[0], context.scene).root_motion_bone
        return self.execute(context)

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> None:
        """Move the travel, and report the bone."""
        done = put_on_root(character, context.scene, action, slot, name=self.bone, in_place=self.in_place)
        context.view_layer.update()
        bone = "a new bone at the top" if done.is_made else "the bone at the top"
        self.report({"INFO"}, f'Frames {done.first:g} to {done.last:g} travel with "{done.bone}", {bone}.')
