# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins in a real window: added from the panel, shown as ghosts and diamonds, edited, saved, and left again."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import sidebar
import window
from window import DONE, context, facts, picture, undo

import genmm_addon
from genmm_addon.animation.actions import fcurves_of
from genmm_addon.interface.pins.shown import shown_pins

PINNED = (10, 60, 110)


def set_up() -> None:
    window.register_open("GENMM_PT_direct", "GENMM_PT_pins")
    window.only_sample()
    rig = bpy.context.object
    rig.genmm.frames, rig.genmm.seed, rig.genmm.new_seed = 120, 5, False
    bpy.ops.genmm.add_example(action="GenMM Walk")


def pin() -> None:
    with context():
        for number, frame in enumerate(PINNED):
            bpy.context.scene.frame_set(frame)
            bpy.ops.genmm.pin_pose("EXEC_DEFAULT", True, place=number != 1)
        bpy.ops.view3d.view_axis(type="RIGHT")
        view = bpy.context.space_data.region_3d
        view.view_location, view.view_distance = (0.0, -1.2, 1.0), 7.0


def note(name: str) -> Callable[[], None]:
    def take() -> None:
        rig = bpy.data.objects["GenMM Sample"]
        pins = shown_pins(rig, rig.genmm, bpy.context.scene)
        facts[name] = {
            "pins": [[pin.frame, pin.bones, pin.place] for pin in pins],
            "plays": rig.animation_data.action.name,
            "frame": bpy.context.scene.frame_current,
        }

    take.__name__ = f"note_{name}"
    return take


def edit() -> None:
    with context():
        bpy.ops.genmm.edit_pins("EXEC_DEFAULT", True)


def move_keys() -> None:
    for curve in fcurves_of(bpy.data.objects["GenMM Sample"].genmm.pins_action):
        curve.keyframe_points[1].co.x = 75
        curve.update()


def save() -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(window.OUTPUT / "pins.blend"), copy=True)


def go_to_first() -> None:
    with context():
        bpy.ops.genmm.go_to_frame("EXEC_DEFAULT", True, rows="pins", frame=PINNED[0])


def leave_help() -> None:
    window.key("Escape")


def pose_mode() -> None:
    with context():
        bpy.ops.object.mode_set(mode="POSE")


def object_mode() -> None:
    with context():
        bpy.ops.object.mode_set(mode="OBJECT")


def header() -> window.Crop:
    return window.Crop.of(next(region for region in window.view()[0].regions if region.type == "HEADER"))


def generate() -> None:
    with context():
        bpy.ops.genmm.generate_motion("EXEC_DEFAULT", True)


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (pin, 1.0),
        (note("pinned"), 0.0),
        (picture("pins"), 0.0),
        (sidebar.press_button('show_help(page="pins")', right=0.78), 1.5),
        (picture("help_open"), 0.0),
        (leave_help, 1.5),
        (picture("help_closed"), 0.0),
        (picture("pins_header", header), 0.0),
        (edit, 1.0),
        (picture("pins_header_editing", header), 0.0),
        (move_keys, 1.0),
        (note("editing"), 0.0),
        (picture("pins_editing"), 0.0),
        (save, 1.0),
        (note("saved_on"), 0.0),
        (go_to_first, 1.0),
        (note("gone_to"), 0.0),
        (picture("pins_first"), 0.0),
        (pose_mode, 1.0),
        (picture("pins_in_pose_mode"), 0.0),
        (object_mode, 0.5),
        (edit, 1.0),
        (picture("pins_header_left", header), 0.0),
        (note("left"), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
        (edit, 0.5),
        (generate, DONE),
        (picture("pins_generated"), 0.0),
        (genmm_addon.unregister, 0.0),
        (picture("pins_disabled"), 0.0),
    ]
)
