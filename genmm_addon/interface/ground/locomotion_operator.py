# SPDX-License-Identifier: GPL-3.0-or-later
"""Locomotion Set, which cuts loops, starts, stops and turns from the examples, each an action with root motion."""

from bpy.props import IntProperty, StringProperty
from bpy.types import Context, Event, Object, Operator

from ...core import counted
from ...core.motion import ROOT_NAME
from ...editing.locomotion import SetRequest, make_set
from ...requests.choices import chosen_examples
from ...state.properties import readable_settings
from ...state.selection import character_or_reason
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator


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
        for one in made.actions:
            self.report({"INFO"}, f"{one.action.name}: {one.description}.")
        for sentence in made.missing:
            self.report({"INFO"}, sentence)
        self.report({"INFO"}, f"Locomotion set: {counted(len(made.actions), 'action')}, shown in the Asset Browser.")
