# SPDX-License-Identifier: GPL-3.0-or-later
"""Gizmos of waypoints, places and the path: dragged by mouse, canceled, clicked, undone; with pictures."""

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Euler, Vector
from window import Step, ask, context, facts, picture, view

import genmm_addon

Place = Callable[[], Vector]
AWAY = (60, 40)
"""A drag in pixels, right and down."""

pressed: list[tuple[float, float]] = []
"""The point of the window at which the last drag began."""


def hero() -> Any:
    return bpy.data.objects["GenMM Sample"]


def waypoint() -> Any:
    return hero().genmm.waypoints[1].empty


def handle() -> Any:
    return bpy.data.objects["Handle"]


def way() -> Any:
    return bpy.data.objects["Way"]


def set_up() -> None:
    window.only_sample()
    settings = hero().genmm
    for frame, place in {1: (0.0, 0.0), 80: (0.8, -1.2), 150: (1.6, -3.0)}.items():
        bpy.context.scene.frame_set(frame)
        bpy.context.scene.cursor.location = (*place, 0.0)
        with context():
            bpy.ops.genmm.add_row(rows="waypoints", source="CURSOR")
    bpy.context.scene.frame_set(1)
    bpy.context.scene.cursor.location = (0.0, 0.0, 0.0)
    parent = bpy.data.objects.new("Parent", None)
    parent.rotation_euler.z, parent.location, parent.scale = 0.7, (-3.0, 0.0, 0.0), (2.0, 2.0, 2.0)
    bpy.context.scene.collection.objects.link(parent)
    parent.hide_set(True)
    bpy.ops.mesh.primitive_cube_add(size=0.1, location=(-0.6, -0.3, 1.2))
    cube = bpy.context.object
    cube.name = "Handle"
    bpy.context.view_layer.update()
    world = cube.matrix_world.copy()
    cube.parent = parent
    cube.matrix_world = world
    data = bpy.data.curves.new("Way", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("BEZIER")
    spline.bezier_points.add(1)
    for point, y in zip(spline.bezier_points, (-1.0, -2.5), strict=True):
        point.co = (-1.5, y, 0.0)
        point.handle_left, point.handle_right = (-1.5, y + 0.4, 0.0), (-1.5, y - 0.4, 0.0)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Way", data))
    settings.path_curve, settings.use_path = way(), True
    for thing in bpy.context.view_layer.objects:
        thing.select_set(thing == hero())
    bpy.context.view_layer.objects.active = hero()
    with context():
        bpy.ops.genmm.add_row(rows="reaches", bone="Hand.R", object="Handle", first=20, last=40)
    data = view()[0].spaces.active.region_3d
    data.view_rotation = Euler((0.85, 0.0, 0.6)).to_quaternion()
    data.view_location, data.view_distance = (0.2, -1.4, 0.3), 7.0
    window.push_start()


def places() -> dict[str, Any]:
    """Return the positions of all that can be dragged."""
    first = way().data.splines[0].bezier_points[0]
    return {
        "waypoint": list(waypoint().matrix_world.translation),
        "handle": list(handle().matrix_world.translation),
        "point": [*first.co, *first.handle_left, *first.handle_right],
    }


def note(name: str) -> Step:
    def noted() -> None:
        active = bpy.context.view_layer.objects.active
        facts[name] = {**places(), "active": active.name}

    return noted, 0.0


def on_screen(place: Place) -> tuple[float, float]:
    area, _ = view()
    region = window.content(area)
    point = location_3d_to_region_2d(region, area.spaces.active.region_3d, place())
    assert point is not None
    return window.point_in_window(region, point.x, point.y)


def drag(place: Place, *end: str) -> list[Step]:
    """Return the steps that press on a place, move the mouse in two moves, and end the drag."""
    half = ("mousemove_relative", *(str(value // 2) for value in AWAY))

    def begin() -> None:
        pressed[:] = [on_screen(place)]
        window.move_mouse(*pressed[0])

    return [
        (begin, 0.0),
        (lambda: ask("xdotool", "mousedown", "1"), 0.0),
        (lambda: ask("xdotool", *half), 0.0),
        (lambda: ask("xdotool", *half), 0.0),
        (lambda: ask("xdotool", *end), 0.0),
    ]


def note_away(name: str, place: Place) -> Step:
    """Return the step that notes how far in pixels what was dragged is from the mouse."""

    def noted() -> None:
        mouse = [begun + value for begun, value in zip(pressed[0], AWAY, strict=True)]
        facts[name]["away"] = math.dist(mouse, on_screen(place))

    return noted, 0.0


def hide_overlays() -> None:
    view()[0].spaces.active.overlay.show_overlays = False


def at_waypoint() -> Vector:
    return Vector(waypoint().matrix_world.translation)


def at_handle() -> Vector:
    return Vector(handle().matrix_world.translation)


def at_point() -> Vector:
    return Vector(way().matrix_world @ way().data.splines[0].bezier_points[0].co)


THINGS: dict[str, Place] = {"waypoint": at_waypoint, "handle": at_handle, "point": at_point}

steps: list[Step] = [
    (set_up, 0.0),
    note("start"),
    (lambda: window.move_mouse(*on_screen(at_waypoint)), 0.3),
    (picture("handles", window.viewport), 0.0),
]
for name, place in THINGS.items():
    steps += [
        *drag(place, "key", "Escape", "mouseup", "1"),
        note(f"{name} canceled"),
        *drag(place, "mouseup", "1"),
        note(f"{name} dragged"),
        note_away(f"{name} dragged", place),
        (window.undo, 0.3),
        note(f"{name} undone"),
    ]
steps += [
    (lambda: window.click(*on_screen(at_waypoint)), 0.3),
    note("clicked"),
    (lambda: facts.update({"waypoint name": waypoint().name}), 0.0),
    (hide_overlays, 0.3),
    *drag(at_waypoint, "mouseup", "1"),
    note("hidden"),
]
genmm_addon.register()
window.run(steps)
