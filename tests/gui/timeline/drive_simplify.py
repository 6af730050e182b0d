# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of the sample's walk simplified by their name in the Dope Sheet, and undone."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import numpy as np
import window
from window import DONE, Crop, animation_workspace, dope_sheet, facts, picture, take_entry, undo

from genmm_addon.animation.actions import assign, assigned, fcurves_of
from genmm_addon.animation.keys.footing import largest_miss, motion_shown
from genmm_addon.core import Motion
from genmm_addon.core.feet import contact_changes, find_feet

before: list[Motion] = []


def set_up() -> None:
    window.register_open()
    window.only_sample()
    assign(bpy.context.object, bpy.data.actions["GenMM Walk"])
    before.append(shown())
    with window.context():
        bpy.ops.ed.undo_push(message="Start")


def shown() -> Motion:
    """Return the motion that the sample plays."""
    rig = bpy.data.objects["GenMM Sample"]
    playing = assigned(rig)
    assert playing is not None
    return motion_shown(rig, *playing, np.arange(1.0, bpy.data.actions["GenMM Walk"].frame_range[1] + 1.0))


def note(when: str) -> Callable[[], None]:
    def noted() -> None:
        playing = assigned(bpy.data.objects["GenMM Sample"])
        assert playing is not None
        frames = {round(point.co.x) for curve in fcurves_of(*playing) for point in curve.keyframe_points}
        feet = [foot.joint for foot in find_feet(before)]
        changes = (np.flatnonzero(contact_changes(before[0])) + 1).tolist()
        facts[when] = {
            "keyed": len(frames),
            "contacts": len(changes),
            "unkeyed contacts": len(set(changes) - frames),
            "miss": largest_miss(before[0], shown(), feet),
        }

    return noted


window.run(
    [
        (set_up, 0.0),
        (animation_workspace, 0.0),
        (note("start"), 0.0),
        (window.search_for("Simplify Keys"), 1.0),
        (take_entry, DONE),
        (note("simplified"), 0.0),
        (picture("simplify_keys", lambda: Crop.of(dope_sheet()[1])), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
    ]
)
