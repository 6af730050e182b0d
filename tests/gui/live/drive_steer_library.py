# SPDX-License-Identifier: GPL-3.0-or-later
"""Steer through a library in a real window: styles and pace on number keys, and the times of steps, poses and redraws.

GENMM_STEER_LIBRARY names another library, and GENMM_STEER_CHARACTER a BVH file whose character plays it.
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
from window import DONE, OUTPUT, Step, ask, context, facts, picture, until, view

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import Motion
from genmm_addon.core.library import Clip, library_of, save_library
from genmm_addon.interface.steer import operators
from genmm_addon.steering.session import Session

LIBRARY = os.environ.get("GENMM_STEER_LIBRARY", "")
CHARACTER = os.environ.get("GENMM_STEER_CHARACTER", "")
SECONDS = float(os.environ.get("GENMM_STEER_SECONDS", "4"))
"""Seconds for which each style is steered."""
STYLES = {"GenMM Walk": "neutral", "GenMM Walk Tired": "tired", "GenMM Walk Proud": "proud"}
PIECES, LENGTH = 8, 120
"""Number of clips from each motion, and their frames."""

sessions: list[Session] = []
costs: dict[str, list[float]] = {"step": [], "pose": [], "tick": []}
"""Milliseconds of Blender's main thread: for a step, for a written pose, and for a timer call with all due steps."""


def watch() -> None:
    """Note the session that begins, and the times of its steps and poses."""
    step, pose, tick = Session.step, operators.pose_proxy, operators.GENMM_OT_steer._tick

    def timed(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*arguments: Any) -> Any:
            begun = time.thread_time()
            found = work(*arguments)
            costs[name].append(1000 * (time.thread_time() - begun))
            return found

        return measured

    def timed_tick(operator: Any, where: Any, session: Session) -> Any:
        if session not in sessions:
            sessions.append(session)
        steps = len(session.frames)
        begun = time.thread_time()
        found = tick(operator, where, session)
        if len(session.frames) > steps:
            costs["tick"].append(1000 * (time.thread_time() - begun))
        return found

    Session.step = timed("step", step)  # type: ignore[method-assign]
    operators.pose_proxy = timed("pose", pose)
    operators.GENMM_OT_steer._tick = timed_tick  # type: ignore[assignment, method-assign]


def set_up() -> None:
    watch()
    window.register_open("GENMM_PT_live")
    bpy.context.scene.render.fps = 30
    window.only_sample()
    character = bpy.data.objects["GenMM Sample"]
    library = LIBRARY or str(OUTPUT / "takes.npz")
    if CHARACTER:
        bpy.data.objects.remove(character)
        with context():
            bpy.ops.import_anim.bvh(filepath=CHARACTER)
        character = bpy.context.view_layer.objects.active
    if not LIBRARY:
        motions, clips = list[Motion](), list[Clip]()
        for name, style in STYLES.items():
            motion = sample_motions(30.0)[name]
            for number in range(PIECES):
                first = number * (motion.frames - LENGTH) // PIECES
                motions.append(motion.slice(first, first + LENGTH))
                clips.append(Clip(f"walk_{style}_{number:03}", "", 0, 0, {"action": "walk", "style": style}))
        save_library(Path(library), library_of(motions, clips))
    character.genmm.library_files.add().path = library
    character.genmm.learn_from = "LIBRARY"
    character.genmm.library_frames = 10_000_000
    facts["bones"] = len(character.pose.bones)
    view()[0].spaces.active.region_3d.view_distance = 9.0
    bpy.ops.ed.undo_push(message="Set up")


def memory() -> float:
    """Return Blender's memory in megabytes."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def redraw_costs(name: str) -> Callable[[], None]:
    """Return a step that notes the time of a redraw alone: milliseconds of Blender's thread, and elapsed."""

    def noted() -> None:
        with context():
            bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=2)
            thread, clock = time.thread_time(), time.perf_counter()
            bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=10)
        facts[name] = [100 * (time.thread_time() - thread), 100 * (time.perf_counter() - clock)]

    return noted


def over_view() -> None:
    area = view()[0]
    window.move_mouse(*window.point_in_window(area, area.width // 2 - 150, area.height // 2))


def key(*command: str) -> Callable[[], None]:
    return lambda: ask("xdotool", *command)


def steered(*command: str) -> list[Step]:
    """Return steps that press keys and wait until SECONDS of motion have followed, however long they take."""
    pressed_at: list[int] = []

    def press() -> None:
        pressed_at.append(len(sessions[-1].frames))
        ask("xdotool", *command)

    return [(press, 0.0), (until(lambda: len(sessions[-1].frames) > pressed_at[0] + SECONDS * sessions[-1].rate), 0.0)]


def begun() -> bool:
    return bool(sessions) and len(sessions[-1].frames) > 2


def note(name: str) -> Callable[[], None]:
    """Return a step that notes the choice, and the styles of the clips shown since the last note."""

    def noted() -> None:
        session = sessions[-1]
        of_frame = session.steering.controller.examples.index.clips
        shown = int(of_frame[int(session.state.frame)])
        allowed = session.steering.styles[session.style].allowed
        speeds = np.linalg.norm(np.diff([place_of(frame, session) for frame in session.frames[-31:]], axis=0), axis=1)
        facts[name] = {
            "style": session.steering.styles[session.style].name,
            "is_shown": allowed is None or bool(allowed[shown]),
            "pace": session.pace,
            "speed": float(speeds.sum() * session.rate / max(len(speeds), 1)),
            "played": len(session.frames),
            "memory": memory(),
        }
        print("NOTED", name, facts[name], flush=True)

    return noted


def place_of(frame: Motion, session: Session) -> np.ndarray[Any, Any]:
    joint = session.steering.controller.examples.index.space.plan.joint
    return np.asarray(session.on_ground(frame.pose()[1][0, joint].astype(np.float64)))


def note_styles() -> None:
    facts["styles"] = [style.name for style in sessions[-1].steering.styles]
    facts["library_frames"] = sessions[-1].steering.controller.examples.index.frames
    facts["memory_begun"] = memory()


def note_costs() -> None:
    for name, found in costs.items():
        facts[f"{name}_costs"] = [float(np.mean(found)), float(np.percentile(found, 99)), len(found)]
    facts["load"] = os.getloadavg()[0]
    print("COSTS", {name: value for name, value in facts.items() if "cost" in name or name == "load"}, flush=True)


def note_end() -> None:
    action = bpy.context.view_layer.objects.active.animation_data.action
    facts["ended"] = {"action": action.name, "recipe": str(action.get("genmm_performed", ""))}


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (redraw_costs("redraw_before"), 0.3),
        (press_button("steer()"), 0.5),
        (over_view, 0.3),
        (until(begun, 300.0), 0.3),
        (note_styles, 0.0),
        *steered("keydown", "w"),
        (note("all"), 0.0),
        *steered("key", "2"),
        (note("second"), 0.0),
        (picture("steer_library"), 0.0),
        *steered("key", "3"),
        (note("third"), 0.0),
        *steered("key", "shift+1"),
        (note("slow"), 0.0),
        *steered("key", "shift+3"),
        (note("fast"), 0.0),
        (key("keyup", "w"), 0.2),
        (key("key", "9"), 0.2),
        (note("no_such_style"), 0.0),
        (key("key", "0"), 0.5),
        (note("all_again"), 0.0),
        (note_costs, 0.0),
        (redraw_costs("redraw_costs"), 0.3),
        (key("key", "Return"), DONE),
        (note_end, 0.0),
    ]
)
