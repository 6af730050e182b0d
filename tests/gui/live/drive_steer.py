# SPDX-License-Identifier: GPL-3.0-or-later
"""Steer in a real window: keys, the mouse on the ground, a pause, the end, and undo.

Then the character follows an object after a count-in, and a file is saved meanwhile and loaded again.
"""

import math
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
from window import DONE, Crop, ask, context, facts, picture, undo, until, view

from genmm_addon.animation.actions import fcurves_of
from genmm_addon.core import Wish
from genmm_addon.interface.steer import ending, operators
from genmm_addon.state.properties import scene_properties
from genmm_addon.steering.session import Session

SAVED = window.OUTPUT / "steered.blend"
NUMBER = window.OUTPUT / "other"
OTHER = f"""display -geometry 40x40+0+0 xc:gray & echo $! >{NUMBER}
xdotool search --sync --name ImageMagick windowfocus"""
"""Command that opens a small window of another program and gives it the keyboard."""
sessions: list[Session] = []
wishes: list[Wish] = []
"""The last wish that was followed."""
costs: dict[str, list[float]] = {"step": [], "pose": []}
"""Milliseconds of processor time for each step, and for each written pose."""


def watch() -> None:
    """Note each session that begins, and the times of its steps and poses."""
    step, pose, start = Session.step, operators.pose_proxy, Session.start_clock

    def timed_step(session: Session, wish: Wish) -> None:
        wishes[:] = [wish]
        begun = time.process_time()
        step(session, wish)
        costs["step"].append(1000 * (time.process_time() - begun))

    def timed_pose(*arguments: Any) -> None:
        begun = time.process_time()
        pose(*arguments)
        costs["pose"].append(1000 * (time.process_time() - begun))

    def seen_start(session: Session, now: float) -> None:
        if session not in sessions:
            sessions.append(session)
        start(session, now)

    Session.step = timed_step  # type: ignore[assignment, method-assign]
    Session.start_clock = seen_start  # type: ignore[assignment, method-assign]
    operators.pose_proxy = timed_pose  # type: ignore[assignment]


def note_costs() -> None:
    """Note the costs, and the time of a redraw alone."""
    for name, found in costs.items():
        facts[f"{name}_costs"] = [float(np.mean(found)), float(np.percentile(found, 99)), len(found)]
    begun = time.process_time()
    with context():
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=5)
    facts["redraw_costs"] = 200 * (time.process_time() - begun)


def set_up() -> None:
    watch()
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


def middle() -> tuple[float, float]:
    area = view()[0]
    return window.point_in_window(area, area.width // 2 - 150, area.height // 2)


def over_view() -> None:
    window.move_mouse(*middle())


def key(*command: str) -> Callable[[], None]:
    return lambda: ask("xdotool", *command)


def outside(command: str) -> Callable[[], None]:
    return lambda: ask("sh", "-c", command)


def click_ground() -> None:
    x, y = middle()
    window.move_mouse(x - 180, y + 120, "sleep", "0.2", "click", "1")


def note(name: str) -> Callable[[], None]:
    def noted() -> None:
        rig = bpy.data.objects["GenMM Sample"]
        proxy: bpy.types.Object | None = bpy.data.objects.get("GenMM Sample Live")
        facts[name] = {
            "proxy": None if proxy is None else hips(),
            "action": rig.animation_data.action.name,
            "frames": [float(value) for value in np.array(rig.animation_data.action.frame_range)],
            "objects": len(bpy.data.objects),
            "played": len(sessions[-1].frames) if sessions else 0,
            "style": sessions[-1].style if sessions else 0,
            "pace": sessions[-1].pace if sessions else 0,
            "goal": [float(value) for value in np.array(bpy.data.objects["Goal"].matrix_world.translation)]
            if "Goal" in bpy.data.objects
            else None,
        }

    return noted


def shot(name: str) -> Callable[[], None]:
    return picture(name, lambda: Crop.of(view()[0]))


def hips() -> list[float]:
    """Return the place of the steered character's hips."""
    return [float(value) for value in np.array(bpy.data.objects["GenMM Sample Live"].pose.bones[0].head)]


def has_begun() -> bool:
    return "GenMM Sample Live" in bpy.data.objects


def has_moved_from(name: str) -> Callable[[], bool]:
    """Return a condition: the character is well away from where it was noted."""
    return lambda: math.dist(hips(), facts[name]["proxy"]) > 0.15


def wished_speed() -> float:
    """Return the speed in the last wish."""
    return 0.0 if wishes[-1].velocity is None else float(np.linalg.norm(wishes[-1].velocity))


def note_wish(name: str) -> Callable[[], None]:
    def noted() -> None:
        facts[name] = wished_speed()

    return noted


def set_goal() -> None:
    """Add an empty that moves half a meter per second from frame 21 on, from the character's place."""
    goal = bpy.data.objects.new("Goal", None)
    bpy.context.scene.collection.objects.link(goal)
    rate = bpy.context.scene.render.fps
    for frame, away in ((21, 0.0), (21 + 40 * rate, -20.0)):
        goal.location = (0.0, away, 0.0)
        goal.keyframe_insert("location", frame=frame)
    for curve in fcurves_of(goal.animation_data.action, goal.animation_data.action_slot.identifier):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    bpy.context.scene.frame_end = 21 + 40 * rate
    bpy.context.scene.frame_set(21)
    steering = scene_properties(bpy.context.scene).steering
    steering.target, steering.count_in, steering.plays_scene = "Goal", 5, True
    bpy.ops.ed.undo_push(message="Goal")


def is_polished() -> bool:
    return bpy.data.objects["GenMM Sample"].animation_data.action.name.endswith("Polished")


def has_caught_up() -> bool:
    """Tell whether the character is beside the object after five seconds or more; a busy machine takes longer.

    It is noted at that moment, since on a busy machine the object goes on before the next step.
    """
    goal = np.array(bpy.data.objects["Goal"].matrix_world.translation)
    is_beside = len(sessions[-1].frames) > 5.0 * sessions[-1].rate and math.dist(hips()[:2], goal[:2]) < 0.6
    if is_beside:
        note("following")()
    return is_beside


def save() -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(SAVED))


