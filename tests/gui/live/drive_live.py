# SPDX-License-Identifier: GPL-3.0-or-later
"""Live in a real window: the seed dragged, released, undone, and a point of the path dragged in Edit Mode."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from sidebar import press_button
from window import Crop, ask, context, facts, picture, undo, until, view

from genmm_addon.interface.live import running


def set_up() -> None:
    window.register_open("GENMM_PT_method", "GENMM_PT_live")
    window.only_sample()
    rig = bpy.data.objects["GenMM Sample"]
    rig.animation_data.action = bpy.data.actions["GenMM Walk"]
    with context():
        bpy.ops.genmm.add_example(action="GenMM Walk")
        bpy.ops.genmm.add_example(action="GenMM Walk Tired")
    rig.genmm.frames = 120
    rig.genmm.new_seed = False
    rig.genmm.output = "NEW_ACTION"
    curve = bpy.data.objects.new("Way", bpy.data.curves.new("Way", "CURVE"))
    curve.data.dimensions = "3D"
    spline = curve.data.splines.new("BEZIER")
    spline.bezier_points.add(2)
    for number, point in enumerate(spline.bezier_points):
        point.co = (0.0, -1.6 * number, 0.0)
        point.handle_left_type = point.handle_right_type = "AUTO"
    bpy.context.scene.collection.objects.link(curve)
    bpy.context.scene.frame_set(60)
    view()[0].spaces.active.region_3d.view_distance = 9.0
    bpy.ops.ed.undo_push(message="Set up")


def note(name: str) -> Callable[[], None]:
    def noted() -> None:
        live, rig = running.session(), bpy.data.objects["GenMM Sample"]
        facts[name] = {
            "is_on": live is not None,
            "frames": None if live is None or live.shown is None else live.shown.synthesis.motion.frames,
            "said": running.ended_because() if live is None else live.problem or live.waits_for,
            "seed": rig.genmm.seed,
            "action": rig.animation_data.action.name,
            "blocks": [len(bpy.data.actions), len(bpy.data.objects), len(bpy.data.curves)],
            "mode": bpy.context.mode,
        }

    noted.__name__ = f"note_{name}"
    return noted


def is_shown() -> bool:
    live = running.session()
    return live is not None and live.shown is not None


def is_idle() -> bool:
    live = running.session()
    return live is None or not live.busy


def waits_for_mode() -> bool:
    live = running.session()
    return live is not None and "Leave this mode" in live.waits_for


def is_kept() -> bool:
    live = running.session()
    return live is not None and not live.pending


def move(x: int, y: int = 0) -> Callable[[], None]:
    return lambda: ask("xdotool", "mousemove_relative", "--", str(x), str(y))


def release() -> None:
    ask("xdotool", "mouseup", "1")


def over_view() -> None:
    area = view()[0]
    window.move_mouse(*window.point_in_window(area, area.width // 2 - 100, area.height // 2))


def edit_path() -> None:
    rig, curve = bpy.data.objects["GenMM Sample"], bpy.data.objects["Way"]
    rig.genmm.path_curve = curve
    with context():
        bpy.ops.object.select_all(action="DESELECT")
        curve.select_set(True)
        bpy.context.view_layer.objects.active = curve
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.curve.select_all(action="DESELECT")
    curve.data.splines[0].bezier_points[2].select_control_point = True


def leave_edit_mode() -> None:
    with context():
        bpy.ops.object.mode_set(mode="OBJECT")


def key(name: str) -> Callable[[], None]:
    return lambda: window.key(name)


def shot(name: str) -> Callable[[], None]:
    return picture(name, lambda: Crop.of(view()[0]))


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (press_button("genmm.live"), 1.0),
        (note("on"), 0.0),
        (press_button("genmm.seed", 0.6, how="mousedown"), 0.3),
        (move(6), 0.3),
        (move(12), 0.2),
        (until(is_shown), 2.0),
        (note("dragged"), 0.0),
        (shot("live_1"), 0.0),
        (move(20), 0.2),
        (until(is_idle), 0.1),
        (note("dragged_on"), 0.0),
        (release, 0.5),
        (over_view, 0.2),
        (until(is_kept), 0.5),
        (note("kept"), 0.0),
        (shot("live_2"), 0.0),
        (undo, 1.0),
        (note("undone"), 0.0),
        (edit_path, 1.0),
        (over_view, 0.3),
        (key("g"), 0.5),
        (move(-120, 40), 0.3),
        (until(is_shown), 0.5),
        (note("path_dragged"), 0.0),
        (shot("live_3"), 0.0),
        (key("Return"), 0.0),
        (move(10), 0.0),
        (until(waits_for_mode), 0.0),
        (note("path_still_edited"), 0.0),
        (leave_edit_mode, 0.5),
        (move(10), 0.5),
        (until(is_kept), 0.5),
        (note("path_kept"), 0.0),
        (shot("live_4"), 0.0),
    ]
)
