# SPDX-License-Identifier: GPL-3.0-or-later
"""Restyle and Blend: a new action out of the active one and others of the same kind."""

from bpy.props import FloatProperty
from bpy.types import Action, Context, Event, Object, Operator

from ...core.registration import StyleSettings
from ...filling.examples import ExampleChoice
from ...requests.transform_examples import transform_examples
from ...state.filling_properties import StyleProperties, TransformProperties
from ...state.properties import readable_settings, scene_properties
from ...state.registration import registration_of
from ...transforming.blending import blend_action
from ...transforming.restyling import Transformed, restyle_action
from ..common.blender_bases import OperatorBase, Outcome
from ..timeline.fill_operators import busy
from ..timeline.stretch_operator import StretchOperator, edited_action


class GENMM_OT_restyle(TransformProperties, StyleProperties, StretchOperator, Operator):
    bl_idname = "genmm.restyle"
    bl_label = "Restyle"
    bl_description = (
        "Make a new action in the style of another action, or of a library's clips, on the same way over the ground; "
        "the old action stays in the file"
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Take what the panel says, and restyle."""
        names = (*TransformProperties.__annotations__, *StyleProperties.__annotations__)
        self.take_panel(scene_properties(context.scene).transform, names)
        return self.execute(context)

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> Outcome:
        """Restyle the active action, and say by what."""
        settings = StyleSettings(self.strength, self.keep_timing, self.posture_only)
        choice = chosen_examples(self, context, character, action)
        with busy(context):
            result = restyle_action(character, context.scene, action, slot, choice, settings)
        return report_result(self, result)


class GENMM_OT_blend_action(TransformProperties, StretchOperator, Operator):
    bl_idname = "genmm.blend_action"
    bl_label = "Blend"
    bl_description = (
        "Make a new action between the active one and another of the same kind, registered in time; "
        "the old action stays in the file"
    )

    share: FloatProperty(
        name="Share",
        description="How much of the other action there is; keys on the panel's slider count instead",
        default=0.5,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Take what the panel says, and blend."""
        self.take_panel(scene_properties(context.scene).transform, TransformProperties.__annotations__)
        edited = edited_action(context)
        if edited is not None and not self.properties.is_property_set("share"):
            self.share = readable_settings(edited[0], context.scene).blend_share
        return self.execute(context)

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> Outcome:
        """Blend the active action, and say with what."""
        choice = chosen_examples(self, context, character, action)
        with busy(context):
            result = blend_action(character, context.scene, action, slot, choice, self.share)
        return report_result(self, result)


def chosen_examples(
    operator: GENMM_OT_restyle | GENMM_OT_blend_action, context: Context, character: Object, action: Action
) -> ExampleChoice:
    """Return the examples that an operator asks for. Raises InputError where there are none."""
    return transform_examples(
        character,
        context.scene,
        action,
        operator.other_action,
        operator.library,
        operator.tags,
        from_library=operator.source == "LIBRARY",
    )


def report_result(operator: OperatorBase, result: Transformed) -> Outcome:
    """Say what the action has become."""
    for note in result.notes:
        operator.report({"INFO"}, note)
    operator.report({"INFO"}, result.said)
    return {"FINISHED"}


register, unregister = registration_of((GENMM_OT_restyle, GENMM_OT_blend_action))