def load() -> None:
    bpy.ops.wm.open_mainfile(filepath=str(SAVED))


def steer_in_local_view() -> None:
    """Steer with the character alone in the viewport."""
    scene_properties(bpy.context.scene).steering.count_in = 0
    with context():
        bpy.ops.object.select_all(action="DESELECT")
        rig = bpy.data.objects["GenMM Sample"]
        rig.select_set(True)
        bpy.context.view_layer.objects.active = rig
        bpy.ops.view3d.localview()
        bpy.ops.genmm.steer("INVOKE_DEFAULT")


def note_local_view() -> None:
    space = view()[0].spaces.active
    facts["in_local_view"] = bpy.data.objects["GenMM Sample Live"].local_view_get(space)


def note_adjust() -> None:
    facts["adjusts"] = next(region.width for region in view()[0].regions if region.type == "HUD") > 1


def delete_character() -> None:
    bpy.data.objects.remove(bpy.data.objects["GenMM Sample"])


def note_deleted() -> None:
    facts["deleted"] = [len(bpy.data.objects), ending.is_running(), [one.name for one in bpy.data.objects]]


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (picture("steer_panel"), 0.0),
        (press_button("steer()"), 0.0),
        (until(has_begun), 0.0),
        (over_view, 0.0),
        (note("begun"), 0.0),
        (shot("steer_1"), 0.0),
        (key("keydown", "w"), 1.0),
        (until(has_moved_from("begun")), 0.0),
        (shot("steer_2"), 0.0),
        (key("keyup", "w"), 0.1),
        (note("ahead"), 0.0),
        (key("keydown", "d"), 1.2),
        (shot("steer_3"), 0.0),
        (key("keyup", "d"), 0.2),
        (key("key", "2"), 0.2),
        (key("key", "shift+3"), 0.2),
        (note("chosen"), 0.0),
        (click_ground, 1.0),
        (until(has_moved_from("ahead")), 0.0),
        (picture("steer_4"), 0.0),
        (key("key", "space"), 0.6),
        (note("paused"), 0.6),
        (note("paused_later"), 0.0),
        (key("key", "Return"), DONE),
        (note("ended"), 0.0),
        (note_adjust, 0.0),
        (press_button("polish_performance()"), DONE),
        (until(is_polished), 0.0),
        (note("polished"), 0.0),
        (over_view, 0.3),
        (undo, 0.0),
        (note("polish_undone"), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
        (press_button("steer()"), 0.0),
        (until(has_begun), 0.0),
        (over_view, 0.0),
        (key("keydown", "w"), 0.0),
        (until(lambda: wished_speed() > 0.1), 0.0),
        (note_wish("wish_by_key"), 0.0),
        (outside(OTHER), 0.0),
        (until(lambda: wished_speed() == 0.0), 0.0),
        (note_wish("wish_elsewhere"), 0.0),
        (outside(f"kill $(cat {NUMBER})"), 0.5),
        (key("keyup", "w"), 0.2),
        (key("key", "Escape"), DONE),
        (note("discarded"), 0.0),
        (note_costs, 0.0),
        (set_goal, 0.5),
        (press_button("steer()"), 0.0),
        (until(has_begun), 0.0),
        (note("counting"), 0.0),
        (over_view, 0.0),
        (until(has_caught_up), 0.1),
        (shot("steer_5"), 0.0),
        (save, DONE),
        (note("saved"), 0.0),
        (load, DONE),
        (note("reloaded"), 0.0),
        (steer_in_local_view, 0.0),
        (until(has_begun), 0.0),
        (note_local_view, 0.0),
        (delete_character, 0.0),
        (until(lambda: not ending.is_running()), 0.0),
        (note_deleted, 0.0),
    ]
)
