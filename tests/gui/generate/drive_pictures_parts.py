# SPDX-License-Identifier: GPL-3.0-or-later
"""The README's picture of painted parts, from a real window: arms, trunk and one leg, and the brush over the other."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Euler
from window import Crop, context, picture, view

import genmm_addon
from genmm_addon.requests.part_values import add_part

FRAME = 62
PARTS = {
    "Right Arm": ("Shoulder.R", "UpperArm.R", "Forearm.R", "Hand.R"),
    "Left Arm": ("Shoulder.L", "UpperArm.L", "Forearm.L", "Hand.L"),
    "Trunk": ("Hips", "Spine", "Chest", "UpperChest", "Neck", "Head", "Shoulder.L", "Shoulder.R"),
    "Legs": ("Hips", "Thigh.R", "Shin.R", "Foot.R", "Toes.R"),
}


def set_up() -> None:
    genmm_addon.register()
    window.only_sample()
    character = bpy.context.object
    character.animation_data.action = bpy.data.actions["GenMM Dance"]
    bpy.context.scene.frame_set(FRAME)
    for name, bones in PARTS.items():
        add_part(character.genmm, name, bones)
    bpy.context.scene.genmm.brush_radius = 28
    space = view()[0].spaces.active
    space.region_3d.view_rotation = Euler((1.45, 0.0, 0.3)).to_quaternion()
    space.region_3d.view_location, space.region_3d.view_distance = (0.25, 0.0, 0.67), 2.45
    space.overlay.show_cursor = space.overlay.show_object_origins = space.overlay.show_text = False
    space.overlay.show_bones = space.overlay.show_outline_selected = False
    space.shading.show_cavity = True


def take_tool() -> None:
    with context():
        bpy.ops.wm.tool_set_by_id(name="genmm.paint_parts", space_type="VIEW_3D")


def brush_over_leg() -> None:
    area = view()[0]
    region = window.content(area)
    rig = bpy.context.object
    bone = rig.pose.bones["Thigh.L"]
    place = location_3d_to_region_2d(region, area.spaces.active.region_3d, rig.matrix_world @ bone.center)
    window.move_mouse(*window.point_in_window(region, place.x, place.y))


def viewport() -> Crop:
    whole = Crop.of(view()[0])
    return Crop(whole.left, whole.top, 900, 760)


window.run(
    [
        (set_up, 1.0),
        (take_tool, 1.0),
        (brush_over_leg, 1.0),
        (picture("paint-parts", viewport), 0.0),
    ]
)
