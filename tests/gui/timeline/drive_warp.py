# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion Warp in a real window: its dialog is confirmed with Enter, one undo takes it back; with pictures."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from mathutils import Vector
from window import context, facts, picture, undo, until

from genmm_addon.animation import actions

HAND = "Hand.R"


def hero() -> bpy.types.Object:
    return bpy.data.objects["GenMM Sample"]


def hand_at(frame: int) -> Vector:
    bpy.context.scene.frame_set(frame)
    return hero().matrix_world @ hero().pose.bones[HAND].head


def add_box(name: str, at: Vector) -> None:
    half = (-0.05, 0.05)
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(x, y, z) for x in half for y in half for z in half], [], [(0, 1, 3, 2), (4, 5, 7, 6)])
    box = bpy.data.objects.new(name, mesh)
    box.location = at
    bpy.context.scene.collection.objects.link(box)


def set_up() -> None:
    window.register_open()
    window.only_sample()
    scene = bpy.context.scene
    scene.render.fps = 30
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 20, 130
    actions.assign(hero(), bpy.data.actions["GenMM Walk"].copy())
    at = hand_at(75) + Vector((0.0, 0.0, 0.15))
    add_box("Table", at)
    add_box("Target", at + Vector((0.2, 0.15, 0.05)))
    with context():
        bpy.ops.genmm.reach_in_action(places=f"{HAND} at Table 70-80")
        bpy.ops.ed.undo_push(message="Start")


def note(name: str) -> Callable[[], None]:
    def note_it() -> None:
        facts[name] = [hand_at(frame)[:] for frame in (10, 75, 140)]

    return note_it


def offer() -> None:
    with context():
        bpy.ops.genmm.warp_motion("INVOKE_DEFAULT", original="Table", target="Target", range_choice="PREVIEW")


def is_warped() -> bool:
    return any(operator.bl_idname == "GENMM_OT_warp_motion" for operator in bpy.context.window_manager.operators)


window.run(
    [
        (set_up, 0.0),
        (note("start"), 0.2),
        (offer, 1.0),
        (picture("warp_dialog"), 0.2),
        (lambda: window.key("Return"), 0.5),
        (until(is_warped), 0.2),
        (note("warped"), 0.2),
        (picture("warp"), 0.2),
        (undo, 0.2),
        (note("undone"), 0.2),
    ]
)
