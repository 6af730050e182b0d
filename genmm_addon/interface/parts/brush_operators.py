# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators of the brush for parts: its radius, and the part that it paints."""

from bpy.props import FloatProperty, IntProperty
from bpy.types import Context, Event, Object, Operator

from ...core import InputError
from ...state.properties import ensure_settings, readable_settings, scene_properties
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator
from ..common.user_input import cancels, confirms


class GENMM_OT_set_brush_radius(Operator):
    bl_idname = "genmm.set_brush_radius"
    bl_label = "Set Brush Radius"
    bl_description = "Drag to make the brush for parts larger or smaller; Esc restores the radius"
    bl_options = {"GRAB_CURSOR", "BLOCKING"}

    radius: IntProperty(
        name="Radius",
        description="The radius of the brush in pixels",
        default=30,
        min=1,
        max=2000,
        options={"SKIP_SAVE"},
    )

    _before: int
    _start: int

    def invoke(self, context: Context, event: Event) -> Outcome:
        """Start dragging from the mouse's position."""
        self._before, self._start = scene_properties(context.scene).brush_radius, event.mouse_x
        context.window_manager.modal_handler_add(self)
        self._show(context)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> Outcome:
        """Follow the mouse until a button ends it."""
        if event.type == "MOUSEMOVE":
            scene_properties(context.scene).brush_radius = max(1, self._before + event.mouse_x - self._start)
            self._show(context)
        elif confirms(event) or (event.type == "LEFTMOUSE" and event.value == "PRESS"):
            self.radius = scene_properties(context.scene).brush_radius
            return self._end(context, {"FINISHED"})
        elif cancels(event):
            self.cancel(context)
            return {"CANCELLED"}
        return {"RUNNING_MODAL"}

    def cancel(self, context: Context) -> None:
        """Restore the radius."""
        scene_properties(context.scene).brush_radius = self._before
        self._end(context, {"CANCELLED"})

    def execute(self, context: Context) -> Outcome:
        """Set the given radius."""
        scene_properties(context.scene).brush_radius = self.radius
        return {"FINISHED"}

    def _show(self, context: Context) -> None:
        context.area.header_text_set(f"Radius: {scene_properties(context.scene).brush_radius}")
        context.area.tag_redraw()

    def _end(self, context: Context, result: Outcome) -> Outcome:
        context.area.header_text_set(None)
        context.area.tag_redraw()
        return result


class GENMM_OT_scale_brush_radius(Operator):
    bl_idname = "genmm.scale_brush_radius"
    bl_label = "Scale Brush Radius"
    bl_description = "Make the brush for parts larger or smaller by a factor"
    bl_options = {"INTERNAL"}

    factor: FloatProperty(
        name="Factor", description="Factor on the radius of the brush", default=1.25, min=0.1, max=10.0
    )

    def execute(self, context: Context) -> Outcome:
        """Scale the radius, by at least one pixel."""
        settings = scene_properties(context.scene)
        change = round(settings.brush_radius * (self.factor - 1.0))
        # A small brush changes by at least a pixel.
        change = change or (1 if self.factor > 1.0 else -1)
        settings.brush_radius = max(1, settings.brush_radius + change)
        if context.area is not None:
            context.area.tag_redraw()
        return {"FINISHED"}


class GENMM_OT_choose_part(CharacterOperator, Operator):
    bl_idname = "genmm.choose_part"
    bl_label = "Choose Part"
    bl_description = "Paint this part from now on"

    part: IntProperty(name="Part", description="The row of the part in the list", min=0)

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where there are no parts; "" where there are."""
        return "" if readable_settings(character, context.scene).part_list else "There are no parts yet; paint one"

    def act(self, context: Context, character: Object) -> None:
        """Make the part active."""
        settings = ensure_settings(character, context.scene)
        if self.part >= len(settings.part_list):
            raise InputError(f"Part {self.part + 1} is not in the list; choose another.")
        settings.active_part = self.part
