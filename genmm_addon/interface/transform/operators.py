# SPDX-License-Identifier: GPL-3.0-or-later
"""Restyle and Blend, which make a new action from the active one and others of the same kind."""

from typing import Any, cast

import bpy
from bpy.props import FloatProperty
from bpy.types import Action, Context, Event, Object, Operator

from ...animation.fitting import fitting_actions
from ...core.manner import StyleSettings
from ...editing.edit_task import EditTask
from ...editing.transforming.restyling import blend_work, restyle_work, share_is_keyed
from ...editing.transforming.work import Work
from ...editing.transforming.writing import Transformed
from ...libraries.indexed_examples import ExampleChoice
from ...requests.transform_examples import examples_asked_for
from ...state.filling_properties import StyleProperties, TransformProperties
from ...state.properties import readable_settings, scene_properties
from ..common.blender_bases import OperatorBase, Outcome
from ..common.drawing import in_columns
from ..timeline.stretch_operator import edited_action, play_all
from ..timeline.work_operator import NewActionOperator
from .drawing import draw_examples


class TransformOperator(NewActionOperator):
    """Base of operators that make a new action by another one, or by a library's clips."""

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Set the values from the panel, and work; where no other action is chosen there, offer those that fit."""
        self.take_panels(context)
        edited = edited_action(context)
        asked = cast(TransformProperties, self)
        names: list[str] = []
        if edited is not None and asked.source == "ACTION" and not asked.other_action and not bpy.app.background:
            names = [action.name for action in fitting_actions(edited[0]) if action != edited[1]]
        if not names:
            return self.once_ready(context)
        operator = type(self).bl_idname

        def draw(menu: Any, _context: Context) -> None:
            menu.layout.operator_context = "INVOKE_DEFAULT"
            for name in names:
                menu.layout.operator(operator, text=name, icon="ACTION", translate=False).other_action = name

        context.window_manager.popup_menu(draw, title="Other Action")
        return {"INTERFACE"}

    def examples(self, context: Context, character: Object, action: Action) -> ExampleChoice:
        """Return the other action or the clips."""
        return examples_asked_for(cast(TransformProperties, self), character, context.scene, action)

    def finish(self, context: Context, character: Object, action: Action, done: Transformed) -> None:
        """Report the new action."""
        report_result(self, context, character, done)


class GENMM_OT_restyle(TransformProperties, StyleProperties, TransformOperator, Operator):
    bl_idname = "genmm.restyle"
    bl_label = "Restyle"
    bl_description = (
        "Make a new action in the style of another action or of a library's clips, along the same path; "
        "the old action stays in the file"
    )

    doing = "Restyling"

    def draw(self, _context: Context) -> None:
        """Draw the values that apply to the chosen style, for Adjust Last Operation."""
        column = in_columns(self.layout)
        draw_examples(column, self)
        column.prop(self, "strength", slider=True)
        column.prop(self, "keep_timing")
        column.prop(self, "posture_only")

    def take_panels(self, context: Context) -> None:
        """Set the values from the panel."""
        names = (*TransformProperties.__annotations__, *StyleProperties.__annotations__)
        self.take_panel(scene_properties(context.scene).transform, names)

    def work(self, context: Context, task: EditTask) -> Work[Any, Transformed]:
        """Return the restyling of the active action."""
        settings = StyleSettings(self.strength, self.keep_timing, self.posture_only)
        return restyle_work(task, settings)


class GENMM_OT_blend_action(TransformProperties, TransformOperator, Operator):
    bl_idname = "genmm.blend_action"
    bl_label = "Blend"
    bl_description = (
        "Make a new action between the active one and another of the same kind, matched in time; "
        "the old action stays in the file"
    )

    share: FloatProperty(
        name="Amount",
        description="Amount of the other action in the blend; keys on the panel's slider take precedence",
        default=0.5,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )

    doing = "Blending"

    def draw(self, context: Context) -> None:
        """Draw the blend's values for Adjust Last Operation, without the share where the slider has keys."""
        column, edited = in_columns(self.layout), edited_action(context)
        draw_examples(column, self)
        if edited is not None and share_is_keyed(edited[0]):
            column.label(text="The slider's keys set the amount", icon="INFO")
        else:
            column.prop(self, "share", slider=True)

    def take_panels(self, context: Context) -> None:
        """Set the values from the panel."""
        self.take_panel(scene_properties(context.scene).transform, TransformProperties.__annotations__)
        edited = edited_action(context)
        if edited is not None and not self.properties.is_property_set("share"):
            self.share = readable_settings(edited[0], context.scene).blend_share

    def work(self, context: Context, task: EditTask) -> Work[Any, Transformed]:
        """Return the blending of the active action."""
        return blend_work(task, self.share)


def report_result(operator: OperatorBase, context: Context, character: Object, result: Transformed) -> None:
    """Report the new action, and play all of it."""
    for note in result.notes:
        operator.report({"INFO"}, note)
    shown = play_all(context, character, float(result.action.frame_range[1]))
    operator.report({"INFO"}, f"{result.said}{shown}")
