# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits on a layer with a real mouse: chosen in the dope sheet's sidebar, filled, muted, undone and removed."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from window import facts, picture, press_button

from genmm_addon.animation import actions
from genmm_addon.animation.layers.edit_layer import layer_of
from genmm_addon.editing.filling.record import record_of

FIRST, LAST = 41, 71


def dope_sheet_sidebar() -> tuple[Any, Any]:
    """Return the dope sheet and its sidebar."""
    for area in bpy.context.window_manager.windows[0].screen.areas:
        if area.type == "DOPESHEET_EDITOR" and area.spaces.active.mode == "DOPESHEET":
            return area, next(region for region in area.regions if region.type == "UI")
    raise LookupError("There is no dope sheet.")


def body() -> Any:
    return bpy.data.objects["GenMM Sample"]


def set_up() -> None:
    scene = bpy.context.scene
    scene.render.fps = 30
    window.register_open()
    window.only_sample()
    own = bpy.data.actions["GenMM Walk"].copy()
    own.name = "Shot"
    actions.assign(body(), own)
    with window.context():
        for name in ("GenMM Walk Tired", "GenMM Walk Proud", "GenMM Dance"):
            bpy.ops.genmm.add_example(action=name)
    body().genmm.examples.remove(0)
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, FIRST, LAST
    scene.frame_set(56)
    bpy.context.window_manager.windows[0].workspace = bpy.data.workspaces["Animation"]


def open_dope_sheet() -> None:
    area, _ = dope_sheet_sidebar()
    area.spaces.active.show_region_ui = True


def choose_tab() -> None:
    dope_sheet_sidebar()[1].active_panel_category = "GenMM"
    with window.context():
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.pose.select_all(action="SELECT")
    window.view = dope_sheet_sidebar
    with in_dope_sheet():
        bpy.ops.action.view_all()
        bpy.ops.ed.undo_push(message="Start")


def in_dope_sheet() -> Any:
    area, _ = dope_sheet_sidebar()
    region = next(region for region in area.regions if region.type == "WINDOW")
    return bpy.context.temp_override(window=bpy.context.window_manager.windows[0], area=area, region=region)


def undo() -> None:
    with in_dope_sheet():
        bpy.ops.ed.undo()


def note(name: str) -> Callable[[], None]:
    def note_it() -> None:
        layer = layer_of(body())
        record = None if layer is None else record_of(layer.total)
        hand = body().evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["Hand.R"]
        facts[name] = {
            "action": "" if body().animation_data.action is None else body().animation_data.action.name,
            "strips": [track.strips[0].name for track in body().animation_data.nla_tracks],
            "number": None if record is None else record.number,
            "hand": [round(value, 4) for value in hand.head],
        }

    return note_it


def on_layer() -> None:
    bpy.context.scene.genmm.filling.edits = "LAYER"


def mute() -> None:
    layer = layer_of(body())
    assert layer is not None
    layer.track.mute = True
    bpy.context.view_layer.update()


def remove() -> None:
    with in_dope_sheet():
        bpy.ops.genmm.remove_layer()


window.run(
    [
        (set_up, 2.0),
        (open_dope_sheet, 1.0),
        (on_layer, 0.5),
        (choose_tab, 1.5),
        (note("start"), 0.3),
        (picture("layer_chosen"), 0.7),
        (press_button("fill_range"), 3.0),
        (note("filled"), 0.3),
        (picture("layer_filled"), 0.7),
        (press_button("next_filling"), 3.0),
        (note("next"), 0.3),
        (undo, 1.0),
        (undo, 1.0),
        (note("undone"), 0.3),
        (press_button("fill_range"), 3.0),
        (mute, 0.7),
        (note("muted"), 0.3),
        (picture("layer_muted"), 0.7),
        (remove, 1.0),
        (note("removed"), 0.3),
    ]
)
