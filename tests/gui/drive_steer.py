# SPDX-License-Identifier: GPL-3.0-or-later
"""Steer in a real window: keys, the mouse on the ground, a pause, the end, and undo."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(1, str(Path(__file__).resolve().parents[2]))

import bpy
import numpy as np
import window
from window import Crop, ask, context, facts, picture, press_button, undo, view


def set_up() -> None:
    window.register_open("GENMM_PT_live")
    window.only_sample()
    rig = bpy.data.objects["GenMM Sample"]
    rig.animation_data.action = bpy.data.actions["GenMM Walk"]
    with context():
        bpy.ops.genmm.add_example(action="GenMM Walk")
        bpy.ops.genmm.add_example(action="GenMM Walk Tired")
        bpy.ops.genmm.add_example(action="GenMM Dance")
    data = view()[0].spaces.active.region_3d
    data.view_distance = 9.0
    bpy.ops.ed.undo_push(message="Set up")
    facts["objects_before"] = len(bpy.data.objects)


def middle() -> tuple[int, int]:
    area = view()[0]
    return area.x + area.width // 2 - 150, bpy.context.window_manager.windows[0].height - area.y - area.height // 2


def over_view() -> None:
    x, y = middle()
    ask("xdotool", "mousemove", str(x), str(y))


def key(*command: str) -> Callable[[], None]:
    return lambda: ask("xdotool", *command)


def click_ground() -> None:
    x, y = middle()
    ask("xdotool", "mousemove", str(x - 180), str(y + 120), "sleep", "0.2", "click", "1")


def note(name: str) -> Callable[[], None]:
    def noted() -> None:
        rig = bpy.data.objects["GenMM Sample"]
        proxy: bpy.types.Object | None = bpy.data.objects.get("GenMM Sample Live")
        hips = None if proxy is None else [float(value) for value in np.array(proxy.pose.bones[0].head)]
        facts[name] = {
            "proxy": hips,
            "action": rig.animation_data.action.name,
            "frames": [float(value) for value in np.array(rig.animation_data.action.frame_range)],
            "objects": len(bpy.data.objects),
        }

    return noted


def shot(name: str) -> Callable[[], None]:
    return picture(name, lambda: Crop.of(view()[0]))


window.run(
    [
        (set_up, 0.5),
        (window.open_sidebar, 1.2),
        (window.choose_tab, 1.0),
        (picture("steer_panel"), 0.7),
        (press_button("steer()"), 1.5),
        (over_view, 0.5),
        (note("begun"), 0.1),
        (shot("steer_1"), 0.3),
        (key("keydown", "w"), 1.5),
        (shot("steer_2"), 0.8),
        (key("keyup", "w"), 0.1),
        (note("ahead"), 0.1),
        (key("keydown", "d"), 1.2),
        (shot("steer_3"), 0.8),
        (key("keyup", "d"), 0.2),
        (key("key", "2"), 0.2),
        (click_ground, 2.5),
        (picture("steer_4"), 0.5),
        (key("key", "space"), 0.6),
        (note("paused"), 0.6),
        (note("paused_later"), 0.1),
        (key("key", "Escape"), 1.5),
        (note("ended"), 0.1),
        (undo, 1.5),
        (note("undone"), 0.1),
        (press_button("steer()"), 1.2),
        (over_view, 0.5),
        (key("keydown", "w"), 0.8),
        (key("keyup", "w"), 0.2),
        (key("key", "shift+Escape"), 1.2),
        (note("discarded"), 0.1),
    ]
)
