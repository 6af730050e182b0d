# SPDX-License-Identifier: GPL-3.0-or-later
"""A crowd made from the panel with a real mouse, and undone with a key; pictures of panel and viewport."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(1, str(Path(__file__).resolve().parents[2]))

import bpy
import window
from mathutils import Euler
from window import Crop, context, facts, key, picture, press_button, view


def set_up() -> None:
    window.register_open("GENMM_PT_crowd")
    window.only_sample()
    character = bpy.data.objects["GenMM Sample"]
    settings = character.genmm
    settings.frames, settings.seed, settings.new_seed = 120, 3, False
    character.animation_data.action = bpy.data.actions["GenMM Dance"]
    bpy.context.scene.genmm.crowd.agents = 100
    space = view()[0].spaces.active
    space.region_3d.view_rotation = Euler((1.2, 0.0, 0.5)).to_quaternion()
    space.region_3d.view_location, space.region_3d.view_distance = (0.5, 4.5, 0.6), 17.0
    space.overlay.show_bones = space.overlay.show_outline_selected = space.overlay.show_text = False
    space.overlay.show_extras = space.overlay.show_object_origins = space.overlay.show_cursor = False
    space.overlay.show_relationship_lines = False
    with context():
        bpy.ops.ed.undo_push(message="Set up")


def note(name: str) -> Callable[[], None]:
    def noted() -> None:
        facts[name] = len([thing for thing in bpy.data.objects if " Agent " in thing.name and thing.type == "ARMATURE"])
        facts[f"{name}_actions"] = len(bpy.data.actions)

    return noted


def at_frame() -> None:
    bpy.context.scene.frame_set(30)


def undo() -> None:
    key("ctrl+z")


def viewport() -> Crop:
    whole = Crop.of(view()[0])
    return Crop(whole.left + 100, whole.top + 40, whole.width - 100, 700)


window.run(
    [
        (set_up, 0.5),
        (window.open_sidebar, 1.2),
        (window.choose_tab, 1.0),
        (picture("crowd_panel"), 0.7),
        (note("before"), 0.1),
        (press_button("make_crowd"), 4.0),
        (note("made"), 0.1),
        (at_frame, 1.0),
        (picture("crowd", viewport), 1.0),
        (undo, 1.5),
        (note("undone"), 0.1),
        (picture("crowd_undone"), 0.7),
    ]
)
