# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on the travel of actions: feet put on a ground, root motion, and locomotion sets."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import Action, Context, Event, Object, Operator

from ...control_rigs.ground_in_action import ActionForGround, put_action_on_ground
from ...control_rigs.root_motion.putting import put_on_root
from ...core import InputError, counted
from ...core.motion import ROOT_NAME
from ...editing.filling.ranges import RangeChoice
from ...editing.locomotion import SetRequest, make_set
from ...requests.choices import chosen_examples
from ...state.bone_lists import feet_of
from ...state.properties import readable_settings
from ...state.selection import character_or_reason
from ..common.blender_bases import Outcome, report_done
from ..common.character_operator import CharacterOperator
from ..common.drawing import draw_frames, in_columns
from ..timeline.stretch_operator import ActionOperator, edited_action, frames_of

WHOLE = "WHOLE"


class GENMM_OT_put_feet_on_ground(ActionOperator, Operator):
    bl_idname = "genmm.put_feet_on_ground"
    bl_label = "Put Feet on Ground"
    bl_description = (
        "Fit an action made on flat ground to the character's ground, such as stairs, slopes or terrain: the feet "
        "stand on it, and the body goes up and down with them"
    )

    ground: StringProperty(
        name="Ground", description="The object to stand on; empty means the one in the character's panel"
    )
    range_choice: EnumProperty(
        name="Range",
        description="The frames to put on the ground",
        items=(
            (WHOLE, "Whole Action", "All frames with keys"),
            (RangeChoice.SELECTED.value, "Selected Keys", "From the first selected key to the last; both poses stay"),
            (RangeChoice.PREVIEW.value, "Preview Range", "The timeline's preview range; the poses at its ends stay"),
            (RangeChoice.FRAMES.value, "Frames", "From one frame to another; both poses stay"),
        ),
    )
    first_frame: FloatProperty(name="First", description="The first frame of the range", default=1.0)
    last_frame: FloatProperty(name="Last", description="The last frame of the range", default=250.0)

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> None:
        """Put the feet on the ground, and report the frames."""
        settings = readable_settings(character, context.scene)
        ground = bpy.data.objects.get(self.ground) if self.ground else settings.ground_object
        if ground is None:
            missing = f'Object "{self.ground}" was not found' if self.ground else "No ground is set"
            raise InputError(f"{missing}; choose an object in the Ground panel.")
        frames = None
        if self.range_choice != WHOLE:
            frames = frames_of(self, context.scene, character, action, slot)
        feet = feet_of(settings.feet) if settings.feet_choice == "CHOSEN" else None
        asked = ActionForGround(character, context.scene, action, slot, ground, feet, settings.root_bone)
        done = put_action_on_ground(asked, frames)
        context.view_layer.update()
        report_done(self, done.notes, f'Frames {done.first:g} to {done.last:g} stand on "{ground.name}".')

    def draw(self, _context: Context) -> None:
        """Draw the range."""
        draw_frames(in_columns(self.layout), self, "range_choice")


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


class GENMM_OT_locomotion_set(CharacterOperator, Operator):
    bl_idname = "genmm.locomotion_set"
    bl_label = "Locomotion Set"
    bl_description = (
        "Cut loops by direction and speed, starts, stops and turns in place from the examples, each an action with "
        "root motion for the blend spaces of game engines; all loops begin as the same foot lands"
    )

    strides: IntProperty(name="Strides", description="Number of strides of the longest loops", default=1, min=1, max=8)
    bone: StringProperty(
        name="Root Bone", description="The bone that gets the travel; it is added if necessary", default=ROOT_NAME
    )

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return "": what the examples lack is reported."""
        return ""

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Set the name of the root bone from the panel."""
        character, _ = character_or_reason(context)
        if character is not None and not self.properties.is_property_set("bone"):
            self.bone = readable_settings(character, context.scene).root_motion_bone
        return self.execute(context)

    def act(self, context: Context, character: Object) -> None:
        """Make the actions, and list them."""
        settings = readable_settings(character, context.scene)
        specs = tuple(choice.spec for choice in chosen_examples(character, settings.examples))
        strides = tuple(range(1, self.strides + 1))
        made = make_set(character, context.scene, SetRequest(specs, strides, settings.root_bone, self.bone))
        context.view_layer.update()
        for grounded in made.actions:
            self.report({"INFO"}, f"{grounded.action.name}: {grounded.description}.")
        for sentence in made.missing:
            self.report({"INFO"}, sentence)
        self.report({"INFO"}, f"Locomotion set: {counted(len(made.actions), 'action')}, shown in the Asset Browser.")
