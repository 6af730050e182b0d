# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panels for the given part and the path."""

import bpy
from bpy.types import Context, Panel

from .direction_values import given_action, why_not_directed
from .drawing import draw_path
from .panels_generate import GenerateSubPanel


class GENMM_PT_path(GenerateSubPanel, Panel):
    bl_label = "Path"
    bl_order = 4

    def draw_header(self, context: Context) -> None:
        """Whether the path is followed."""
        _, settings = self.shown(context)
        self.layout.use_property_split = False
        row = self.layout.row()
        row.active = settings.path_curve is not None
        row.prop(settings, "use_path", text="")

    def draw(self, context: Context) -> None:
        """Which curve, and how it is followed."""
        character, settings = self.shown(context)
        self.layout.prop(settings, "path_curve", text="Curve")
        if settings.path_curve is None:
            self.layout.label(text="Choose a curve to follow", icon="INFO")
            return
        if settings.path_curve.type != "CURVE":
            self.layout.label(text=why_not_directed(settings, character), icon="ERROR", translate=False)
            return
        column = self.layout.column()
        column.active = settings.use_path
        draw_path(column, settings)


class GENMM_PT_given_part(GenerateSubPanel, Panel):
    bl_label = "Given Part"
    bl_order = 3

    def draw_header(self, context: Context) -> None:
        """Whether a part is given."""
        _, settings = self.shown(context)
        self.layout.use_property_split = False
        row = self.layout.row()
        row.active = bool(settings.completion_part)
        row.prop(settings, "use_completion", text="")

    def draw(self, context: Context) -> None:
        """Which action, and which bones play it as it is."""
        character, settings = self.shown(context)
        layout = self.layout
        layout.prop_search(settings, "completion_part", settings, "part_list", icon="GROUP_BONE")
        layout.prop(settings, "completion_action")
        if not settings.part_list:
            layout.operator("genmm.make_parts", text="Make Upper and Lower Body").kind = "UPPER_LOWER"
        if not settings.completion_part:
            layout.label(text="Choose the part that is given", icon="INFO")
            return
        reason = why_not_directed(settings, character)
        given = given_action(settings, character)
        if reason:
            layout.label(text=reason, icon="ERROR", translate=False)
        elif given is not None:
            layout.label(text=f"As long as {given[0].name}", icon="INFO", translate=False)


CLASSES = (GENMM_PT_given_part, GENMM_PT_path)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
