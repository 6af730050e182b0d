# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet and ribbon in a real window: feet found and chosen, a result, and the source of one of its frames opened."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from sidebar import press_button
from window import DONE, Crop, animation_workspace, context, facts, picture, undo

import genmm_addon
from genmm_addon.generation.sources import played_result
from genmm_addon.interface.ribbon import drawing as ribbon_drawing
from genmm_addon.state import registration
from genmm_addon.state.bone_lists import feet_of

FRAME = 120


def set_up() -> None:
    window.register_open("GENMM_PT_repair", "GENMM_PT_feet")
    window.only_sample()
    settings = bpy.context.object.genmm
    settings.frames, settings.seed, settings.new_seed = 240, 5, False
    bpy.ops.genmm.add_example(action="GenMM Walk")
    bpy.ops.genmm.add_example(action="GenMM Dance")


def note_feet() -> None:
    settings = bpy.data.objects["GenMM Sample"].genmm
    facts["feet"] = {"found": feet_of(settings.found_feet), "chosen": feet_of(settings.feet)}


def choose_feet() -> None:
    settings = bpy.data.objects["GenMM Sample"].genmm
    settings.feet_choice = "CHOSEN"
    bpy.ops.genmm.find_feet()


def find_feet() -> None:
    with context():
        bpy.ops.genmm.find_feet()


def toggle_ribbon() -> None:
    properties = bpy.context.scene.genmm
    properties.show_ribbon = not properties.show_ribbon
    for area in bpy.context.window_manager.windows[0].screen.areas:
        area.tag_redraw()


def weigh_a_bone() -> None:
    bpy.ops.genmm.add_row(rows="joint_weights")
    bpy.context.object.genmm.joint_weights[0].name = "Hand.L"


def generate() -> None:
    with context():
        bpy.ops.genmm.generate_motion("EXEC_DEFAULT", True)
        result = next(thing for thing in bpy.context.scene.objects if thing.get("genmm_recipe"))
        bpy.ops.object.select_all(action="DESELECT")
        result.select_set(True)
        bpy.context.view_layer.objects.active = result
        bpy.context.scene.frame_set(FRAME)
        bpy.ops.ed.undo_push(message="Select")


def note_rows() -> None:
    """Note the feet and weights that the operator took from the panel."""
    last = bpy.context.window_manager.operators[-1]
    facts["rows"] = [[row.name for row in rows] for rows in (last.properties.feet, last.properties.joint_weights)]


def note_source() -> None:
    active, scene = bpy.context.view_layer.objects.active, bpy.context.scene
    facts["source"] = {"active": active.name, "frame": scene.frame_current, "action": active.animation_data.action.name}


def note_wanted() -> None:
    played = played_result(bpy.context.view_layer.objects.active)
    example, frame = played.sources.of_frame(FRAME)
    facts["wanted"] = {"action": played.sources.examples[example].name, "frame": int(frame)}


def by_limbs() -> None:
    with context():
        bpy.ops.genmm.generate_motion("EXEC_DEFAULT", True, parts="LIMBS", frames=400)
        rig = max(
            (thing for thing in bpy.context.scene.objects if thing.get("genmm_recipe")), key=lambda thing: thing.name
        )
        bpy.context.view_layer.objects.active = rig


def layout_workspace() -> None:
    bpy.context.window_manager.windows[0].workspace = bpy.data.workspaces["Layout"]


def timeline() -> Crop:
    areas = bpy.context.window_manager.windows[0].screen.areas
    area = next(area for area in areas if area.type == "DOPESHEET_EDITOR")
    return Crop.of(window.content(area))


def note_handlers(when: str) -> Callable[[], None]:
    def note() -> None:
        facts.setdefault("handlers", {})[when] = len(registration.added.get(ribbon_drawing.draw_ribbon, []))

    return note


def note_back() -> None:
    facts["back"] = {"active": bpy.context.view_layer.objects.active.name}


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (find_feet, 1.0),
        (note_feet, 0.0),
        (picture("feet_found"), 0.0),
        (choose_feet, 0.7),
        (weigh_a_bone, 0.7),
        (picture("feet_chosen"), 0.0),
        (generate, DONE),
        (note_rows, 0.0),
        (picture("ribbon_flat"), 0.0),
        (note_wanted, 0.0),
        (press_button("go_to_source"), DONE),
        (note_source, 0.0),
        (picture("ribbon_source"), 0.0),
        (undo, 0.0),
        (note_back, 0.0),
        (picture("ribbon_shown", timeline), 0.0),
        (toggle_ribbon, 1.0),
        (picture("ribbon_hidden", timeline), 0.0),
        (toggle_ribbon, 1.0),
        (picture("ribbon_shown_again", timeline), 0.0),
        (note_handlers("enabled"), 0.0),
        (animation_workspace, 0.0),
        (picture("ribbon_animation"), 0.0),
        (by_limbs, 1.5),
        (picture("ribbon_limbs"), 0.0),
        (layout_workspace, 0.0),
        (genmm_addon.unregister, 0.0),
        (note_handlers("disabled"), 0.0),
        (picture("ribbon_disabled", timeline), 0.0),
    ]
)
