# SPDX-License-Identifier: GPL-3.0-or-later
"""Restyle and Blend: a new action out of the active one and others of the same kind."""

from collections.abc import Callable

from bpy.props import FloatProperty
from bpy.types import Action, Context, Event, Object, Operator

from ...core import InputError
from ...core.registration import StyleSettings
from ...filling.examples import ExampleChoice
from ...requests.transform_examples import transform_examples
from ...state.filling_properties import StyleProperties, TransformProperties
from ...state.properties import readable_settings, scene_properties
from ...state.registration import registration_of
from ...transforming.blending import blend_action
from ...transforming.restyling import Transformed, restyle_action
from ..common.blender_bases import Outcome
from ..timeline.fill_operators import busy
from ..timeline.stretch_operator import StretchOperator, edited_action

Transform = Callable[[Object, Action, str, ExampleChoice], Transformed]


class GENMM_OT_restyle(TransformProperties, StyleProperties, StretchOperator, Operator):
    bl_idname = "genmm.restyle"
    bl_label = "Restyle"
    bl_description = (
        "Make a new action in the style of another action, or of a library's clips, on the same way over the ground; "
        "the old action stays in the file"
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Take what the panel says, and restyle."""
        take_panel(self, context, (*TransformProperties.__annotations__, *StyleProperties.__annotations__))
        return self.execute(context)

    def execute(self, context: Context) -> Outcome:
        """Restyle the active action, and say by what."""

        def made(character: Object, action: Action, slot: str, choice: ExampleChoice) -> Transformed:
            settings = StyleSettings(self.strength, self.keep_timing, self.posture_only)
            return restyle_action(character, context.scene, action, slot, choice, settings)

        return transform(self, context, made)


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
        take_panel(self, context, tuple(TransformProperties.__annotations__))
        edited = edited_action(context)
        if edited is not None and not self.properties.is_property_set("share"):
            self.share = readable_settings(edited[0], context.scene).blend_share
        return self.execute(context)

    def execute(self, context: Context) -> Outcome:
        """Blend the active action, and say with what."""

        def made(character: Object, action: Action, slot: str, choice: ExampleChoice) -> Transformed:
            return blend_action(character, context.scene, action, slot, choice, self.share)

        return transform(self, context, made)


def take_panel(operator: Operator, context: Context, names: tuple[str, ...]) -> None:
    """Give an operator the panel's values, but for those that it was called with."""
    settings = scene_properties(context.scene).transform
    for name in names:
        if not operator.properties.is_property_set(name):
            setattr(operator, name, getattr(settings, name))


def transform(operator: GENMM_OT_restyle | GENMM_OT_blend_action, context: Context, made: Transform) -> Outcome:
    """Transform the active action, and say what it has become, or the sentence why not."""
    edited = edited_action(context)
    if edited is None:
        return {"CANCELLED"}
    character, action, slot = edited
    try:
        choice = transform_examples(
            character,
            context.scene,
            action,
            operator.other_action,
            operator.library,
            operator.tags,
            from_library=operator.source == "LIBRARY",
        )
        with busy(context):
            result = made(character, action, slot, choice)
    except InputError as error:
        operator.report({"ERROR"}, str(error))
        return {"CANCELLED"}
    for note in result.notes:
        operator.report({"INFO"}, note)
    operator.report({"INFO"}, result.said)
    return {"FINISHED"}


register, unregister = registration_of((GENMM_OT_restyle, GENMM_OT_blend_action))
