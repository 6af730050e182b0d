# SPDX-License-Identifier: GPL-3.0-or-later
"""A walk directed from the panel with a real mouse along a closed curve, as a loop; pictures of panel and viewport."""

import itertools
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

RADIUS = 2.2
FRAMES = 240


def set_up() -> None:
    window.register_open("GENMM_PT_direct", "GENMM_PT_path")
    window.only_sample()
    with context():
        bpy.ops.curve.primitive_bezier_circle_add(radius=RADIUS)
    curve, character = bpy.context.object, bpy.data.objects["GenMM Sample"]
    curve.name = "Round"
    with context():
        bpy.ops.object.select_all(action="DESELECT")
    character.select_set(True)
    bpy.context.view_layer.objects.active = character
    settings = character.genmm
    settings.frames, settings.seed, settings.new_seed, settings.loop = FRAMES, 3, False, "TRAVEL"
    bpy.context.scene.render.fps = 30
    space = view()[0].spaces.active
    space.overlay.show_bones = False
    space.region_3d.view_rotation = Euler((1.05, 0.0, 0.5)).to_quaternion()
    space.region_3d.view_location, space.region_3d.view_distance = (0.9, 0.0, 0.6), 8.5


def choose_curve() -> None:
    bpy.data.objects["GenMM Sample"].genmm.path_curve = bpy.data.objects["Round"]


def result() -> bpy.types.Object:
    (made,) = (
        thing for thing in bpy.context.view_layer.objects if thing.type == "ARMATURE" and thing.name != "GenMM Sample"
    )
    return made


def hips(frame: int) -> tuple[float, float, float]:
    bpy.context.scene.frame_set(frame)
    made = result()
    x, y, z = (made.matrix_world @ made.pose.bones["Hips"].head)[:]
    return x, y, z


def note_result() -> None:
    """Note the distance of the hips from the curve over two rounds, and the distance between the rounds."""
    first, second = ([hips(start + frame) for frame in range(0, FRAMES, 10)] for start in (1, 1 + FRAMES))
    facts["away"] = [abs(math.hypot(x, y) - RADIUS) for x, y, _ in first]
    facts["apart"] = [math.dist(one, other) for one, other in zip(first, second, strict=True)]
    facts["way"] = sum(math.dist(one, other) for one, other in itertools.pairwise(first))
    facts["cyclic"] = result().animation_data.action.use_cyclic
    source = bpy.data.objects["GenMM Sample"]
    for thing in (source, *source.children_recursive):
        thing.hide_set(True)
    bpy.context.scene.frame_set(40)


def viewport() -> Crop:
    whole = Crop.of(view()[0])
    return Crop(whole.left + 330, whole.top, whole.width - 330, 740)


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (picture("path_empty"), 0.0),
        (choose_curve, 1.0),
        (picture("path_chosen"), 0.0),
        (press_button("generate_motion()"), DONE),
        (note_result, 0.0),
        (picture("path", viewport), 0.0),
    ]
)
