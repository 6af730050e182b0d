# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that make a new action by other examples: restyle, blend, and edit attributes."""

from contextlib import suppress
from typing import Any, cast

import bpy
from bpy.props import FloatProperty, StringProperty
from bpy.types import Action, Context, Event, Object, Operator

from ...animation.fitting import fitting_actions
from ...animation.rig import scale_of
from ...core import InputError
from ...core.manner import StyleSettings, bone_attribute
from ...editing.edit_task import EditTask
from ...editing.transforming.attributes import ReadAttributes, attributes_work, reading_work
from ...editing.transforming.restyling import blend_work, restyle_work, share_is_keyed
from ...editing.transforming.work import Work
from ...editing.transforming.writing import Transformed
from ...libraries.indexed_examples import ExampleChoice
from ...requests.attribute_examples import asked_values, attribute_examples
from ...requests.edit_examples import example_named, examples_asked_for, library_clips
from ...state.edit_properties import (
    BoneAttributeProperties,
    GENMM_PG_attributes,
    StyleProperties,
    TransformProperties,
)
from ...state.properties import readable_settings, scene_properties
from ..common.blender_bases import OperatorBase, Outcome
from ..common.draw_handlers import redraw
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


class AttributeOperator(NewActionOperator):
    """Base of operators on the attributes of the active action."""

    def examples(self, context: Context, character: Object, action: Action) -> ExampleChoice:
        """Return the examples that give the range of values."""
        asked = cast(TransformProperties, self)
        if asked.source == "LIBRARY":
            return library_clips(character, context.scene, asked.library, asked.tags)
        other = example_named(asked.other_action, action)
        return attribute_examples(character, context.scene, action, () if other is None else (other,))


class GENMM_OT_read_attributes(TransformProperties, BoneAttributeProperties, AttributeOperator, Operator):
    bl_idname = "genmm.read_attributes"
    bl_label = "Read Values"
    bl_description = "Measure the attributes of the active action and of the examples that show the same action"

    doing = "Reading values"

    def draw(self, _context: Context) -> None:
        """Draw the examples and the bone, for Adjust Last Operation."""
        column = in_columns(self.layout)
        draw_examples(column, self)
        column.prop(self, "bone")
        if self.bone:
            column.prop(self, "bone_attribute")

    def take_panels(self, context: Context) -> None:
        """Set the values from the panel."""
        settings = scene_properties(context.scene).transform
        self.take_panel(settings, TransformProperties.__annotations__)
        self.take_panel(settings.attributes, BoneAttributeProperties.__annotations__)

    def work(self, context: Context, task: EditTask) -> Work[Any, ReadAttributes]:
        """Return the reading of the active action and its examples."""
        further = [bone_attribute(self.bone_attribute, self.bone)] if self.bone else []
        return reading_work(task, further)

    def finish(self, context: Context, character: Object, action: Action, done: ReadAttributes) -> None:
        """Show the values in the panel."""
        show_values(scene_properties(context.scene).transform.attributes, character, action, done)
        redraw(context, "DOPESHEET_EDITOR")
        if not done.examples:
            self.report({"INFO"}, "No other example shows this action; choose a library to have more room.")


class GENMM_OT_edit_attributes(TransformProperties, AttributeOperator, Operator):
    bl_idname = "genmm.edit_attributes"
    bl_label = "Edit Attributes"
    bl_description = (
        "Make a new action whose attributes have the sliders' values, with feet planted as before; "
        "the old action stays in the file"
    )

    attributes: StringProperty(
        name="Attributes",
        description="The values to reach, in their units or as factors, such as speed=1.2x, crouch=0.1; empty means "
        "the sliders' values",
        options={"SKIP_SAVE"},
    )

    doing = "Editing attributes"

    def draw(self, _context: Context) -> None:
        """Draw the examples and the values as text, for Adjust Last Operation."""
        column = in_columns(self.layout)
        draw_examples(column, self)
        column.prop(self, "attributes")

    def take_panels(self, context: Context) -> None:
        """Set the values from the panel, those of the sliders as text for Adjust Last Operation."""
        settings, edited = scene_properties(context.scene).transform, edited_action(context)
        self.take_panel(settings, TransformProperties.__annotations__)
        if edited is not None and not self.attributes:
            # Where no slider was moved, the work itself refuses.
            with suppress(InputError):
                self.attributes = asked_values(settings.attributes, edited[1])

    def work(self, context: Context, task: EditTask) -> Work[Any, tuple[Transformed, ReadAttributes]]:
        """Return the editing of the active action."""
        asked = self.attributes or asked_values(scene_properties(context.scene).transform.attributes, task.action)
        return attributes_work(task, asked)

    def finish(
        self, context: Context, character: Object, action: Action, done: tuple[Transformed, ReadAttributes]
    ) -> None:
        """Report how the values were reached, and show the new action's values in the panel."""
        result, values = done
        show_values(scene_properties(context.scene).transform.attributes, character, result.action, values)
        report_result(self, context, character, result)


def show_values(shown: GENMM_PG_attributes, character: Object, action: Action, attributes: ReadAttributes) -> None:
    """Show the values read in the panel, with the sliders reset."""
    shown.action, shown.examples = action.name, attributes.examples
    shown.size = attributes.size * scale_of(character)
    shown.values.clear()
    for value in attributes.values:
        row = shown.values.add()
        row.name, row.label = value.attribute.name, value.attribute.label
        row.value, row.lowest, row.highest = value.value, value.range.lowest, value.range.highest
