# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse Keys, an edit, Restore Full Motion and Make Natural by mouse in the dope sheet's tab, and undo."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from window import DONE, Crop, animation_workspace, choose_entry, dope_sheet, facts, picture, take_entry, within


def set_up() -> None:
    window.register_open()
    window.only_sample()
    rig = bpy.context.object
    rig.animation_data.action = bpy.data.actions["GenMM Walk"]
    bpy.context.scene.frame_end = 320
    bpy.ops.ed.undo_push(message="Set up")


def make_room() -> None:
    """Make the dope sheet as large as the window, and open its sidebar."""
    with within(*dope_sheet()):
        bpy.ops.screen.screen_full_area()


def sidebar() -> None:
    space = dope_sheet()[0].spaces.active
    space.show_region_ui = True
    space.dopesheet.show_only_selected = False


def tab() -> None:
    area = dope_sheet()[0]
    next(region for region in area.regions if region.type == "UI").active_panel_category = "GenMM"


def menu() -> None:
    area, region = dope_sheet()
    window.move_mouse(*window.point_in_window(region, 300, region.height // 2))
    with within(area, region):
        bpy.ops.action.view_all()
        bpy.ops.wm.call_menu(name="GENMM_MT_edit")


def note(when: str) -> Callable[[], None]:
    return lambda: facts.__setitem__(when, bpy.data.objects["GenMM Sample"].animation_data.action.name)


def call(name: str, **values: object) -> Callable[[], None]:
    def called() -> None:
        with within(*dope_sheet()):
            getattr(bpy.ops.genmm, name)("EXEC_DEFAULT", True, **values)

    return called


def undo() -> None:
    with within(*dope_sheet()):
        bpy.ops.ed.undo()


window.run(
    [
        (set_up, 0.0),
        (animation_workspace, 0.0),
        (make_room, 1.5),
        (sidebar, 1.0),
        (tab, 1.0),
        (menu, 1.5),
        (picture("natural_menu"), 0.0),
        (choose_entry("Coarse Keys"), 2.0),
        (take_entry, DONE),
        (note("coarse"), 0.0),
        (picture("natural_coarse", lambda: Crop.of(dope_sheet()[0])), 0.0),
        (call("switch_keys", action="FULL"), DONE),
        (note("full"), 0.0),
        (picture("natural_full", lambda: Crop.of(dope_sheet()[0])), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
        (call("make_natural", range_choice="FRAMES", first_frame=41, last_frame=101), DONE),
        (picture("natural_made", lambda: Crop.of(dope_sheet()[0])), 0.0),
    ]
)
