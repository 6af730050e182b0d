# SPDX-License-Identifier: GPL-3.0-or-later
"""Waypoints with a real mouse: three at the cursor, one of them moved, and the walk through them; with pictures."""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from mathutils import Euler
from sidebar import press_button
from window import DONE, Crop, context, facts, picture, view

PLACES = {1: (0.0, 0.0), 80: (0.3, -2.6), 150: (2.4, -3.4)}
MOVED = (0.9, -2.3)


def hero() -> bpy.types.Object:
    return bpy.data.objects["GenMM Sample"]


def set_up() -> None:
    window.register_open("GENMM_PT_direct", "GENMM_PT_waypoints")
    window.only_sample()
    settings = hero().genmm
    settings.frames, settings.seed, settings.new_seed = 150, 3, False
    bpy.context.scene.render.fps = 30
    space = view()[0].spaces.active
    space.region_3d.view_rotation = Euler((0.85, 0.0, 0.6)).to_quaternion()
    space.region_3d.view_location, space.region_3d.view_distance = (0.6, -1.9, 0.3), 8.0


def cursor_at(frame: int) -> None:
    bpy.context.scene.frame_set(frame)
    bpy.context.scene.cursor.location = (*PLACES[frame], 0.0)


def move_one() -> None:
    rows = hero().genmm.waypoints
    facts["frames"] = [row.frame for row in rows]
    rows[1].empty.location = (*MOVED, 0.0)
    rows[2].use_facing = True
    rows[2].empty.rotation_euler.z = math.pi / 2
    bpy.context.scene.cursor.location = (0.0, 0.0, 0.0)


def note_result() -> None:
    scene = bpy.context.scene
    (made,) = (thing for thing in scene.objects if thing.type == "ARMATURE" and thing != hero())
    facts["away"] = []
    for frame, place in {**PLACES, 80: MOVED}.items():
        scene.frame_set(frame)
        head = made.matrix_world @ made.pose.bones["Hips"].head
        facts["away"].append(math.dist(head[:2], place))
    with context():
        bpy.ops.object.select_all(action="DESELECT")
    hero().select_set(True)
    bpy.context.view_layer.objects.active = hero()
    for thing in hero().children_recursive:
        thing.hide_set(True)
    for row in hero().genmm.waypoints:
        row.empty.empty_display_size = 0.1
    scene.frame_set(115)


def undo() -> None:
    window.undo()
    facts["rows_after_undo"] = len(hero().genmm.waypoints)


def viewport() -> Crop:
    whole = Crop.of(view()[0])
    return Crop(whole.left + 250, whole.top, whole.width - 250, 740)


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (lambda: cursor_at(1), 0.3),
        (press_button("rows='waypoints', source='CURSOR'", 0.3), DONE),
        (lambda: cursor_at(80), 0.3),
        (press_button("rows='waypoints', source='CURSOR'", 0.3), DONE),
        (lambda: cursor_at(150), 0.3),
        (press_button("rows='waypoints', source='CURSOR'", 0.3), DONE),
        (move_one, 1.0),
        (press_button("generate_motion()"), DONE),
        (note_result, 0.0),
        (picture("waypoints", viewport), 0.0),
        (undo, 0.0),
    ]
)
