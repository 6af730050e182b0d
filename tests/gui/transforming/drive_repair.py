# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Flaws and Repair with a real mouse: the list, its marks in the timeline, and undo."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import numpy as np
import sidebar
import window
from sidebar import press_button
from window import DONE, choose_tab, context, facts, open_sidebar, picture, push_start, undo

from genmm_addon.animation import actions

SPIKE = (40, 41)
CURVE = ('pose.bones["Shin.L"].rotation_quaternion', 1)


def curve_of_shin() -> bpy.types.FCurve:
    action = bpy.data.actions["GenMM Walk"]
    curves = actions.fcurves_of(action, actions.armature_slots(action)[0])
    return next(curve for curve in curves if (curve.data_path, curve.array_index) == CURVE)


def set_up() -> None:
    window.register_open("GENMM_PT_repair")
    window.only_sample()
    bpy.context.scene.render.fps = 30
    actions.assign(bpy.data.objects["GenMM Sample"], bpy.data.actions["GenMM Walk"])
    curve, random = curve_of_shin(), np.random.default_rng(1)
    for frame in (*SPIKE, *range(90, 130)):
        by = 0.4 if frame in SPIKE else float(random.normal(0.0, 0.08))
        curve.keyframe_points.insert(frame, curve.evaluate(frame) + by).interpolation = "LINEAR"
    curve.update()


def note(name: str) -> Callable[[], None]:
    def note_it() -> None:
        curve, listed = curve_of_shin(), bpy.context.scene.genmm.repair
        facts[name] = {
            "flaws": [[flaw.kind, flaw.first, flaw.last, flaw.bones] for flaw in listed.flaws],
            "spike": curve.evaluate(SPIKE[0]),
            "outside": curve.evaluate(20),
        }

    return note_it


def closer_view() -> None:
    with context():
        bpy.ops.view3d.view_selected()


window.run(
    [
        (set_up, 0.0),
        (open_sidebar, 0.0),
        (choose_tab, 0.0),
        (push_start, 0.0),
        (note("start"), 0.0),
        (press_button("ops.genmm.find_flaws"), DONE),
        (note("found"), 0.0),
        (sidebar.scroll_down, 0.0),
        (closer_view, 0.0),
        (picture("repair"), 0.0),
        (press_button("ops.genmm.repair"), DONE),
        (note("repaired"), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
    ]
)
