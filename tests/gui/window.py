# SPDX-License-Identifier: GPL-3.0-or-later
"""What a script needs inside a Blender window: steps one after another, a real mouse and keyboard, pictures.

A step is a function; what it changes is drawn, and what it clicks is handled, only after it has returned:
clicking and looking at the outcome are two steps. Blender may live in a file system of its own, without the
programs that press keys and take pictures: it prints what it wants, and `run_in_window.py` does it.
"""

import json
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

ROOT = Path(__file__).resolve().parents[2]
REQUEST = "\nGENMM-REQUEST "
OUTPUT = Path(sys.argv[sys.argv.index("--") + 1])

facts: dict[str, Any] = {"errors": []}
"""What the steps found, for the test to judge."""

Step = tuple[Callable[[], None], float]


def run(steps: list[Step]) -> None:
    """Run each step and wait its seconds; then write down the facts and quit."""
    bpy.context.preferences.view.show_splash = False
    waiting = iter(steps)

    def next_step() -> float | None:
        step = next(waiting, None)
        if step is None:
            (OUTPUT / "facts.json").write_text(json.dumps(facts))
            bpy.ops.wm.quit_blender()
            return None
        try:
            step[0]()
        except Exception:
            facts["errors"].append(f"{step[0].__name__}: {traceback.format_exc()}")
        return step[1]

    # The first after the window was drawn; persistent, as a step may load a file.
    bpy.app.timers.register(next_step, first_interval=2.0, persistent=True)


def view() -> tuple[Any, Any]:
    """The window's 3D viewport and its sidebar region."""
    for area in bpy.context.window_manager.windows[0].screen.areas:
        if area.type == "VIEW_3D":
            return area, next(region for region in area.regions if region.type == "UI")
    raise LookupError("There is no 3D viewport.")


def context() -> Any:
    """A context in which operators run as if from the viewport."""
    area, _ = view()
    region = next(region for region in area.regions if region.type == "WINDOW")
    return bpy.context.temp_override(window=bpy.context.window_manager.windows[0], area=area, region=region)


def open_sidebar() -> None:
    view()[0].spaces.active.show_region_ui = True


def choose_tab() -> None:
    view()[1].active_panel_category = "GenMM"


def ask(*command: str) -> None:
    """Have a program run outside, on the same display."""
    print(REQUEST + json.dumps(command), flush=True)


@dataclass(frozen=True)
class Crop:
    """A rectangle of the window, in pixels from its top left."""

    left: float
    top: float
    width: float
    height: float

    @classmethod
    def of(cls, region: Any) -> "Crop":
        """The rectangle of an area or region, which Blender counts from the window's bottom."""
        top = bpy.context.window_manager.windows[0].height - region.y - region.height
        return cls(region.x, top, region.width, region.height)


def picture(name: str, crop: Callable[[], Crop] | None = None) -> Callable[[], None]:
    """A step that photographs the window, or what `crop` says of it then."""

    def take() -> None:
        options: tuple[str, ...] = ()
        if crop is not None:
            part = crop()
            options = ("-crop", f"{part.width:.0f}x{part.height:.0f}+{part.left:.0f}+{part.top:.0f}", "+repage")
        ask("import", "-window", "root", *options, str(OUTPUT / f"{name}.png"))

    take.__name__ = f"picture_{name}"
    return take


def click(x: float, y: float) -> None:
    """Press the left mouse button at a point of the window, y counted from its top."""
    ask("xdotool", "mousemove", str(round(x)), str(round(y)), "sleep", "0.15", "click", "1")


def sidebar_point(right: float, down: float) -> tuple[float, float]:
    """A point of the sidebar in the window: `right` is a share of its width, `down` in pixels from its top."""
    region = view()[1]
    height = bpy.context.window_manager.windows[0].height
    return region.x + right * region.width, height - (region.y + region.height) + down


def press(down: float, right: float = 0.5) -> Callable[[], None]:
    """A step that clicks a point of the sidebar."""
    return lambda: click(*sidebar_point(right, down))


def only_sample() -> None:
    """The sample character in place of all that was in the scene; the extension must be enabled."""
    with context():
        bpy.ops.object.select_all(action="SELECT")
        bpy.ops.object.delete()
        bpy.ops.genmm.add_sample_character()


def key(name: str) -> None:
    ask("xdotool", "key", name)
