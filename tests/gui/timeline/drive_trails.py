# SPDX-License-Identifier: GPL-3.0-or-later
"""Drag Motion Trail with a real mouse: canceled by Esc, dragged with a longer reach, kept, undone; with a picture."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import numpy as np
import window
from mathutils import Euler
from window import DONE, Step, context, facts, picture, undo, until, view

from genmm_addon.animation import actions
from genmm_addon.interface.common.framing import points_on_screen
from genmm_addon.interface.trajectories.trails import ShownTrails

FIRST, LAST = 20, 70
BONE = "Hand.L"

shown = window.latest(ShownTrails)


def hero() -> bpy.types.Object:
    return bpy.data.objects["GenMM Sample"]


def set_up() -> None:
    window.register_open()
    window.only_sample()
    scene = bpy.context.scene
    scene.render.fps = 30
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, FIRST, LAST
    actions.assign(hero(), bpy.data.actions["GenMM Walk"].copy())
    space = view()[0].spaces.active
    space.show_region_ui = False
    with context():
        bpy.ops.object.mode_set(mode="POSE")
    bones = hero().pose.bones
    for bone in bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name == BONE
    scene.frame_set(45)
    with context():
        bpy.ops.ed.undo_push(message="Start")
    region = space.region_3d
    region.view_perspective, region.view_rotation = "PERSP", Euler((1.35, 0.0, 1.3)).to_quaternion()
    region.view_location = hero().matrix_world @ bones["Hips"].head
    region.view_distance = 4.0


def offer() -> None:
    with context():
        bpy.ops.genmm.drag_trail("INVOKE_DEFAULT")


def to_point() -> None:
    """Move the mouse to the middle of the trail."""
    area, _ = view()
    region = window.content(area)
    points = points_on_screen(shown[0].paths()[BONE], region, area.spaces.active.region_3d)
    x, y = points[len(points) // 2]
    window.move_mouse(*window.point_in_window(region, x, y))


def is_over() -> bool:
    return shown[0].point is not None


def take_hold() -> None:
    window.ask("xdotool", "mousedown", "1")


def pull() -> None:
    window.ask("xdotool", "mousemove_relative", "--", "40", "-70")


def is_pulled() -> bool:
    return shown[0].drag is not None and float(np.linalg.norm(shown[0].drag.offset)) > 0.05


def turn_wheel() -> None:
    facts["reach"] = shown[0].drag.reach if shown[0].drag else 0
    window.ask("xdotool", "click", "4", "click", "4")


def is_longer() -> bool:
    return shown[0].drag is not None and shown[0].drag.reach == facts["reach"] + 2


def let_go() -> None:
    window.ask("xdotool", "mouseup", "1")


def is_gone() -> bool:
    return not shown[0]._handlers


def note(name: str) -> Callable[[], None]:
    def note_it() -> None:
        playing = actions.assigned(hero())
        assert playing is not None
        curves = actions.fcurves_of(*playing)
        drag = shown[0].drag if shown else None
        facts[name] = {
            "values": [[round(float(curve.evaluate(frame)), 5) for curve in curves] for frame in (5, 45, 90)],
            "offset": list(drag.offset) if drag else [],
            "frame": drag.frame if drag else 0.0,
            "mode": bpy.context.mode,
        }

    return note_it


def place(name: str) -> Callable[[], None]:
    """Return a step that notes where the bone is at the frame of the drag."""

    def note_place() -> None:
        drag, scene = shown[0].drag, bpy.context.scene
        scene.frame_set(int(drag.frame) if drag else 0)
        facts[name] = (hero().matrix_world @ hero().pose.bones[BONE].head)[:]

    return note_place


def grabbed() -> list[Step]:
    """Return the steps that drag a point and make the reach longer."""
    return [
        (offer, 0.5),
        (to_point, 0.2),
        (until(is_over), 0.2),
        (take_hold, 0.2),
        (pull, 0.2),
        (until(is_pulled), 0.2),
        (turn_wheel, 0.2),
        (until(is_longer), 0.2),
    ]


def play_another() -> None:
    """Exchange the action as another window may, and move the mouse over the trail."""
    actions.assign(hero(), bpy.data.actions["GenMM Dance"])
    note("dance")()
    pull()


def delete() -> None:
    bpy.data.objects.remove(hero())
    pull()


window.run(
    [
        (set_up, 0.0),
        (note("start"), 0.2),
        *grabbed(),
        (lambda: window.key("Escape"), 0.2),
        (until(is_gone), 0.2),
        (let_go, 0.2),
        (note("left"), 0.2),
        (place("from"), 0.2),
        *grabbed(),
        (picture("trails", window.viewport), 0.2),
        (let_go, 0.2),
        (until(is_gone), 0.2),
        (note("dragged"), 0.2),
        (place("to"), 0.2),
        (undo, 0.5),
        (note("undone"), 0.2),
        (offer, 0.5),
        (to_point, 0.2),
        (until(is_over), 0.2),
        (take_hold, 0.2),
        (play_another, DONE),
        (let_go, 0.2),
        (note("exchanged"), 0.2),
        *grabbed(),
        (delete, DONE),
        (let_go, 0.2),
    ]
)
