# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes with a real mouse: Read Values, a slider, Edit Attributes, and undo."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import sidebar
import window
from sidebar import press_button
from window import Crop, choose_tab, facts, open_sidebar, picture, push_start, undo, until, viewport

from genmm_addon.animation import actions

FRAME = 60
HEIGHT = 680
"""Height of the picture of the documents in pixels."""


def set_up() -> None:
    window.register_open("GENMM_PT_transform", "GENMM_PT_attributes")
    window.only_sample()
    bpy.context.scene.render.fps = 30
    body = bpy.data.objects["GenMM Sample"]
    actions.assign(body, bpy.data.actions["GenMM Walk"])
    settings = bpy.context.scene.genmm.transform
    settings.other_action = "GenMM Walk Proud"
    bpy.context.scene.frame_set(FRAME)


def look() -> None:
    """Look from the side, near enough to see arms and steps."""
    with window.context():
        bpy.ops.view3d.view_axis(type="RIGHT")
        bpy.ops.view3d.view_selected()
    space = window.view()[0].spaces.active
    space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False


def slide() -> None:
    """Request arms that swing as far as in any example, and longer steps."""
    for row in bpy.context.scene.genmm.transform.attributes.values:
        if row.name in ("arm_swing", "step_length"):
            row.change = 1.0 if row.highest > row.value else -1.0


def figure() -> Crop:
    """Return the part of the viewport with the character."""
    whole = viewport()
    return Crop(whole.left + 470, whole.top + 90, 400, HEIGHT)


def sliders() -> Crop:
    """Return the end of the sidebar without its tabs."""
    shown = Crop.of(window.view()[1])
    return Crop(shown.left, shown.top + shown.height - HEIGHT, shown.width - 28, HEIGHT)


def playing() -> str:
    """Return the name of the action that the character plays."""
    found = actions.assigned(bpy.data.objects["GenMM Sample"])
    return "" if found is None else found[0].name


def note(name: str) -> Callable[[], None]:
    def note_it() -> None:
        shown = bpy.context.scene.genmm.transform.attributes
        facts[name] = {
            "action": playing(),
            "read": shown.action,
            "rows": {row.name: [row.value, row.lowest, row.highest, row.change] for row in shown.values},
        }

    return note_it


window.run(
    [
        (set_up, 0.0),
        (open_sidebar, 0.0),
        (choose_tab, 0.0),
        (look, 1.0),
        (push_start, 0.0),
        (press_button("read_attributes"), 0.5),
        (until(lambda: len(bpy.context.scene.genmm.transform.attributes.values) > 0), 1.0),
        (note("read"), 0.0),
        (slide, 1.0),
        (sidebar.scroll_down, 0.0),
        (picture("attributes_before", figure), 0.0),
        (picture("attributes_sliders", sliders), 0.0),
        (press_button("edit_attributes"), 0.5),
        (until(lambda: playing() == "GenMM Walk Edited"), 1.0),
        (note("edited"), 0.0),
        (look, 1.0),
        (picture("attributes_after", figure), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
    ]
)
