# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool in the 3D viewport's toolbar that paints parts over the bones."""

from typing import Any

import bpy
from bpy.types import Context, Menu, UILayout, WorkSpaceTool
from gpu_extras.presets import draw_circle_2d

from ...state.properties import readable_settings, scene_properties
from ...state.selection import SELECT_ONE, character_of
from ..common.choice_operator import draw_choice
from .operators import active_part

TOOL = "genmm.paint_parts"
INSTEAD = "builtin.select_box"
"""Tool that replaces ours when the extension is disabled."""
CIRCLE = (1.0, 1.0, 1.0, 1.0)
RADIUS = "scene.genmm.brush_radius"
"""Path of the radius in the context, for Blender's own operators."""

KEYS: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("genmm.paint_part", {"type": "LEFTMOUSE", "value": "PRESS"}, {"properties": [("mode", "ADD")]}),
    ("genmm.paint_part", {"type": "LEFTMOUSE", "value": "PRESS", "ctrl": True}, {"properties": [("mode", "REMOVE")]}),
    ("wm.radial_control", {"type": "F", "value": "PRESS"}, {"properties": [("data_path_primary", RADIUS)]}),
    *(
        (
            "wm.context_scale_int",
            {"type": f"{side}_BRACKET", "value": "PRESS", "repeat": True},
            {"properties": [("data_path", RADIUS), ("value", factor)]},
        )
        for side, factor in (("LEFT", 0.8), ("RIGHT", 1.25))
    ),
)


class GENMM_MT_choose_part(Menu):
    bl_idname = "GENMM_MT_choose_part"
    bl_label = "Choose Part"

    def draw(self, context: Context) -> None:
        """Draw a row for each part."""
        settings = readable_settings(character_of(context), context.scene)
        for number, part in enumerate(settings.part_list):
            icon: Any = "RADIOBUT_ON" if number == settings.active_part else "RADIOBUT_OFF"
            self.layout.operator("genmm.choose_part", text=part.name, icon=icon, translate=False).part = number


class PaintTool:
    """The part of the tool that is the same in every mode."""

    bl_space_type = "VIEW_3D"
    bl_idname = TOOL
    bl_label = "Paint Parts"
    bl_description = (
        "Drag over bones, or over the mesh above them, to add them to the active part; hold Ctrl to remove them"
    )
    bl_icon = "ops.generic.select_paint"
    bl_cursor = "PAINT_CROSS"
    bl_keymap = KEYS

    @staticmethod
    def draw_settings(context: Context, layout: UILayout, tool: Any) -> None:
        """Draw the part that is painted, and the brush."""
        character = character_of(context)
        if character is None:
            layout.label(text=SELECT_ONE)
            return
        part = active_part(readable_settings(character, context.scene))
        row = layout.row(align=True)
        if part is None:
            row.label(text="The First Stroke Makes a Part")
        else:
            row.menu("GENMM_MT_choose_part", text=part.name, icon="DOWNARROW_HLT", translate=False)
        draw_choice(row, "genmm.add_row", "part_list", text="", icon="ADD")
        layout.prop(scene_properties(context.scene), "brush_radius")

    @staticmethod
    def draw_cursor(context: Context, tool: Any, place: tuple[float, float]) -> None:
        """Draw the brush's circle.

        Blender may also call this after another tool was activated, so the active tool is checked.
        """
        if is_painting(context):
            draw_circle_2d(place, CIRCLE, scene_properties(context.scene).brush_radius)


class GENMM_WST_paint_parts_object(PaintTool, WorkSpaceTool):
    bl_context_mode = "OBJECT"


class GENMM_WST_paint_parts_pose(PaintTool, WorkSpaceTool):
    bl_context_mode = "POSE"


def is_painting(context: Context) -> bool:
    """Return whether the tool is active in the context's mode."""
    if context.workspace is None:
        return False
    tool = context.workspace.tools.from_space_view3d_mode(context.mode)
    return tool is not None and tool.idname == TOOL


def unregister() -> None:
    """Deactivate the tool everywhere."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type != "VIEW_3D":
                continue
            with bpy.context.temp_override(window=window, area=area):
                if is_painting(bpy.context):
                    bpy.ops.wm.tool_set_by_id(name=INSTEAD, space_type="VIEW_3D")
