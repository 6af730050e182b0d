# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Similar with a real mouse: the list, the drawn place, and actions made by the button and by Enter."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import sidebar
import window
from sidebar import press_button
from window import DONE, OUTPUT, Crop, context, facts, key, picture, undo, view

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core.library import Clip, library_of, save_library
from genmm_addon.interface.generate.panels import GENMM_PT_generate
from genmm_addon.state.exploring_properties import exploring

STYLES = {"GenMM Walk": "neutral", "GenMM Walk Tired": "tired", "GenMM Walk Proud": "proud"}


def set_up() -> None:
    GENMM_PT_generate.bl_options = {"DEFAULT_CLOSED"}
    window.register_open("GENMM_PT_library", "GENMM_PT_find_similar")
    scene = bpy.context.scene
    scene.render.fps = 30
    window.only_sample()
    walks = {name: motion for name, motion in sample_motions(30.0).items() if name in STYLES}
    clips = [Clip(f"walk_{STYLES[name]}", "", 0, 0, {"action": "walk", "style": STYLES[name]}) for name in walks]
    save_library(OUTPUT / "walks.npz", library_of(list(walks.values()), clips))
    body = bpy.data.objects["GenMM Sample"]
    body.animation_data.action = bpy.data.actions["GenMM Walk Tired"]
    with context():
        bpy.ops.genmm.add_library(filepath=str(OUTPUT / "walks.npz"))
    body.genmm.learn_from = "ACTIONS"
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 20, 60
    scene.frame_set(30)
    with context():
        bpy.ops.ed.undo_push(message="Start")
    space = view()[0].spaces.active
    space.region_3d.view_distance, space.region_3d.view_location = 5.0, (0.0, -0.5, 0.2)


def note_found() -> None:
    kept = exploring(bpy.context)
    facts["found"] = [(row.name, row.first, round(row.distance, 3)) for row in kept.places]
    facts["range"] = (kept.first, kept.last, kept.chosen_by)
    facts["actions_before"] = len(bpy.data.actions)
    other = next(number for number, row in enumerate(kept.places) if row.name != "walk_tired")
    kept.active_place = other
    facts["chosen"] = kept.places[other].name
    for area in bpy.context.window.screen.areas:
        area.tag_redraw()


def note_made() -> None:
    body = bpy.data.objects["GenMM Sample"]
    action = body.animation_data.action
    facts["made"] = (action.name, action.frame_range[0], len(bpy.data.actions))


def note_undone() -> None:
    body = bpy.data.objects["GenMM Sample"]
    facts["undone"] = (body.animation_data.action.name, len(bpy.data.actions))


def go_to_view() -> None:
    window.move_mouse(500, 500)


def search_from_window() -> None:
    with context():
        bpy.ops.genmm.find_similar("INVOKE_DEFAULT", count=4)


def enter() -> None:
    key("Return")


def note_entered() -> None:
    facts["entered"] = bpy.data.objects["GenMM Sample"].animation_data.action.name
    facts["listed"] = len(exploring(bpy.context).places)


def place_and_list() -> Crop:
    whole = Crop.of(view()[0])
    return Crop(whole.left + 0.3 * whole.width, whole.top + 50, 0.7 * whole.width, 600)


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (press_button("find_similar("), DONE),
        (go_to_view, 0.5),
        (note_found, 0.0),
        (sidebar.scroll_up, 0.0),
        (picture("similar", place_and_list), 0.0),
        (press_button("use_found_place()"), DONE),
        (note_made, 0.0),
        (picture("similar_made"), 0.0),
        (undo, 0.0),
        (note_undone, 0.0),
        (go_to_view, 0.5),
        (search_from_window, 1.5),
        (picture("similar_window"), 0.0),
        (enter, 1.5),
        (note_entered, 0.0),
    ]
)
