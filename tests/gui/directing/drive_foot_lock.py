# SPDX-License-Identifier: GPL-3.0-or-later
"""A foot lock added in the panel Feet with a real mouse, and the motion generated with it; with pictures."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from sidebar import press_button
from window import DONE, context, facts, picture, undo, view


def character() -> bpy.types.Object:
    return bpy.data.objects["GenMM Sample"]


def set_up() -> None:
    window.register_open("GENMM_PT_repair", "GENMM_PT_feet")
    window.only_sample()
    scene = bpy.context.scene
    scene.render.fps, scene.frame_current = 30, 31
    settings = character().genmm
    settings.frames, settings.seed, settings.new_seed, settings.output = 120, 1, False, "NEW_ACTION"
    character().animation_data.action = bpy.data.actions["GenMM Walk"]
    with context():
        bpy.ops.genmm.add_example(action="GenMM Walk")


def add_locks() -> None:
    with context():
        bpy.ops.genmm.add_row(rows="foot_locks", bone="Toes.L", kind="ALWAYS", first=31, last=48)
        bpy.ops.genmm.add_row(rows="foot_locks", bone="Toes.R", kind="NEVER", first=60, last=90)
        bpy.ops.ed.undo_push(message="Locks")
    facts["listed"] = character().genmm.foot_locks
    view()[0].tag_redraw()


def note_generated() -> None:
    from genmm_addon.generation.recipe import recipe_of

    recipe = recipe_of(character().animation_data.action)
    facts["recipe"] = "" if recipe is None else recipe.foot_locks


def note_undone() -> None:
    facts["undone"] = character().animation_data.action.name


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (add_locks, 2.0),
        (picture("foot_locks"), 0.0),
        (press_button("generate_motion()"), DONE),
        (note_generated, 0.0),
        (undo, 0.0),
        (note_undone, 0.0),
    ]
)
