# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion by the menu with a real mouse, in Pose Mode, undone and redone; with a picture of two motion paths."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from mathutils import Euler
from window import DONE, Crop, choose_entry, context, facts, picture, redo, take_entry, undo, view

FRAMES = (1, 60, 150)


def hero() -> bpy.types.Object:
    return bpy.data.objects["GenMM Sample"]


def set_up() -> None:
    window.register_open()
    window.only_sample()
    with context():
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.ed.undo_push(message="Set Up")


def menu() -> None:
    """Open our menu in the viewport under the mouse."""
    crop = Crop.of(view()[0])
    window.move_mouse(crop.left + crop.width // 2, crop.top + crop.height // 2)
    with context():
        bpy.ops.wm.call_menu(name="GENMM_MT_clean_up")


def note(name: str) -> Callable[[], None]:
    def note_it() -> None:
        rig, scene = hero(), bpy.context.scene
        places = []
        for frame in FRAMES:
            scene.frame_set(frame)
            posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
            heads = [posed.matrix_world @ posed.pose.bones[bone].head for bone in ("Hips", "Toes.L")]
            places.append([(head.x, head.y, head.z) for head in heads])
        root = "root" in rig.data.bones and rig.data.bones["Hips"].parent == rig.data.bones["root"]
        facts[name] = {"places": places, "root": root, "mode": rig.mode, "data": rig.data.name}

    return note_it


def show_ways() -> None:
    rig = hero()
    rig.show_in_front = True
    with context():
        bpy.ops.pose.select_all(action="DESELECT")
        for bone in ("root", "Hips"):
            chosen = rig.pose.bones[bone] if hasattr(rig.pose.bones[bone], "select") else rig.data.bones[bone]
            chosen.select = True
        shown = rig.pose.animation_visualization.motion_path
        shown.frame_start, shown.frame_end = 1, 150
        bpy.ops.pose.paths_calculate(range="MANUAL")
        for name in ("show_frame_numbers", "show_keyframe_highlight", "show_keyframe_numbers"):
            setattr(shown, name, False)
        bpy.context.scene.frame_set(72)
    space = view()[0].spaces.active
    space.region_3d.view_rotation = Euler((1.0, 0.0, 2.3)).to_quaternion()
    space.region_3d.view_location, space.region_3d.view_distance = (0.3, -2.2, 0.4), 3.6


def viewport() -> Crop:
    whole = Crop.of(view()[0])
    return Crop(whole.left + 60, whole.top + 60, whole.width - 120, whole.height - 90)


window.run(
    [
        (set_up, 0.0),
        (note("before"), 0.0),
        (menu, 1.5),
        (choose_entry("Root Motion"), 2.0),
        (take_entry, DONE),
        (note("rooted"), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
        (redo, 0.0),
        (note("redone"), 0.0),
        (show_ways, 1.5),
        (picture("root_motion", viewport), 0.0),
    ]
)
