# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring Action Here in a window: by its dialog, from files, left by Esc, undone, and onto Rigify's human."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))
sys.path.insert(2, str(Path(__file__).resolve().parents[2] / "addon"))

import bpy
import window
from other_rigs import make_mixamo_like
from sidebar import press_button
from window import DONE, OUTPUT, context, facts, key, picture, push_start, undo, until, view

from genmm_addon.animation import actions
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core.motion import save_bvh


def hero() -> Any:
    return bpy.data.objects["Hero"]


def select(thing: Any) -> None:
    for other in bpy.context.view_layer.objects:
        other.select_set(other == thing)
    bpy.context.view_layer.objects.active = thing


def set_up() -> None:
    window.register_open("GENMM_PT_bring")
    window.only_sample()
    bpy.context.scene.render.fps, bpy.context.scene.frame_end = 30, 150
    bpy.context.object.name = "Hero"
    with context():
        bpy.ops.genmm.add_sample_character()
        other = bpy.context.object
        make_mixamo_like(other)
        other.name, other.location.x = "Other", 1.5
        actions.clear_assignment(hero())
        select(hero())
        bpy.ops.view3d.view_all()
    window.open_sidebar()
    for number in (1, 2):
        save_bvh(OUTPUT / f"Take {number}.bvh", sample_motions(30.0)["GenMM Dance"].slice(0, 60 * number))
    push_start()


def note(name: str) -> Any:
    """Return a step that notes what the character plays, and all actions."""

    def noted() -> None:
        playing = actions.assigned(hero())
        facts[name] = [playing[0].name if playing else "", sorted(action.name for action in bpy.data.actions)]
        facts[f"{name} objects"] = len(bpy.data.objects)

    return noted


def at(frame: int) -> Any:
    def move() -> None:
        bpy.context.scene.frame_set(frame)

    return move


def from_files() -> None:
    with context():
        files = [{"name": "Take 1.bvh"}, {"name": "Take 2.bvh"}]
        bpy.ops.genmm.bring_action("EXEC_DEFAULT", True, origin="FILES", directory=str(OUTPUT), files=files)


def onto_rigify() -> None:
    with context():
        select(rig := window.rigify_human(-1.5))
        bpy.ops.genmm.bring_action("EXEC_DEFAULT", True, origin="FILES", filepath=str(OUTPUT / "Take 2.bvh"))
        bpy.ops.view3d.view_all()
    playing = actions.assigned(rig)
    facts["rigify"] = playing[0].name if playing else ""


def off_the_field() -> None:
    """Move the mouse to the dialog's title: over a text, Return would begin to edit it."""
    window.ask("xdotool", "mousemove_relative", "--", "0", "-40")


def spaces() -> int:
    return sum(area.type == "FILE_BROWSER" for win in bpy.context.window_manager.windows for area in win.screen.areas)


def browser_shown() -> None:
    facts["browser"] = spaces()


def leave_browser() -> None:
    """Press Esc over the file browser: without a window manager, keys go to the window under the mouse."""
    (browser,) = (win for win in bpy.context.window_manager.windows if win.screen.areas[0].type == "FILE_BROWSER")
    height = bpy.context.window_manager.windows[0].height
    place = browser.x + browser.width // 2, height - browser.y - browser.height // 2
    window.ask("xdotool", "mousemove", *map(str, place))
    key("Escape")


def sidebar() -> window.Crop:
    return window.Crop.of(view()[1])


window.run(
    [
        (set_up, 0.0),
        (window.choose_tab, 0.0),
        (note("start"), 0.0),
        (picture("bring_panel"), 0.0),
        (press_button("'ARMATURE'"), 1.5),
        (picture("bring_dialog"), 0.0),
        (off_the_field, 0.5),
        (lambda: key("Return"), DONE),
        (at(40), 0.5),
        (note("brought"), 0.0),
        (picture("bring_armature"), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
        (press_button("'FILES'"), 0.0),
        (until(lambda: spaces() > 0), 1.0),
        (browser_shown, 0.2),
        (picture("bring_browser"), 0.0),
        (leave_browser, 0.0),
        (until(lambda: spaces() == 0), 0.5),
        (note("left"), 0.0),
        (from_files, DONE),
        (note("files"), 0.0),
        (onto_rigify, DONE),
        (at(40), 0.5),
        (picture("bring_rigify"), 0.0),
    ]
)
