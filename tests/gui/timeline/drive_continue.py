# SPDX-License-Identifier: GPL-3.0-or-later
"""Continue from the GenMM menu of the dope sheet in a real window, and undo."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from window import DONE, Crop, animation_workspace, choose_entry, dope_sheet, facts, picture, take_entry, undo, within


def set_up() -> None:
    window.register_open()
    window.only_sample()
    rig = bpy.context.object
    rig.animation_data.action = bpy.data.actions["GenMM Walk"]
    bpy.ops.genmm.add_example(action="GenMM Walk")
    bpy.ops.genmm.add_example(action="GenMM Dance")
    bpy.context.scene.frame_end = 380
    bpy.ops.ed.undo_push(message="Set up")


def over_dope_sheet() -> None:
    region = dope_sheet()[1]
    window.move_mouse(*window.point_in_window(region, 200, region.height // 2 + 80))


def menu() -> None:
    with within(*dope_sheet()):
        bpy.ops.action.view_all()
        bpy.ops.wm.call_menu(name="GENMM_MT_edit")


def note(when: str) -> Callable[[], None]:
    def noted() -> None:
        action = bpy.data.objects["GenMM Sample"].animation_data.action
        facts[when] = [action.frame_range[0], action.frame_range[1]]

    return noted


def view_all() -> None:
    with within(*dope_sheet()):
        bpy.ops.action.view_all()


def ask_for_action() -> None:
    with within(*dope_sheet()):
        bpy.ops.genmm.connect_action("INVOKE_DEFAULT", action="GenMM Dance")


def press_ok() -> None:
    """Press OK in the dialog, which is where the mouse was."""
    area = Crop.of(dope_sheet()[0])
    window.click(area.left + 363, area.top + 211)


window.run(
    [
        (set_up, 0.0),
        (animation_workspace, 0.0),
        (over_dope_sheet, 1.0),
        (note("before"), 0.0),
        (menu, 1.5),
        (picture("continue_menu"), 0.0),
        (choose_entry("Continue from Last Key"), 2.0),
        (take_entry, DONE),
        (note("after"), 0.0),
        (view_all, 0.0),
        (picture("continue_after", lambda: Crop.of(dope_sheet()[0])), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
        (over_dope_sheet, 1.0),
        (ask_for_action, 1.5),
        (picture("connect_dialog", lambda: Crop.of(dope_sheet()[0])), 0.0),
        (press_ok, DONE),
        (note("connected"), 0.0),
    ]
)
