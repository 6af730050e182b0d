# SPDX-License-Identifier: GPL-3.0-or-later
"""A locomotion set of the sample's walk, found by its name over the dope sheet, and undone."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from window import DONE, animation_workspace, facts, picture, undo

from genmm_addon.animation.actions import assign


def set_up() -> None:
    window.register_open()
    window.only_sample()
    assign(bpy.context.object, bpy.data.actions["GenMM Walk"])
    with window.context():
        bpy.ops.ed.undo_push(message="Start")


def note(when: str) -> Callable[[], None]:
    def noted() -> None:
        rig = bpy.data.objects["GenMM Sample"]
        facts[when] = {
            "assets": sorted(action.name for action in bpy.data.actions if action.asset_data is not None),
            "plays": rig.animation_data.action.name,
            "root": "root" in rig.data.bones,
        }

    return noted


window.run(
    [
        (set_up, 0.0),
        (animation_workspace, 0.0),
        (note("start"), 0.0),
        (window.search_for("Locomotion Set"), 1.0),
        (window.take_entry, DONE),
        (note("made"), 0.0),
        (picture("locomotion_set"), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
    ]
)
