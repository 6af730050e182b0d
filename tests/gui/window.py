# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps for a script inside a Blender window: one after another, with a real mouse and keyboard, and pictures.

A step is a function. Blender draws a step's changes and handles its clicks only after it has returned: clicking and
checking the result are two steps. Blender may run in a file system of its own, without the programs that press keys and
take pictures: it prints requests, which `run_in_window.py` carries out and confirms in a file.

The wait after a step begins when all its requests are done and Blender has handled and drawn what they caused, so that
the next step does not come before the mouse on a busy machine. `DONE` waits for operators of the extension that work in
a thread, and `until` for any other state; seconds are for what has a time of its own, as menus and animation have.
"""

import json
import math
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import addon_utils
import bpy

ROOT = Path(__file__).resolve().parents[2]
REQUEST = "\nGENMM-REQUEST "
OUTPUT = Path(sys.argv[sys.argv.index("--") + 1])
ANSWERS = OUTPUT / "answers"
"""File with one byte for each request that was carried out."""
LOOK_AGAIN = 0.005
"""Seconds between two readings of the answers' size."""
SMOOTH = os.environ.get("GENMM_SMOOTH_VIEWPORT", "1") == "1"
"""Smooth edges, a floor and outlines in the viewport, as pictures want them: without a graphics card they take long."""

_requests: list[tuple[str, ...]] = []
_later: list[tuple[str, ...]] = []
"""Programs to request when Blender has handled and drawn what the requests before them caused."""
facts: dict[str, Any] = {"errors": []}
"""Facts that the steps found, for the test to judge."""

Step = tuple[Callable[[], float | None], float]
"""An action and the seconds to wait after it, or DONE; it is called again after those that it returns, if any."""
TURNS = 4
"""Turns of Blender's main loop to wait after each step, so that a button under the mouse is highlighted: one turn reads
the mouse, one leaves the last button, one enters the new one, and one is to spare. Each handles events and draws.
"""


DONE = math.inf
"""The wait after a step that starts an operator: until it has ended, whether it works at once or in a thread."""


def run(steps: Sequence[Step]) -> None:
    """Run each step and wait its seconds; then write down the facts and quit."""
    bpy.context.preferences.view.show_splash = False
    bpy.context.preferences.inputs.mouse_double_click_time = DOUBLE_CLICK
    if not SMOOTH:
        draw_quickly()
    waiting = list(reversed(steps))
    wait = 0.0
    turns = TURNS

    def next_step() -> float | None:
        nonlocal wait, turns
        if not _answered():
            return LOOK_AGAIN
        if turns:
            turns -= 1
            return 0.0
        if _later:
            ask(*_later.pop(0))
            turns = TURNS
            return LOOK_AGAIN
        if wait == DONE:
            if not operator_runs():
                wait, turns = 0.0, TURNS
            return LOOK_AGAIN
        if wait:
            seconds, wait = wait, 0.0
            return seconds
        if not waiting:
            (OUTPUT / "facts.json").write_text(json.dumps(facts))
            bpy.ops.wm.quit_blender()
            return None
        step, wait = waiting.pop()
        try:
            again = step()
        except Exception:
            facts["errors"].append(f"{step.__name__}: {traceback.format_exc()}")
            again = None
        if isinstance(again, float):
            waiting.append((step, wait))
            wait = again
        turns = TURNS
        return LOOK_AGAIN

    # Persistent, as a step may load a file.
    bpy.app.timers.register(next_step, persistent=True)


def operator_runs() -> bool:
    """Return whether an operator of the extension has not ended: it works in a thread, or waits for the user."""
    return any(
        operator.bl_idname.startswith("GENMM_OT_")
        for window in bpy.context.window_manager.windows
        for operator in window.modal_operators
    )


def draw_quickly() -> None:
    """Leave out what no test looks at and the processor draws slowly: a redraw takes 0.14 s of it in place of 0.26."""
    system = bpy.context.preferences.system
    system.viewport_aa, system.use_overlay_smooth_wire = "OFF", False
    spaces = (space for screen in bpy.data.screens for area in screen.areas for space in area.spaces)
    for space in spaces:
        if space.type == "VIEW_3D":
            overlay = space.overlay
            overlay.show_floor = overlay.show_axis_x = overlay.show_axis_y = False
            overlay.show_outline_selected = space.shading.show_object_outline = False


