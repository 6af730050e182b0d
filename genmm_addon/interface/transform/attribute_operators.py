# SPDX-License-Identifier: GPL-3.0-or-later
"""Read Values and Edit Attributes, for speed, steps, arms and posture of the active action."""

from contextlib import suppress
from typing import Any, cast

from bpy.props import StringProperty
from bpy.types import Action, Context, Object, Operator

from ...core import InputError
from ...core.manner import bone_attribute
from ...editing.edit_task import EditTask
from ...editing.transforming.attributes import ReadAttributes, attributes_work, reading_work
from ...editing.transforming.work import Work
from ...editing.transforming.writing import Transformed
from ...libraries.indexed_examples import ExampleChoice
from ...requests.attribute_examples import asked_values, attribute_examples
from ...requests.transform_examples import example_named, library_clips
from ...state.filling_properties import BoneAttributeProperties, GENMM_PG_attributes, TransformProperties
from ...state.properties import scene_properties
from ..common.draw_handlers import redraw
from ..common.drawing import in_columns
from ..timeline.stretch_operator import edited_action
from ..timeline.work_operator import NewActionOperator
from .drawing import draw_examples
from .operators import report_result


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
    shown.size = attributes.size * sum(character.matrix_world.to_scale()[:]) / 3
    shown.values.clear()
    for value in attributes.values:
        row = shown.values.add()
        row.name, row.label = value.attribute.name, value.attribute.label
        row.value, row.lowest, row.highest = value.value, value.range.lowest, value.range.highest
