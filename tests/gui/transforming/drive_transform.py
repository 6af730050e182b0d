# SPDX-License-Identifier: GPL-3.0-or-later
"""Restyle and Blend with a real mouse: the panel Transform, its pictures, and undo."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from sidebar import press_button
from window import (
    DONE,
    choose_tab,
    facts,
    in_turns,
    open_sidebar,
    picture,
    push_start,
    undo,
    until,
    viewport,
)

from genmm_addon.animation import actions
from genmm_addon.editing.transforming.record import recipe_of

FRAME, OTHER = 60, "GenMM Walk Tired"


def set_up() -> None:
    window.register_open("GENMM_PT_transform")
    window.only_sample()
    bpy.context.scene.render.fps = 30
    body = bpy.data.objects["GenMM Sample"]
    actions.assign(body, bpy.data.actions["GenMM Walk"])
    for action in list(bpy.data.actions):
        if action.name not in ("GenMM Walk", OTHER):
            bpy.data.actions.remove(action)
    bpy.context.scene.frame_set(FRAME)


def look() -> None:
    """Look from the side, near enough to see the posture."""
    with window.context():
        bpy.ops.view3d.view_axis(type="RIGHT")
        bpy.ops.view3d.view_selected()
    space = window.view()[0].spaces.active
    space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False


def playing() -> str:
    """Return the name of the action that the character plays."""
    found = actions.assigned(bpy.data.objects["GenMM Sample"])
    return "" if found is None else found[0].name


take_only_entry = in_turns(lambda: [("key", "Down"), ("key", "Return")])
"""The step that takes the entry of a menu that has no other, wherever the mouse is."""


def leave_menu() -> None:
    window.key("Escape")


def choose_other() -> None:
    bpy.context.scene.genmm.transform.other_action = OTHER


def note(name: str) -> Callable[[], None]:
    def note_it() -> None:
        bpy.context.scene.frame_set(FRAME)
        body = bpy.data.objects["GenMM Sample"]
        playing = actions.assigned(body)
        assert playing is not None
        recipe = recipe_of(playing[0])
        facts[name] = {
            "action": playing[0].name,
            "kind": None if recipe is None else recipe.kind,
            "by": [] if recipe is None else [recipe.example, *recipe.clips],
            "head": round(body.pose.bones["Head"].head.z, 4),
        }

    return note_it


window.run(
    [
        (set_up, 0.0),
        (open_sidebar, 0.0),
        (choose_tab, 0.0),
        (look, 1.0),
        (push_start, 0.0),
        (note("start"), 0.0),
        (picture("transform_before", viewport), 0.0),
        (press_button("restyle"), 0.5),
        (picture("transform_choice", viewport), 0.0),
        (take_only_entry, 0.0),
        (until(lambda: playing() == "GenMM Walk Restyled"), DONE),
        (note("restyled"), 0.0),
        (look, 1.0),
        (picture("transform_restyled", viewport), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
        (press_button("blend_action"), 0.5),
        (leave_menu, 0.5),
        (note("escaped"), 0.0),
        (choose_other, 0.0),
        (press_button("blend_action"), DONE),
        (note("blended"), 0.0),
        (look, 1.0),
        (picture("transform_blended", viewport), 0.0),
    ]
)
