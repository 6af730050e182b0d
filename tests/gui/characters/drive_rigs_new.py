# SPDX-License-Identifier: GPL-3.0-or-later
"""New motion of a Mixamo-like and a Rigify character: a hand at a moving box, and a path up a slope."""

import math
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))
sys.path.insert(2, str(Path(__file__).resolve().parents[2] / "addon"))
sys.path.insert(3, str(Path(__file__).resolve().parent))

import bpy
import window
from mathutils import Vector
from shown_rigs import (
    AT,
    BONES,
    begin,
    entry,
    feet_names,
    from_handle,
    generate_as_step,
    head,
    heads,
    hero,
    look,
    lowest,
    made_by,
    note,
    part,
    place_handle,
    select,
    set_up,
)
from window import DONE, Step, context, picture, undo

SLOPE = math.tan(math.radians(10.0))
"""Slope of the ground along -Y, from the origin on."""
PICTURES = {
    "Mixamo": ("rigs_mixamo_new_reach", "rigs_mixamo_slope"),
    "Rigify": ("rigs_rigify_new_reach", "rigs_rigify_slope"),
}
FRAMES = range(1, 121, 2)
CLIMBING = 90
"""The frame of the picture on the slope."""


def ask_for_new(name: str) -> Callable[[], None]:
    def ask_for() -> None:
        settings = hero(name).genmm
        settings.frames, settings.seed, settings.new_seed = 120, 3, False
        bpy.context.scene.frame_set(AT + 5)

    return ask_for


def look_at_new(name: str) -> None:
    bpy.context.scene.frame_set(AT + 5)
    hero(name).hide_set(True)
    for child in hero(name).children_recursive:
        child.hide_set(True)
    look(head(made_by(name), BONES[name][2], AT + 5), 3.0, (1.25, 0.0, 0.4))


def add_slope(name: str) -> Callable[[], None]:
    """Return a step that adds a slope below the walk, and a curve up the slope."""

    def add() -> None:
        corners = [(-9, 9, 0), (9, 9, 0), (9, 0, 0), (-9, 0, 0), (9, -30, 30 * SLOPE), (-9, -30, 30 * SLOPE)]
        mesh = bpy.data.meshes.new("Slope")
        mesh.from_pydata(corners, [], [(3, 2, 1, 0), (5, 4, 2, 3)])
        data = bpy.data.curves.new("Way Up", "CURVE")
        data.dimensions = "3D"
        spline = data.splines.new("POLY")
        spline.points.add(2)
        ways = [(0.0, 0.0), (0.4, -3.0), (0.0, -9.0)]
        for point, (x, y) in zip(spline.points, ways, strict=True):
            point.co = (x, y, -y * SLOPE, 1.0)
        for what, thing in (("Slope", mesh), ("Way Up", data)):
            made = bpy.data.objects.new(f"{name} {what}", thing)
            bpy.context.scene.collection.objects.link(made)
        settings = hero(name).genmm
        settings.reaches, settings.ground_object = "", bpy.data.objects[f"{name} Slope"]
        bpy.data.objects[f"{name} Handle"].hide_set(True)
        select(hero(name))
        with context():
            bpy.ops.ed.undo_push(message="Slope")

    return add


def follow_way(name: str) -> Callable[[], None]:
    def follow() -> None:
        settings = hero(name).genmm
        # The steps undone before took the seed along.
        settings.frames, settings.seed, settings.new_seed = 120, 3, False
        settings.use_ground = True
        settings.path_curve, settings.path_climbs = bpy.data.objects[f"{name} Way Up"], True
        select(hero(name))

    return follow


def leave_slope(name: str) -> Callable[[], None]:
    def leave() -> None:
        settings = hero(name).genmm
        settings.path_curve, settings.ground_object = None, None
        for what in ("Slope", "Way Up", "Handle"):
            bpy.data.objects[f"{name} {what}"].hide_set(True)

    return leave


def in_slope(name: str, made: bool = False) -> Callable[[], list[float]]:
    """Return a function for the largest depth in meters of each joint of the feet below the slope."""

    def told() -> list[float]:
        shown, feet = made_by(name) if made else hero(name), feet_names(name)
        depths = [[max(0.0, -one.y * SLOPE) - one.z for one in heads(shown, feet, frame)] for frame in FRAMES]
        return [max(of_joint) for of_joint in zip(*depths, strict=True)]

    return told


def lows(name: str) -> Callable[[], list[float]]:
    return lambda: lowest(name, FRAMES)


def climbed(name: str) -> float:
    """Return the rise of the hips until the end, as a share of the slope's rise along their path."""
    first, last = (head(made_by(name), BONES[name][0], frame) for frame in (1, 119))
    return (last.z - first.z) / (SLOPE * (first.y - last.y))


def look_up(name: str) -> None:
    bpy.context.scene.frame_set(CLIMBING)
    hips = head(made_by(name), BONES[name][0], CLIMBING)
    look(hips + Vector((0.0, 0.0, 0.2)), 6.5, (1.35, 0.0, 1.2))


def armatures() -> int:
    return len([one for one in bpy.data.objects if one.type == "ARMATURE"])


def tried(name: str) -> list[Step]:
    reach, slope = PICTURES[name]
    return [
        (begin(name), 1.0),
        (place_handle(name), 0.7),
        (ask_for_new(name), 0.1),
        (generate_as_step, DONE),
        (note(name, "reached", from_handle(name, made=True)), 0.0),
        (lambda: look_at_new(name), 0.7),
        (picture(reach, part), 0.0),
        (undo, 0.0),
        (note(name, "unmade", armatures), 0.0),
        (begin(name), 0.5),
        (note(name, "lows", lows(name)), 0.0),
        (add_slope(name), 0.7),
        *entry("Put Feet"),
        (note(name, "in_slope", in_slope(name)), 0.0),
        (undo, 0.0),
        (note(name, "through", in_slope(name)), 0.0),
        (follow_way(name), 0.1),
        (generate_as_step, DONE),
        (note(name, "new_in_slope", in_slope(name, made=True)), 0.0),
        (note(name, "climbed", lambda: climbed(name)), 0.0),
        (lambda: look_up(name), 0.7),
        (picture(slope, part), 0.0),
        (undo, 0.0),
        (note(name, "gone", armatures), 0.0),
        (leave_slope(name), 0.1),
    ]


window.run([(set_up, 0.0), *tried("Mixamo"), *tried("Rigify")])
