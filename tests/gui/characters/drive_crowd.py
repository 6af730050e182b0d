# SPDX-License-Identifier: GPL-3.0-or-later
"""A crowd made from the panel with a real mouse, and undone with a key; with pictures of panel and viewport."""

import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from held_work import hold_work, let_go
from mathutils import Euler
from sidebar import press_button
from window import Crop, context, facts, key, picture, until, view

from genmm_addon.generation.generation import running
from genmm_addon.generation.job import INSTANT_SECONDS
from genmm_addon.interface.common import running_beside
from genmm_addon.interface.common.blender_bases import Outcome
from genmm_addon.interface.common.running_beside import RunningBeside


def set_up() -> None:
    window.register_open("GENMM_PT_crowd")
    window.only_sample()
    character = bpy.data.objects["GenMM Sample"]
    settings = character.genmm
    settings.frames, settings.seed, settings.new_seed = 120, 3, False
    character.animation_data.action = bpy.data.actions["GenMM Dance"]
    bpy.context.scene.genmm.crowd.agents = 100
    space = view()[0].spaces.active
    space.region_3d.view_rotation = Euler((1.2, 0.0, 0.5)).to_quaternion()
    space.region_3d.view_location, space.region_3d.view_distance = (0.5, 4.5, 0.6), 17.0
    space.overlay.show_bones = space.overlay.show_outline_selected = space.overlay.show_text = False
    space.overlay.show_extras = space.overlay.show_object_origins = space.overlay.show_cursor = False
    space.overlay.show_relationship_lines = False
    with context():
        bpy.ops.ed.undo_push(message="Set up")


def note(name: str) -> Callable[[], None]:
    def noted() -> None:
        facts[name] = len([thing for thing in bpy.data.objects if " Agent " in thing.name and thing.type == "ARMATURE"])
        facts[f"{name}_actions"] = len(bpy.data.actions)

    return noted


def at_frame() -> None:
    bpy.context.scene.frame_set(30)


def undo() -> None:
    key("ctrl+z")


def viewport() -> Crop:
    whole = Crop.of(view()[0])
    return Crop(whole.left + 100, whole.top + 40, whole.width - 100, 700)


def agents_there() -> int:
    return len([thing for thing in bpy.data.objects if " Agent " in thing.name])


def nothing_runs() -> bool:
    return running() is None


def note_state(name: str) -> Callable[[], None]:
    """Return a step that notes the names of all data in the file, and whether a run is under way."""

    def noted() -> None:
        blocks = sorted(block.name_full for block in bpy.data.user_map())
        facts[name] = {"blocks": blocks, "running": running() is not None}

    return noted


def is_computing() -> bool:
    generation = running()
    return generation is not None and generation.fraction > 0.1


def is_writing() -> bool:
    """Return whether a part of the crowd exists and more will follow."""
    generation = running()
    return generation is not None and (generation.written or 0.0) > 0.02


def note_progress() -> None:
    generation = running()
    facts["progress"] = None if generation is None else generation.fraction
    facts["others"] = [bpy.ops.genmm.make_crowd.poll(), bpy.ops.genmm.generate_motion.poll()]


def press_escape() -> None:
    # Blender sends keys to the region under the mouse.
    window.move_mouse(600, 500)
    key("Escape")


def press_delete() -> None:
    window.move_mouse(600, 500)
    key("Delete")


def write_slowly() -> None:
    """Limit writing to one step between redraws."""
    running_beside.INSTANT_SECONDS = 0.0


def write_as_always() -> None:
    running_beside.INSTANT_SECONDS = INSTANT_SECONDS


def measure_ticks() -> None:
    """From now on, note the longest time between two checks of the run."""
    ticks: list[float] = []
    modal = RunningBeside.modal

    def timed(self: Any, context: Any, event: Any) -> Outcome:
        if event.type == "TIMER":
            ticks.append(time.perf_counter())
            facts["longest_tick"] = max((later - before for before, later in pairwise(ticks)), default=0.0)
        return modal(self, context, event)

    RunningBeside.modal = timed  # type: ignore[method-assign]  # the very method that a press runs


def make() -> None:
    """Call the button's operator, sooner than the mouse finds the button."""
    with context():
        bpy.ops.genmm.make_crowd("INVOKE_DEFAULT")


def stop() -> None:
    """Call the operator of the cross beside the progress."""
    with context():
        bpy.ops.genmm.stop_generation()


def load_another_file() -> None:
    note_state("before_loading")()
    bpy.ops.wm.read_homefile(use_empty=False, app_template="")


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (picture("crowd_panel"), 0.0),
        (note("before"), 0.0),
        (note_state("at_first"), 0.0),
        (hold_work(is_computing), 0.0),
        (press_button("make_crowd"), 0.0),
        (until(is_computing), 0.0),
        (note_progress, 0.0),
        (picture("crowd_progress"), 0.0),
        (press_escape, 0.0),
        (until(nothing_runs), 0.5),
        (note_state("stopped"), 0.0),
        (let_go, 0.0),
        (write_slowly, 0.0),
        (make, 0.0),
        (until(is_writing), 0.0),
        (picture("crowd_writing"), 0.0),
        (press_delete, 0.5),
        (note_state("half"), 0.0),
        (press_escape, 0.0),
        (until(nothing_runs), 0.5),
        (note_state("stopped_half_way"), 0.0),
        (make, 0.0),
        (until(is_writing), 0.0),
        (stop, 0.0),
        (until(nothing_runs), 0.5),
        (note_state("stopped_by_button"), 0.0),
        (write_as_always, 0.0),
        (measure_ticks, 0.0),
        (make, 0.0),
        (until(lambda: agents_there() == 200), 0.0),
        (until(nothing_runs), 1.5),
        (note("made"), 0.0),
        (at_frame, 0.0),
        (picture("crowd", viewport), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
        (note_state("all_undone"), 0.0),
        (picture("crowd_undone"), 0.0),
        (write_slowly, 0.0),
        (make, 0.0),
        (until(is_writing), 0.0),
        (load_another_file, 1.0),
        (note("loaded"), 0.0),
        (note_state("loaded_state"), 0.0),
    ]
)
