# SPDX-License-Identifier: GPL-3.0-or-later
"""A shot of the sample in the dope sheet, with a preview range to fill, for the windows of edits in place."""

from typing import Any

import bpy
import window

from genmm_addon.animation import actions

FIRST, LAST = 41, 71


def dope_sheet_sidebar() -> tuple[Any, Any]:
    """Return the dope sheet and its sidebar."""
    for area in bpy.context.window_manager.windows[0].screen.areas:
        if area.type == "DOPESHEET_EDITOR" and area.spaces.active.mode == "DOPESHEET":
            return area, next(region for region in area.regions if region.type == "UI")
    raise LookupError("There is no dope sheet.")


def sheet() -> window.Crop:
    """Return the part of the screen with the dope sheet."""
    return window.Crop.of(dope_sheet_sidebar()[0])


def body() -> Any:
    return bpy.data.objects["GenMM Sample"]


def set_up() -> None:
    scene = bpy.context.scene
    scene.render.fps = 30
    window.register_open()
    window.only_sample()
    own = bpy.data.actions["GenMM Walk"].copy()
    own.name = "Shot"
    actions.assign(body(), own)
    with window.context():
        for name in ("GenMM Walk Tired", "GenMM Walk Proud", "GenMM Dance"):
            bpy.ops.genmm.add_example(action=name)
    body().genmm.examples.remove(0)
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, FIRST, LAST
    scene.frame_set(56)
    window.animation_workspace()


def open_dope_sheet() -> None:
    area, _ = dope_sheet_sidebar()
    area.spaces.active.show_region_ui = True


def choose_tab() -> None:
    dope_sheet_sidebar()[1].active_panel_category = "GenMM"
    with window.context():
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.pose.select_all(action="SELECT")
    window.view = dope_sheet_sidebar
    with in_dope_sheet():
        bpy.ops.action.view_all()
        bpy.ops.ed.undo_push(message="Start")


def in_dope_sheet() -> Any:
    area, _ = dope_sheet_sidebar()
    return window.within(area, window.content(area))


def undo() -> None:
    with in_dope_sheet():
        bpy.ops.ed.undo()
