# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits on a layer with a real mouse: chosen in the dope sheet's sidebar, filled, muted, undone and removed."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))
sys.path.insert(2, str(Path(__file__).resolve().parent))

import bpy
import window
from shot import body, choose_tab, in_dope_sheet, open_dope_sheet, set_up, undo
from sidebar import press_button
from window import DONE, facts, picture

from genmm_addon.animation.layers.edit_layer import layer_of
from genmm_addon.editing.filling.record import record_of


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
        (set_up, 0.0),
        (open_dope_sheet, 0.0),
        (on_layer, 0.5),
        (choose_tab, 0.0),
        (note("start"), 0.0),
        (picture("layer_chosen"), 0.0),
        (press_button("fill_range"), DONE),
        (note("filled"), 0.0),
        (picture("layer_filled"), 0.0),
        (press_button("next_filling"), DONE),
        (note("next"), 0.0),
        (undo, 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
        (press_button("fill_range"), DONE),
        (mute, 0.7),
        (note("muted"), 0.0),
        (picture("layer_muted"), 0.0),
        (remove, 1.0),
        (note("removed"), 0.0),
    ]
)
