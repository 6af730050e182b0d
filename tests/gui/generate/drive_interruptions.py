# SPDX-License-Identifier: GPL-3.0-or-later
"""A run beside the window, during which the user changes the example, the mode or the file."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from window import context, facts

import genmm_addon
from genmm_addon.animation.actions import fcurves_of
from genmm_addon.generation.generation import running
from genmm_addon.interface.common.running_beside import RunningBeside

VERY_LONG = 300_000
"""A number of frames that takes many seconds, within the memory if windows side by side leave 12 GB free."""


def set_up() -> None:
    """Set up a character whose runs are all beside the window."""
    genmm_addon.register()
    window.watch_every_run()
    note_writing()
    add_character()


def note_writing() -> None:
    """From now on, note for each step of writing whether a render was under way."""
    facts["written_while_rendering"] = []
    write = RunningBeside._write_some

    def noted(operator: RunningBeside, context: bpy.types.Context) -> Any:
        facts["written_while_rendering"].append(bpy.app.is_job_running("RENDER"))
        return write(operator, context)

    RunningBeside._write_some = noted  # type: ignore[method-assign, assignment]


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


def press_escape() -> None:
    # Blender sends keys to the region under the mouse.
    window.move_mouse(600, 500)
    window.key("Escape")


def leave_edit_mode() -> None:
    with context():
        bpy.ops.object.mode_set(mode="OBJECT")


def start_and_rename_a_bone() -> None:
    start()
    bpy.context.object.data.bones["Head"].name = "Skull"


def rename_it_back() -> None:
    bpy.context.object.data.bones["Skull"].name = "Head"


def start_and_save() -> None:
    start()
    bpy.ops.wm.save_as_mainfile(filepath=str(window.OUTPUT / "saved.blend"))


def start_and_go_to_another_scene() -> None:
    start()
    facts["home"] = bpy.context.window.scene.name
    bpy.context.window.scene = bpy.data.scenes.new("Elsewhere")


def come_back() -> None:
    bpy.context.window.scene = bpy.data.scenes[facts["home"]]


def start_in_local_view() -> None:
    with context():
        bpy.ops.view3d.localview(frame_selected=False)
    start()


def note_local_view() -> None:
    """Note what the local view shows of a result, and of a waypoint and a sample that are added and removed again."""
    with context():
        hero, before = bpy.context.object, set(bpy.data.objects)
        bpy.ops.genmm.add_row(rows="waypoints")
        bpy.ops.genmm.add_sample_character()
        space = window.view()[0].spaces.active
        facts["seen_locally"] = sorted(thing.name for thing in bpy.data.objects if thing.local_view_get(space))
        hero.genmm.waypoints.clear()
        bpy.data.batch_remove(set(bpy.data.objects) - before)
        hero.select_set(True)
        bpy.context.view_layer.objects.active = hero


def leave_local_view() -> None:
    with context():
        bpy.ops.view3d.localview(frame_selected=False)


def start_and_render() -> None:
    """Render an animation, as a job beside the window that takes longer than the run."""
    bpy.context.preferences.view.render_display_type = "NONE"
    render = bpy.context.scene.render
    render.engine = "CYCLES"  # type: ignore[assignment]  # the stub knows one engine alone
    render.resolution_x = render.resolution_y = 32
    bpy.context.scene.cycles.samples = 1
    bpy.context.scene.frame_end = 10
    render.filepath = str(window.OUTPUT / "rendered")
    if bpy.context.scene.camera is None:
        bpy.context.scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
        bpy.context.scene.collection.objects.link(bpy.context.scene.camera)
    start()
    with context():
        bpy.ops.render.render("INVOKE_DEFAULT", animation=True)
    facts["rendering"] = bpy.app.is_job_running("RENDER")


def has_rendered() -> bool:
    return not bpy.app.is_job_running("RENDER")


def note_rendered() -> None:
    note("rendered")
    facts["frames"] = len(list(window.OUTPUT.glob("rendered*.png")))
    facts["still_rendering"] = bpy.app.is_job_running("RENDER")


def start_and_remove_a_bone() -> None:
    start()
    with context():
        bpy.ops.object.mode_set(mode="EDIT")
    bones = bpy.context.object.data.edit_bones
    bones.remove(bones["Head"])
    leave_edit_mode()


def start_and_press_escape() -> None:
    bpy.context.object.genmm.frames = VERY_LONG
    start()
    press_escape()


def set_short() -> None:
    bpy.context.object.genmm.frames = 60


def start_and_delete_the_character() -> None:
    start()
    bpy.data.objects.remove(bpy.context.object)


def start_long() -> None:
    bpy.context.object.genmm.frames = VERY_LONG
    start()


def load_another_file() -> None:
    facts["running_before_loading"] = running() is not None
    bpy.ops.wm.read_homefile(use_empty=False, app_template="")


def note(name: str) -> None:
    results = [thing.name for thing in bpy.data.objects if thing.type == "ARMATURE" and thing.get("genmm_recipe")]
    facts[name] = {"results": len(results), "running": running() is not None}


def computed() -> Callable[[], float | None]:
    """Return a step that waits until the result of the run is ready, so that it waits for the user alone."""

    def is_ready() -> bool:
        generation = running()
        return generation is not None and generation.done

    return window.until(is_ready)


def ended() -> Callable[[], float | None]:
    """Return a step that waits until no run is under way."""
    return window.until(lambda: running() is None)


window.run(
    [
        (set_up, 0.0),
        (start_and_change_the_example, 0.5),
        (ended(), 0.3),
        (lambda: note("changed"), 0.0),
        (start_and_delete_the_example, 0.5),
        (ended(), 0.3),
        (lambda: note("deleted"), 0.0),
        (start_and_enter_edit_mode, 0.0),
        (computed(), 0.5),
        (lambda: note("editing"), 0.0),
        (window.picture("waiting_for_mode"), 0.0),
        (leave_edit_mode, 0.5),
        (ended(), 0.3),
        (lambda: note("left"), 0.0),
        (start_and_enter_edit_mode, 0.0),
        (computed(), 0.5),
        (press_escape, 0.5),
        (ended(), 0.3),
        (lambda: note("escaped_waiting"), 0.0),
        (leave_edit_mode, 0.5),
        (ended(), 0.3),
        (lambda: note("left_again"), 0.0),
        (start_and_rename_a_bone, 0.5),
        (ended(), 0.3),
        (lambda: note("renamed"), 0.0),
        (rename_it_back, 0.2),
        (start_and_save, 0.5),
        (ended(), 0.3),
        (lambda: note("saved"), 0.0),
        (start_and_go_to_another_scene, 0.0),
        (computed(), 0.5),
        (lambda: note("elsewhere"), 0.0),
        (come_back, 0.5),
        (ended(), 0.3),
        (lambda: note("back"), 0.0),
        (start_in_local_view, 0.0),
        (ended(), 0.3),
        (note_local_view, 0.0),
        (leave_local_view, 0.5),
        (ended(), 0.3),
        (lambda: note("local"), 0.0),
        (start_and_render, 0.5),
        (window.until(has_rendered), 0.5),
        (ended(), 0.3),
        (note_rendered, 0.0),
        (start_and_press_escape, 1.0),
        (ended(), 0.5),
        (lambda: note("escaped"), 0.0),
        (set_short, 0.1),
        (start_and_remove_a_bone, 0.5),
        (ended(), 0.3),
        (lambda: note("removed"), 0.0),
        (start_and_delete_the_character, 0.5),
        (ended(), 0.3),
        (lambda: note("orphaned"), 0.0),
        (add_character, 0.0),
        (start_long, 0.5),
        (load_another_file, 1.0),
        (lambda: note("loaded"), 0.0),
        (add_character, 0.0),
        (start_long, 0.5),
        (lambda: note("quitting"), 0.0),
    ]
)
