# SPDX-License-Identifier: GPL-3.0-or-later
"""The ends of the range to edit, dragged in the dope sheet: Esc, undo, an end off the screen, and a range filled."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))
sys.path.insert(2, str(Path(__file__).resolve().parent))

import bpy
import window
from shot import body, choose_tab, dope_sheet_sidebar, open_dope_sheet, set_up, sheet, undo
from sidebar import press_button
from window import DONE, Step, ask, facts, picture

from genmm_addon.editing.filling.record import record_of
from genmm_addon.interface.common.line_drawing import FRAME_NUMBERS, frames_on_screen

OVER_FIRST, OVER_LAST = 40, 72
"""Frames where the grips are, which are outside of the range."""


def values() -> Any:
    return bpy.context.scene.genmm.filling


def choose_frames() -> None:
    values().range_choice, values().first_frame, values().last_frame = "FRAMES", 41, 71
    with window.context():
        bpy.ops.ed.undo_push(message="Frames")
    dope_sheet_sidebar()[0].tag_redraw()


def note(name: str) -> Step:
    def noted() -> None:
        facts[name] = [values().first_frame, values().last_frame]

    return noted, 0.0


def at(frame: float, down: float = 0.5) -> tuple[float, float]:
    """Return the point of a frame; down: in heights of a widget below the frame numbers."""
    region = window.content(dope_sheet_sidebar()[0])
    scale = bpy.context.preferences.system.ui_scale
    origin, unit = frames_on_screen(region)
    x = min(max(origin + frame * unit, 20 * scale), region.width - 25 * scale)
    return window.point_in_window(region, x, region.height - (FRAME_NUMBERS + 20 * down) * scale)


def drag(begin: float, end: float, *then: str, down: float = 0.5) -> list[Step]:
    """Return the steps that press at a frame, move the mouse to another, and end the drag."""
    return [
        (lambda: window.move_mouse(*at(begin, down)), 0.3),
        (lambda: ask("xdotool", "mousedown", "1"), 0.2),
        (lambda: window.move_mouse(*at(0.5 * (begin + end), down)), 0.2),
        (lambda: window.move_mouse(*at(end, down)), 0.2),
        (lambda: ask("xdotool", *then), 0.3),
    ]


def put_off_screen() -> None:
    values().last_frame = 100_000
    dope_sheet_sidebar()[0].tag_redraw()


def note_filled() -> None:
    record = record_of(body().animation_data.action)
    facts["filled"] = None if record is None else [record.first, record.last]


window.run(
    [
        (set_up, 0.0),
        (open_dope_sheet, 0.0),
        (choose_tab, 0.0),
        *drag(OVER_LAST, 85, "mouseup", "1"),
        note("other choice"),
        (choose_frames, 0.7),
        (lambda: window.move_mouse(*at(OVER_FIRST)), 0.5),
        (picture("range_ends", sheet), 0.0),
        *drag(OVER_LAST, 85, "key", "Escape", "mouseup", "1"),
        note("canceled"),
        *drag(OVER_LAST, 85, "mouseup", "1"),
        note("last dragged"),
        *drag(OVER_FIRST, 95, "mouseup", "1"),
        note("first at last"),
        (undo, 0.3),
        note("undone"),
        *drag(OVER_FIRST, 50, "mouseup", "1", down=4.0),
        note("below the grip"),
        (put_off_screen, 0.5),
        *drag(100_000, 65, "mouseup", "1"),
        note("brought back"),
        (press_button("fill_range"), DONE),
        (note_filled, 0.0),
        (lambda: window.move_mouse(*at(60, 6.0)), 0.5),
        (picture("range_filled", sheet), 0.0),
    ]
)
