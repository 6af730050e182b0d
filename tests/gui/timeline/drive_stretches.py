# SPDX-License-Identifier: GPL-3.0-or-later
"""A stretch of a result chosen on the ribbon with the mouse, regenerated, locked, and a drag canceled by Esc."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from window import DONE, Crop, animation_workspace, ask, context, dope_sheet, facts, picture, undo

from genmm_addon.generation.recipe import recipe_of
from genmm_addon.generation.stretches.locks import locked_ranges
from genmm_addon.interface.common.line_drawing import frames_on_screen
from genmm_addon.interface.ribbon.bands import plan_places


def set_up() -> None:
    window.register_open()
    window.only_sample()
    settings = bpy.context.object.genmm
    settings.frames, settings.seed, settings.new_seed = 240, 5, False
    bpy.ops.genmm.add_example(action="GenMM Walk")
    bpy.ops.genmm.add_example(action="GenMM Dance")


def generate() -> None:
    with context():
        bpy.ops.genmm.generate_motion("EXEC_DEFAULT", True, output="NEW_ACTION")
        bpy.ops.ed.undo_push(message="Generated")


def point(frame: float) -> tuple[str, str]:
    """Return the position of a frame on the ribbon in the window."""
    _, region = dope_sheet()
    places = plan_places(region.height, bpy.context.preferences.system.ui_scale, 1)
    assert places is not None
    begin, unit = frames_on_screen(region)
    x, y = window.point_in_window(region, begin + frame * unit, sum(places.rows[0]) / 2)
    return str(round(x)), str(round(y))


def drag(first: float, last: float, *end: Sequence[str]) -> Callable[[], float | None]:
    """Return a step that drags over the ribbon from one frame to another, and ends by these commands of xdotool."""

    def commands() -> list[Sequence[str]]:
        begin, *between = (("mousemove", *point(frame)) for frame in (first, (first + last) / 2, last))
        return [begin, ("mousedown", "1"), *between, *end]

    return window.in_turns(commands)


def note(when: str) -> Callable[[], None]:
    def noted() -> None:
        scene = bpy.context.scene
        action = bpy.data.objects["GenMM Sample"].animation_data.action
        recipe = recipe_of(action)
        facts[when] = {
            "chosen": [scene.genmm.stretch_first, scene.genmm.stretch_last],
            "redone": "" if recipe is None else recipe.redone,
            "locked": [list(one) for one in locked_ranges(action)],
        }

    return noted


def press(*names: str) -> Callable[[], None]:
    return lambda: ask("xdotool", "key", *names)


def crop() -> Crop:
    return Crop.of(dope_sheet()[1])


window.run(
    [
        (set_up, 0.0),
        (generate, DONE),
        (animation_workspace, 0.0),
        (drag(60, 110, ("mouseup", "1")), DONE),
        (note("dragged"), 0.0),
        (picture("stretch_menu"), 0.0),
        (press("Return"), DONE),
        (note("regenerated"), 0.0),
        (picture("stretch_regenerated"), 0.0),
        (drag(150, 180, ("key", "Escape"), ("mouseup", "1")), DONE),
        (note("escaped"), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
        (picture("stretch_undone", crop), 0.0),
    ]
)
