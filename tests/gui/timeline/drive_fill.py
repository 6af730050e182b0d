# SPDX-License-Identifier: GPL-3.0-or-later
"""Fill Range with a real mouse: the dope sheet's sidebar and menu, alternatives by key, undo, blocking to spline."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))
sys.path.insert(2, str(Path(__file__).resolve().parent))

import bpy
import window
from blocking import play_blocking
from shot import body, choose_tab, dope_sheet_sidebar, open_dope_sheet, set_up, sheet, undo
from sidebar import press_button
from window import DONE, Crop, facts, picture

from genmm_addon.animation import actions
from genmm_addon.animation.stretches.generated import generated_ranges
from genmm_addon.editing.filling.record import record_of

OUTSIDE = (10.25, 40.5, 71.0, 71.25, 90.75)
SPACING = 20


def played() -> Any:
    return body().animation_data.action


def values() -> list[float]:
    return [round(curve.evaluate(frame), 4) for curve in actions.fcurves_of(played()) for frame in OUTSIDE]


def note(name: str) -> Callable[[], None]:
    def note_it() -> None:
        record = record_of(played())
        inside = [curve.evaluate(55) for curve in actions.fcurves_of(played())]
        facts[name] = {
            "record": None if record is None else [record.first, record.last, record.number],
            "outside": values(),
            "inside": [round(value, 4) for value in inside],
            "generated": generated_ranges(played()),
        }

    return note_it


def over_keys() -> None:
    area, _ = dope_sheet_sidebar()
    crop = Crop.of(window.content(area))
    window.move_mouse(crop.left + 200, crop.top + 0.6 * crop.height)


def blocking() -> None:
    """Assign an action with only every few poses of the walk, with stepped keys."""
    play_blocking(body(), SPACING)
    bpy.context.scene.use_preview_range = False


def note_blocking() -> None:
    facts["blocking"] = len(generated_ranges(played()))


window.run(
    [
        (set_up, 0.0),
        (open_dope_sheet, 0.0),
        (choose_tab, 0.0),
        (note("start"), 0.0),
        (press_button("fill_range"), DONE),
        (note("filled"), 0.0),
        (over_keys, 0.7),
        (picture("fill_range", sheet), 0.0),
        (lambda: window.key("ctrl+alt+Right"), DONE),
        (note("next"), 0.0),
        (picture("fill_next"), 0.0),
        (undo, 0.0),
        (note("undone_once"), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
        (blocking, 1.0),
        (picture("fill_blocking_before", sheet), 0.0),
        (press_button("blocking_to_spline"), DONE),
        (note_blocking, 0.0),
        (over_keys, 0.7),
        (picture("fill_blocking", sheet), 0.0),
    ]
)