def view() -> tuple[Any, Any]:
    """Return the window's 3D viewport and its sidebar region."""
    for area in bpy.context.window_manager.windows[0].screen.areas:
        if area.type == "VIEW_3D":
            return area, next(region for region in area.regions if region.type == "UI")
    raise LookupError("There is no 3D viewport.")


def content(area: Any) -> Any:
    """Return the region of an area that shows its content, as the scene or keys."""
    return next(region for region in area.regions if region.type == "WINDOW")


def within(area: Any, region: Any) -> Any:
    """Return a context in which operators run as if started in this region."""
    return bpy.context.temp_override(window=bpy.context.window_manager.windows[0], area=area, region=region)


def context() -> Any:
    """Return a context in which operators run as if started in the viewport."""
    area, _ = view()
    return within(area, content(area))


def open_sidebar() -> None:
    view()[0].spaces.active.show_region_ui = True


def choose_tab() -> None:
    view()[1].active_panel_category = "GenMM"


def viewport() -> "Crop":
    """Return the 3D viewport's rectangle, for a picture of it."""
    return Crop.of(view()[0])


def undo() -> None:
    with context():
        bpy.ops.ed.undo()


def redo() -> None:
    with context():
        bpy.ops.ed.redo()


def save_and_open(file: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    bpy.ops.wm.open_mainfile(filepath=str(file))


def push_start() -> None:
    """Push an undo step to return to."""
    with context():
        bpy.ops.ed.undo_push(message="Start")


def animation_workspace() -> None:
    bpy.context.window_manager.windows[0].workspace = bpy.data.workspaces["Animation"]


def dope_sheet() -> tuple[Any, Any]:
    """Return the window's largest dope sheet and the region that shows its keys."""
    areas = bpy.context.window_manager.windows[0].screen.areas
    area = max((one for one in areas if one.type == "DOPESHEET_EDITOR"), key=lambda one: one.height)
    return area, content(area)


def ask(*command: str) -> None:
    """Request that a program be run outside Blender, on the same display."""
    _requests.append(command)
    print(REQUEST + json.dumps(command), flush=True)


def ask_later(*command: str) -> None:
    """Request a program as `ask` does, when Blender has handled and drawn what the requests before it cause.

    A button that is not highlighted yet, a popup that has not been drawn, or a drag that has not begun, would miss it.
    """
    _later.append(command)


def _answered() -> bool:
    """Return whether all requests were carried out."""
    return not _requests or (ANSWERS.exists() and ANSWERS.stat().st_size >= len(_requests))


def point_in_window(region: Any, x: float, y: float) -> tuple[float, float]:
    """Return a point of an area or region, counted from its bottom left, as counted from the window's top left."""
    return region.x + x, bpy.context.window_manager.windows[0].height - region.y - y


@dataclass(frozen=True)
class Crop:
    """A rectangle of the window, in pixels from its top left."""

    left: float
    top: float
    width: float
    height: float

    @classmethod
    def of(cls, region: Any) -> "Crop":
        """Return the rectangle of an area or region."""
        return cls(*point_in_window(region, 0, region.height), region.width, region.height)


def picture(name: str, crop: Callable[[], Crop] | None = None) -> Callable[[], None]:
    """Return a step that takes a picture of the window, or of the rectangle that `crop` returns at that time."""

    def take() -> None:
        options: tuple[str, ...] = ()
        if crop is not None:
            part = crop()
            options = ("-crop", f"{part.width:.0f}x{part.height:.0f}+{part.left:.0f}+{part.top:.0f}", "+repage")
        # The least compression: at the usual one, a picture takes three times as long.
        ask("import", "-window", "root", "-quality", "11", *options, str(OUTPUT / f"{name}.png"))

    take.__name__ = f"picture_{name}"
    return take


DOUBLE_CLICK = 1
"""Longest time between the clicks of a double click, in milliseconds: two presses of a script are never one."""


def move_mouse(x: float, y: float, *then: str) -> None:
    """Move the mouse to a point of the window, with y counted from its top. then: xdotool's commands that follow."""
    ask("xdotool", "mousemove", str(round(x)), str(round(y)), *then)


def click(x: float, y: float) -> None:
    """Click with the left mouse button at a point of the window; y is counted from its top."""
    move_mouse(x, y)
    ask_later("xdotool", "click", "1")


def scroll(wheel: str) -> None:
    """Scroll what is under the mouse: to its top with the wheel "4", to its end with "5"."""
    ask("xdotool", "click", "--repeat", "30", "--delay", "10", wheel)


def adjust_point(down: float = 11.0, right: float = 0.5) -> tuple[float, float]:
    """Return a point of Adjust Last Operation in the window. down: pixels from its top. right: share of its width.

    Raises LookupError if it is not shown.
    """
    region = next(region for region in view()[0].regions if region.type == "HUD")
    if region.width <= 1:
        raise LookupError("Adjust Last Operation is not shown.")
    crop = Crop.of(region)
    return crop.left + right * crop.width, crop.top + down


def until(condition: Callable[[], bool], most: float = 300.0) -> Callable[[], float | None]:
    """Return a step that waits until `condition` is true. It raises TimeoutError after `most` seconds."""
    began: float | None = None

    def wait() -> float | None:
        nonlocal began
        if condition():
            return None
        began = time.monotonic() if began is None else began
        if time.monotonic() - began > most:
            raise TimeoutError(f"Waited {most:.0f} seconds for {condition.__name__} in vain.")
        return LOOK_AGAIN

    return wait


Made = TypeVar("Made")


def latest(kind: type[Made]) -> list[Made]:
    """Return a list that from now on holds the last object made of a class, which Blender's operators do not give."""
    made: list[Made] = []
    begin = kind.__init__

    def remember(self: Made, *values: object) -> None:
        made[:] = [self]
        begin(self, *values)

    kind.__init__ = remember  # type: ignore[method-assign, assignment]
    return made


def register_open(*names: str) -> None:
    """Enable the extension with the panels of these classes open, and all others as they are by default."""
    import genmm_addon
    from genmm_addon.state.registration import classes_in

    for module in genmm_addon._modules():
        for panel in classes_in(module):
            if panel.__name__ in names:
                panel.bl_options = set()
    genmm_addon.register()


def watch_every_run() -> None:
    """From now on, let the window watch every run between its redraws, even one whose thread has ended at once."""
    from genmm_addon.interface.common import running_beside

    running_beside.INSTANT_SECONDS = 0.0
    # Without this, a busy machine can end the thread of a short run before anything is done during it.
    running_beside.Generation.done_within = lambda *_: False  # type: ignore[method-assign]


def only_sample() -> None:
    """Replace all objects of the scene by the sample character; the extension must be enabled."""
    with context():
        bpy.ops.object.select_all(action="SELECT")
        bpy.ops.object.delete()
        bpy.ops.genmm.add_sample_character()


def rigify_human(x: float) -> Any:
    """Return the rig of Rigify's human, generated at a place beside the others; it is the active object."""
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.armature_basic_human_metarig_add()
    metarig = bpy.context.object
    bpy.ops.pose.rigify_generate()
    rig = bpy.context.object
    bpy.data.objects.remove(metarig)
    rig.name, rig.location.x = "Rigify", x
    return rig


def key(name: str) -> None:
    ask("xdotool", "key", name)


def in_turns(commands: Callable[[], Sequence[Sequence[str]]]) -> Callable[[], None]:
    """Return a step that requests commands of xdotool, each when Blender has handled and drawn the one before."""

    def request() -> None:
        for command in commands():
            ask_later("xdotool", *command)

    return request


def typed(name: str) -> tuple[str, ...]:
    """Return the command that types a name into a search."""
    return ("type", "--delay", "30", name)


def choose_entry(name: str) -> Callable[[], None]:
    """Return a step that finds an entry of the open menu by name, since underlined letters depend on all entries."""
    return in_turns(lambda: [("key", "space"), typed(name)])


def search_for(name: str) -> Callable[[], None]:
    """Return a step that finds an operator by name in the search of all menus, opened over the dope sheet."""

    def commands() -> list[Sequence[str]]:
        region = dope_sheet()[1]
        x, y = point_in_window(region, region.width // 2, region.height // 2)
        return [("mousemove", str(round(x)), str(round(y))), ("key", "F3"), typed(name)]

    return in_turns(commands)


def take_entry() -> None:
    """Choose the entry that the search of a menu has found."""
    ask("xdotool", "key", "Return")
