# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground with a real mouse: the sample's walk put on stairs, undone, and new motion made on them; with a picture."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import numpy as np
import window
from mathutils import Euler
from sidebar import press_button
from window import DONE, Crop, context, facts, picture, undo, view

STEP, DEPTH, FIRST = 0.15, 0.3, 1.0


def hero() -> bpy.types.Object:
    return bpy.data.objects["GenMM Sample"]


def add_stairs() -> bpy.types.Object:
    """Return stairs along -Y, the sample character's direction, closed as boxes are."""
    mesh = bpy.data.meshes.new("Stairs")
    corners: list[tuple[float, float, float]] = []
    faces: list[tuple[int, ...]] = []
    for number in range(-1, 32):
        near, far = (9.0, -FIRST) if number < 0 else (-FIRST - DEPTH * number, -FIRST - DEPTH * (number + 1))
        top, first = STEP * (number + 1), len(corners)
        corners += [(x, y, z) for z in (-0.2, top) for x, y in ((-4, near), (5, near), (5, far), (-4, far))]
        sides = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
        # The first two faces are the bottom and the top of the box along -Y.
        faces += [tuple(first + corner for corner in reversed(side)) for side in sides]
    mesh.from_pydata(corners, [], faces)
    stairs = bpy.data.objects.new("Stairs", mesh)
    bpy.context.scene.collection.objects.link(stairs)
    return stairs


def set_up() -> None:
    window.register_open("GENMM_PT_direct", "GENMM_PT_ground")
    window.only_sample()
    settings = hero().genmm
    settings.frames, settings.seed, settings.new_seed = 150, 3, False
    bpy.context.scene.render.fps = 30
    settings.ground_object = add_stairs()
    settings.use_ground = True
    space = view()[0].spaces.active
    space.region_3d.view_rotation = Euler((1.2, 0.0, 0.75)).to_quaternion()
    space.region_3d.view_location, space.region_3d.view_distance = (0.9, -2.2, 1.1), 7.0
    with context():
        bpy.ops.ed.undo_push(message="Set Up")


def deepest(character: bpy.types.Object, frames: range) -> float:
    """Return the largest depth of a foot's joint in the stairs, in meters."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        for name in ("Foot.L", "Foot.R", "Toes.L", "Toes.R"):
            place = character.matrix_world @ character.pose.bones[name].head
            found.append(STEP * max(0, int(np.floor((-place.y - FIRST) / DEPTH)) + 1) - place.z)
    return float(max(found))


def hips(character: bpy.types.Object, frame: int) -> float:
    bpy.context.scene.frame_set(frame)
    return float((character.matrix_world @ character.pose.bones["Hips"].head).z)


def note_action() -> None:
    facts["action_deepest"] = deepest(hero(), range(1, 150, 2))
    facts["action_climbs"] = hips(hero(), 150) - hips(hero(), 1)


def note_undone() -> None:
    facts["undone_climbs"] = hips(hero(), 150) - hips(hero(), 1)


def note_result() -> None:
    scene = bpy.context.scene
    (made,) = (thing for thing in scene.objects if thing.type == "ARMATURE" and thing != hero())
    facts["made_deepest"] = deepest(made, range(1, 150, 2))
    facts["made_climbs"] = hips(made, 150) - hips(made, 1)
    for thing in (hero(), *hero().children_recursive):
        thing.hide_set(True)
    made.show_in_front = made.data.show_names = False
    space = view()[0].spaces.active
    space.region_3d.view_rotation = Euler((1.3, 0.0, -1.0)).to_quaternion()
    space.region_3d.view_location, space.region_3d.view_distance = (-1.2, -2.4, 1.0), 6.0
    scene.frame_set(62)


def viewport() -> Crop:
    whole = Crop.of(view()[0])
    return Crop(whole.left + 250, whole.top, whole.width - 250, 740)


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (press_button("put_feet_on_ground"), DONE),
        (note_action, 0.0),
        (undo, 0.0),
        (note_undone, 0.0),
        (press_button("generate_motion()"), DONE),
        (note_result, 0.0),
        (picture("ground", viewport), 0.0),
    ]
)
