# SPDX-License-Identifier: GPL-3.0-or-later
"""A newcomer's first minutes in a real window: sample character, Generate, adjust, undo, keep one, stop a long one."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from sidebar import press_button
from window import DONE, click, context, facts, key, picture, view

import genmm_addon
from genmm_addon.generation.generation import running

ADD_SAMPLE = "add_sample_character"
GENERATE = "generate_motion()"
SHOW_SECOND = "show_variation(number=2)"
KEEP_SECOND = "keep_variation(number=2)"
# The right end of the seed in Adjust Last Operation: pixels from its top, and the share of its width.
SEED_UP = (94, 0.95)
MIDDLE = (600, 500)


def empty_scene() -> None:
    genmm_addon.register()
    with context():
        bpy.ops.object.select_all(action="SELECT")
        bpy.ops.object.delete()
        bpy.ops.ed.undo_push(message="Empty")


def settings() -> object:
    return bpy.data.objects["GenMM Sample"].genmm


def set_up(**values: object) -> Callable[[], None]:
    def change() -> None:
        for name, value in values.items():
            setattr(settings(), name, value)
        with context():
            bpy.ops.ed.undo_push(message="Settings")

    return change


def note(name: str) -> Callable[[], None]:
    """Return a step that notes the file's content, and the results' poses in the middle of their motion."""

    def look() -> None:
        rigs = sorted(thing.name for thing in bpy.context.view_layer.objects if thing.type == "ARMATURE")
        bpy.context.scene.frame_set(60)
        bpy.context.view_layer.update()
        poses = [[round(x, 4) for x in _hip(bpy.data.objects[rig])] for rig in rigs]
        bpy.context.scene.frame_set(1)
        facts[name] = {
            "rigs": rigs,
            "poses": poses,
            "objects": len(bpy.data.objects),
            "actions": sorted(action.name for action in bpy.data.actions),
            "running": running() is not None,
            "can_generate": bpy.ops.genmm.generate_motion.poll(),
        }

    return look


def _hip(rig: bpy.types.Object) -> list[float]:
    return [value for row in rig.pose.bones[0].matrix for value in row]


def to_middle() -> None:
    """Move the mouse to a place from which keys reach the viewport."""
    window.move_mouse(*MIDDLE)


def play_frame() -> None:
    bpy.context.scene.frame_set(60)


def first_frame() -> None:
    bpy.context.scene.frame_set(1)


def closer_view() -> None:
    with context():
        bpy.ops.object.select_all(action="SELECT")
        bpy.ops.view3d.view_selected()
        bpy.ops.object.select_all(action="DESELECT")
        bpy.context.view_layer.objects.active.select_set(True)


FIRST = [
    (empty_scene, 0.0),
    (window.open_sidebar, 0.0),
    (window.choose_tab, 0.0),
    (picture("1_nothing_selected"), 0.0),
    (press_button(ADD_SAMPLE), DONE),
    (note("added"), 0.0),
    (picture("2_sample_character"), 0.0),
    (set_up(variations=3, frames=200, new_seed=False, seed=3), 0.0),
    (press_button(GENERATE), DONE),
    (note("generated"), 0.0),
    (play_frame, 0.5),
    (picture("3_generated"), 0.0),
    (first_frame, 0.5),
]
ADJUSTING = [
    (lambda: click(*window.adjust_point()), 1.0),
    (picture("adjust_open"), 0.0),
    (lambda: click(*window.adjust_point(*SEED_UP)), DONE),
    (note("adjusted"), 0.0),
    (picture("4_adjusted"), 0.0),
    (to_middle, 1.0),
    (lambda: key("ctrl+z"), DONE),
    (note("undone"), 0.0),
    (picture("5_undone"), 0.0),
    (lambda: key("ctrl+shift+z"), DONE),
    (note("redone"), 0.0),
    (press_button(SHOW_SECOND), DONE),
    (press_button(KEEP_SECOND, right=0.75), DONE),
    (note("kept"), 0.0),
    (picture("6_kept"), 0.0),
]


def select_sample() -> None:
    sample = bpy.data.objects["GenMM Sample"]
    with context():
        bpy.ops.object.select_all(action="DESELECT")
        bpy.context.view_layer.objects.active = sample
        sample.select_set(True)
        bpy.ops.ed.undo_push(message="Select")
    view()[1].tag_redraw()


LONG = [
    (select_sample, 0.5),
    (set_up(frames=300_000, variations=1), 0.0),
    (press_button(GENERATE), 1.0),
    (note("running"), 0.0),
    (picture("7_running"), 0.0),
    (to_middle, 0.3),
    (lambda: key("ctrl+z"), 0.5),
    (note("undo_swallowed"), 0.0),
    (lambda: key("Escape"), 1.0),
    (window.until(lambda: running() is None), 0.5),
    (note("stopped"), 0.0),
    (picture("8_stopped"), 0.0),
    (set_up(frames=120), 0.0),
    (window.watch_every_run, 0.1),
    (press_button(GENERATE), DONE),
    (note("beside"), 0.0),
    (to_middle, 0.3),
    (lambda: key("ctrl+z"), DONE),
    (note("beside_undone"), 0.0),
    (lambda: key("ctrl+shift+z"), DONE),
    (note("beside_redone"), 0.0),
    (genmm_addon.unregister, 0.0),
    (picture("9_disabled"), 0.0),
]

window.run(FIRST + ADJUSTING + LONG)
