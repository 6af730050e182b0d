# SPDX-License-Identifier: GPL-3.0-or-later
"""A hand on a handle, from the panel with a real mouse, in the playing action and in new motion; with pictures."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from mathutils import Quaternion, Vector
from sidebar import press_button
from window import DONE, Crop, context, facts, picture, undo, view

FIRST, LAST = 100, 130


def character() -> bpy.types.Object:
    return bpy.data.objects["GenMM Sample"]


def set_up() -> None:
    window.register_open("GENMM_PT_direct", "GENMM_PT_reach")
    window.only_sample()
    scene = bpy.context.scene
    scene.render.fps, scene.frame_current = 30, FIRST
    settings = character().genmm
    settings.frames, settings.seed, settings.new_seed, settings.output = 160, 1, False, "NEW_ACTION"
    character().animation_data.action = bpy.data.actions["GenMM Wave"]
    with context():
        bpy.ops.genmm.add_example(action="GenMM Wave")
    bpy.ops.mesh.primitive_cube_add(size=0.12, location=(-0.2, -0.5, 1.05))
    bpy.context.object.name = "Handle"
    bpy.ops.object.select_all(action="DESELECT")
    character().select_set(True)
    bpy.context.view_layer.objects.active = character()
    region = view()[0].spaces.active.region_3d
    region.view_location, region.view_distance = Vector((0.0, -0.1, 0.9)), 3.2
    region.view_rotation = Quaternion((0.62, 0.5, -0.38, -0.47)).normalized()
    region.view_perspective = "PERSP"


def add_place() -> None:
    with context():
        bpy.ops.genmm.add_row(rows="reaches", bone="Hand.R", object="Handle", first=FIRST, last=LAST)
        bpy.ops.ed.undo_push(message="Place")
    facts["listed"] = character().genmm.reaches
    view()[0].tag_redraw()


def note(name: str) -> None:
    """Note the largest distance of the hand from the handle, in heights of the character."""
    scene, found = bpy.context.scene, []
    for frame in range(FIRST, LAST + 1, 6):
        scene.frame_set(frame)
        hand = character().matrix_world @ character().pose.bones["Hand.R"].head
        found.append((hand - bpy.data.objects["Handle"].matrix_world.translation).length)
    facts[name] = max(found) / character().dimensions.z
    scene.frame_set((FIRST + LAST) // 2)


def note_edited() -> None:
    note("edited")
    facts["action"] = character().animation_data.action.name


def note_generated() -> None:
    note("generated")
    facts["new_action"] = character().animation_data.action.name


def note_undone() -> None:
    note("undone")


def out_of_reach() -> None:
    bpy.data.objects["Handle"].location.z = 4.0
    view()[0].tag_redraw()


def viewport() -> Crop:
    whole = Crop.of(view()[0])
    return Crop(whole.left + whole.width - 980, whole.top + 60, 980, min(whole.height - 80, 640))


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (add_place, 1.0),
        (picture("reach_listed"), 0.0),
        (press_button("reach_in_action()"), DONE),
        (note_edited, 0.0),
        (picture("reach"), 0.0),
        (picture("reach_crop", viewport), 0.0),
        (undo, 0.0),
        (note_undone, 0.0),
        (press_button("generate_motion()"), DONE),
        (note_generated, 0.0),
        (picture("reach_generated"), 0.0),
        (out_of_reach, 1.0),
        (picture("reach_too_high"), 0.0),
    ]
)
