# SPDX-License-Identifier: GPL-3.0-or-later
"""Live in a real window with two scenes and with pins, and its times from a change to the motion on the screen.

GENMM_LIVE_CHARACTER names a BVH file to use in place of the sample character.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import numpy as np
import window
from sidebar import press_button
from window import ask, context, facts, until, view

from genmm_addon.interface.live import preview_drawing, running
from genmm_addon.interface.live import session as live_session

CHARACTER = os.environ.get("GENMM_LIVE_CHARACTER", "")
CHANGES = 12
costs: dict[str, list[float]] = {"look": [], "compute": [], "draw": [], "clock": []}
"""Times in milliseconds: of the thread for reading the panel, for computing a motion and for drawing its lines, and
elapsed from a change to the lines.
"""
changed_at: list[float] = []


def timed(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
    def measured(*arguments: Any) -> Any:
        begun = time.thread_time()
        found = work(*arguments)
        costs[name].append(1000 * (time.thread_time() - begun))
        return found

    return measured


def watch() -> None:
    compute, lines = live_session.compute, preview_drawing.draw_lines
    look = running.look

    def drawn(*arguments: Any) -> None:
        timed("draw", lines)(*arguments)
        if changed_at:
            costs["clock"].append(1000 * (time.perf_counter() - changed_at.pop()))

    def made(reading: Any, request: Any, *rest: Any) -> Any:
        facts["made_with_pins"] = request.pins is not None
        return timed("compute", compute)(reading, request, *rest)

    live_session.compute = made  # type: ignore[assignment]
    preview_drawing.draw_lines = drawn  # type: ignore[assignment]
    running.look = timed("look", look)


def character() -> Any:
    return bpy.data.objects["Dragged"]


def set_up() -> None:
    watch()
    window.register_open("GENMM_PT_method", "GENMM_PT_live")
    window.only_sample()
    rig = bpy.data.objects["GenMM Sample"]
    if CHARACTER:
        bpy.data.objects.remove(rig)
        with context():
            bpy.ops.import_anim.bvh(filepath=CHARACTER)
        rig = bpy.context.view_layer.objects.active
    else:
        rig.animation_data.action = bpy.data.actions["GenMM Walk"]
    rig.name = "Dragged"
    rig.genmm.frames = 250
    rig.genmm.new_seed = False
    rig.genmm.output = "NEW_ACTION"
    bpy.data.scenes.new("Other")
    facts["bones"] = len(rig.pose.bones)
    facts["example_frames"] = float(np.ptp(np.array(rig.animation_data.action.frame_range)))
    bpy.ops.ed.undo_push(message="Set up")


def change() -> None:
    character().genmm.seed += 1
    changed_at[:] = [time.perf_counter()]


def is_shown() -> bool:
    live = running.session()
    if live is None or live.shown is None or live.busy:
        return False
    return bool(live.shown.asked.request.seeds[0] == character().genmm.seed)


def waits_for_scene() -> bool:
    live = running.session()
    return live is not None and "Go back to the scene" in live.waits_for


def is_kept() -> bool:
    live = running.session()
    return live is not None and not live.pending


def to_scene(name: str) -> Callable[[], None]:
    def go() -> None:
        bpy.context.window_manager.windows[0].scene = bpy.data.scenes[name]

    return go


def note(name: str) -> Callable[[], None]:
    def noted() -> None:
        live = running.session()
        facts[name] = {
            "is_on": live is not None,
            "shown": live is not None and live.shown is not None,
            "said": running.ended_because() if live is None else live.problem or live.waits_for,
            "action": character().animation_data.action.name,
            "actions": len(bpy.data.actions),
        }

    return noted


def note_costs() -> None:
    for name, found in costs.items():
        facts[f"{name}_costs"] = [float(np.mean(found)), float(np.max(found)), len(found)] if found else []
    costs["look"].clear()


def is_made_with_pins() -> bool:
    return facts.get("made_with_pins", False) is True


def pin() -> None:
    bpy.context.scene.frame_set(20)
    with context():
        bpy.ops.genmm.pin_pose("EXEC_DEFAULT", True)
        bpy.context.scene.frame_set(60)
        bpy.ops.genmm.pin_pose("EXEC_DEFAULT", True)


def over_view() -> None:
    area = view()[0]
    window.move_mouse(*window.point_in_window(area, area.width // 2 - 100, area.height // 2))


def nudge() -> None:
    ask("xdotool", "mousemove_relative", "--", "9", "5")


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (press_button("genmm.live"), 1.0),
        (note("on"), 0.0),
        *((step, wait) for _ in range(CHANGES) for step, wait in ((change, 0.05), (until(is_shown), 0.3))),
        (note_costs, 0.0),
        (note("changed"), 0.0),
        (to_scene("Other"), 0.6),
        (over_view, 0.4),
        (nudge, 0.0),
        (until(waits_for_scene), 0.0),
        (note("elsewhere"), 0.0),
        (to_scene("Scene"), 0.6),
        (nudge, 0.6),
        (nudge, 0.6),
        (until(is_kept), 0.5),
        (note("kept"), 0.0),
        (pin, 0.5),
        (until(is_made_with_pins), 0.5),
        (nudge, 0.6),
        (nudge, 0.6),
        (until(is_kept), 0.5),
        (note("pinned_kept"), 0.0),
    ]
)
