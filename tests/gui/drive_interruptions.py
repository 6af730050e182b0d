# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to a run beside the window when the user changes the example, the mode or the file under it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(1, str(Path(__file__).resolve().parents[2]))

import bpy
import window
from window import context, facts

import genmm_addon
from genmm_addon.animation.actions import fcurves_of
from genmm_addon.generation.generation import running
from genmm_addon.interface import operator_generate

VERY_LONG = 500_000


def set_up() -> None:
    """A character whose runs are all beside the window."""
    genmm_addon.register()
    operator_generate.LONGEST_WAIT = 0.0
    add_character()


def add_character() -> None:
    with context():
        bpy.ops.genmm.add_sample_character()
    bpy.context.object.genmm.frames = 60


def start() -> None:
    with context():
        bpy.ops.genmm.generate_motion("INVOKE_DEFAULT")
    facts["started"] = running() is not None


def start_and_change_the_example() -> None:
    start()
    curve = fcurves_of(bpy.context.object.animation_data.action)[0]
    curve.keyframe_points[3].co.y += 1.0
    curve.update()


def start_and_delete_the_example() -> None:
    start()
    bpy.data.actions.remove(bpy.context.object.animation_data.action)


def start_and_enter_edit_mode() -> None:
    bpy.context.object.animation_data.action = bpy.data.actions["GenMM Wave"]
    if bpy.context.object.animation_data.action_slot is None:
        raise LookupError("The slot was not picked up.")
    start()
    with context():
        bpy.ops.object.mode_set(mode="EDIT")


def leave_edit_mode() -> None:
    with context():
        bpy.ops.object.mode_set(mode="OBJECT")


def start_long() -> None:
    bpy.context.object.genmm.frames = VERY_LONG
    start()


def load_another_file() -> None:
    facts["running_before_loading"] = running() is not None
    bpy.ops.wm.read_homefile(use_empty=False, app_template="")


def note(name: str) -> None:
    results = [thing.name for thing in bpy.data.objects if thing.type == "ARMATURE" and "genmm_recipe" in thing]
    facts[name] = {"results": len(results), "running": running() is not None}


window.run(
    [
        (set_up, 0.5),
        (start_and_change_the_example, 1.5),
        (lambda: note("changed"), 0.1),
        (start_and_delete_the_example, 1.5),
        (lambda: note("deleted"), 0.1),
        (start_and_enter_edit_mode, 1.5),
        (lambda: note("editing"), 0.1),
        (window.picture("waiting_for_mode"), 0.7),
        (leave_edit_mode, 1.5),
        (lambda: note("left"), 0.1),
        (start_long, 0.5),
        (load_another_file, 1.0),
        (lambda: note("loaded"), 0.1),
        (add_character, 0.5),
        (start_long, 0.5),
        (lambda: note("quitting"), 0.1),
    ]
)
