# SPDX-License-Identifier: GPL-3.0-or-later
"""Films of directed motion: pins, a kept part, labels, and places in the world."""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bpy
from film import Film, choose, context, following, learn_from, new_action, play, sample, still, take

STEP, DEPTH, FIRST = 0.15, 0.3, 1.0
"""Height and depth of a step, and the beginning of the stairs, in meters."""
WAYPOINTS = {1: (0.0, 0.0), 70: (0.9, -2.3), 130: (2.4, -3.4)}


def pins() -> None:
    learn_from("GenMM Walk")
    choose(sample())
    with context():
        for number, frame in enumerate((1, 45, 90)):
            bpy.context.scene.frame_set(frame)
            bpy.ops.genmm.pin_pose("EXEC_DEFAULT", True, place=number != 1)


def kept_legs() -> None:
    learn_from("GenMM Dance")
    choose(sample())
    with context():
        bpy.ops.genmm.make_parts(kind="UPPER_LOWER")
    settings = sample().genmm
    settings.parts = "WHOLE_BODY"
    settings.completion_action, settings.completion_part = bpy.data.actions["GenMM Walk"], "Lower Body"


def path() -> None:
    with context():
        bpy.ops.curve.primitive_bezier_circle_add(radius=1.4)
    curve = bpy.context.object
    choose(sample())
    sample().genmm.path_curve = curve
    sample().genmm.loop = "TRAVEL"


def labels() -> None:
    learn_from("GenMM Walk", "GenMM Walk Tired", "GenMM Walk Proud")
    choose(sample())
    with context():
        bpy.ops.genmm.add_row(rows="labels", tag="style=tired", first=1, last=75)
        bpy.ops.genmm.add_row(rows="labels", tag="style=proud", first=76, last=150)


def waypoints() -> None:
    for frame, place in WAYPOINTS.items():
        bpy.context.scene.frame_set(frame)
        bpy.context.scene.cursor.location = (*place, 0.0)
        choose(sample())
        with context():
            bpy.ops.genmm.add_row(rows="waypoints")
    row = sample().genmm.waypoints[2]
    row.use_facing, row.empty.rotation_euler.z = True, math.pi / 2


def stairs() -> None:
    mesh = bpy.data.meshes.new("Stairs")
    corners: list[tuple[float, float, float]] = []
    faces: list[tuple[int, ...]] = []
    for number in range(-1, 32):
        near, far = (9.0, -FIRST) if number < 0 else (-FIRST - DEPTH * number, -FIRST - DEPTH * (number + 1))
        top, first = STEP * (number + 1), len(corners)
        corners += [(x, y, z) for z in (-0.2, top) for x, y in ((-4, near), (5, near), (5, far), (-4, far))]
        sides = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
        faces += [tuple(first + corner for corner in reversed(side)) for side in sides]
    mesh.from_pydata(corners, [], faces)
    thing = bpy.data.objects.new("Stairs", mesh)
    bpy.context.scene.collection.objects.link(thing)
    sample().genmm.ground_object, sample().genmm.use_ground = thing, True


def hand() -> None:
    play("GenMM Wave")
    learn_from("GenMM Wave")
    bpy.context.scene.frame_set(60)
    with context():
        bpy.ops.mesh.primitive_cube_add(size=0.12, location=(-0.2, -0.5, 1.05))
    handle = bpy.context.object
    handle.name = "Handle"
    handle.data.materials.append(bpy.data.materials.new("Handle"))
    handle.data.materials[0].diffuse_color = (1.0, 0.3, 0.0, 1.0)
    choose(sample())
    with context():
        bpy.ops.genmm.add_row(rows="reaches", bone="Hand.R", object="Handle", first=40, last=70)


take(
    [
        Film("pins", [pins, new_action(frames=110)], still((0.0, -1.6, 0.9), 7.8, 1.2, 1.35, range(1, 111, 7))),
        Film("keep_part", [kept_legs, new_action()], following(range(1, 80, 5), turn=0.7)),
        Film("path", [path, new_action(frames=180)], still((0.0, 0.0, 0.6), 7.0, 0.5, 1.05, range(1, 180, 10))),
        Film("labels", [labels, new_action(frames=150, seed=1)], following(range(1, 150, 9), turn=1.0)),
        Film(
            "waypoints", [waypoints, new_action(frames=140)], still((0.9, -1.9, 0.4), 7.5, 0.6, 0.95, range(1, 140, 8))
        ),
        Film("ground", [stairs, new_action(frames=150)], still((0.0, -2.0, 1.1), 7.5, 2.3, 1.15, range(1, 120, 7))),
        Film(
            "reach",
            [hand, new_action(frames=110, seed=1)],
            still((0.0, -0.1, 0.95), 4.2, 0.9, 1.3, range(24, 88, 4)),
        ),
    ]
)
