# SPDX-License-Identifier: GPL-3.0-or-later
"""A jump that floats: its center of mass in the viewport, before and after Repair."""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import numpy as np
import window
from sidebar import press_button
from window import DONE, choose_tab, context, facts, open_sidebar, picture, push_start, undo, until

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import save_bvh
from genmm_addon.core.feet import move_root, standing_of
from genmm_addon.files.import_file import import_file
from genmm_addon.interface.repair import weight_drawing
from genmm_addon.interface.repair.weight_drawing import known
from genmm_addon.interface.timeline.stretch_operator import edited_action

TAKE_OFF, FLIGHT, FRAMES, RATE, GRAVITY = 40, 16, 100, 30.0, 5.0


def set_up() -> None:
    window.register_open("GENMM_PT_repair")
    walk = sample_motions(RATE)["GenMM Walk"]
    stands = walk.take(np.zeros(FRAMES, np.int64))
    time, whole = (np.arange(FRAMES) - TAKE_OFF) / RATE, FLIGHT / RATE
    heights = np.where((time > 0) & (time < whole), GRAVITY / 2 * time * (whole - time), 0.0)
    path = np.stack((0.03 * np.arange(FRAMES), np.zeros(FRAMES), heights), axis=1)
    inside = np.clip(np.arange(FRAMES), TAKE_OFF, TAKE_OFF + FLIGHT) - TAKE_OFF
    path[:, 0] = 0.06 * inside
    jump = move_root(stands, standing_of(walk).plan.joint, path)
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    bpy.context.scene.render.fps = round(RATE)
    with tempfile.TemporaryDirectory() as folder:
        save_bvh(Path(folder) / "jump.bvh", jump)
        armature = import_file(Path(folder) / "jump.bvh", bpy.context)[0].armature
    bpy.context.view_layer.objects.active = armature
    armature.select_set(True)
    bpy.context.scene.frame_set(TAKE_OFF - 2)
    bpy.context.scene.genmm.show_weight = True


def closer_view() -> None:
    with context():
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_selected()


def is_read() -> bool:
    """Tell whether the weight was read since the last change of the keys."""
    with context():
        character, action, slot = edited_action(bpy.context)
    read_for = known.get(character.name_full, (None, None))[0]
    return read_for == weight_drawing._mark(bpy.context.scene, action, slot)


def note(name: str) -> Callable[[], None]:
    def note_it() -> None:
        weights = [weight for _, weight in known.values() if weight is not None]
        facts[name] = {
            "flaws": [[flaw.kind, flaw.amount] for flaw in bpy.context.scene.genmm.repair.flaws],
            "away": [
                float(np.abs(arc - weight.center[TAKE_OFF : TAKE_OFF + len(arc)]).max())
                for weight in weights
                for arc in weight.arcs
            ],
        }

    return note_it


window.run(
    [
        (set_up, 0.0),
        (open_sidebar, 0.0),
        (choose_tab, 0.0),
        (push_start, 0.0),
        (closer_view, 0.0),
        (until(is_read), 0.0),
        (press_button("ops.genmm.find_flaws"), DONE),
        (note("found"), 0.0),
        (picture("weight"), 0.0),
        (press_button("ops.genmm.repair"), DONE),
        (until(is_read), 0.0),
        (note("repaired"), 0.0),
        (picture("weight_repaired"), 0.0),
        (undo, 0.0),
        (until(is_read), 0.0),
        (note("undone"), 0.0),
    ]
)
