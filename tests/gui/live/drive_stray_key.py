# SPDX-License-Identifier: GPL-3.0-or-later
"""A stray key in a real window: Generate is refused, and a real mouse presses the button that leaves the key out."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from sidebar import press_button
from window import DONE, context, facts, key, picture

from genmm_addon.animation.actions import assigned, fcurves_of

FAR = 1_000_000


def set_up() -> None:
    window.register_open("GENMM_PT_generate")
    window.only_sample()
    character = bpy.data.objects["GenMM Sample"]
    action, slot = assigned(character) or (None, "")
    fcurves_of(action, slot)[0].keyframe_points.insert(FAR, 0.5)
    character.genmm.frames = 120
    with context():
        bpy.ops.ed.undo_push(message="Set up")


def note(name: str) -> Callable[[], None]:
    def noted() -> None:
        rows = bpy.data.objects["GenMM Sample"].genmm.examples
        facts[name] = {
            "actions": len(bpy.data.actions),
            "rows": [[row.use_range, row.frame_start, row.frame_end] for row in rows],
        }

    return noted


def close_report() -> None:
    key("Escape")


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (picture("stray_key"), 0.0),
        (note("before"), 0.0),
        (press_button("generate_motion"), DONE),
        (picture("stray_key_refused"), 0.0),
        (note("refused"), 0.0),
        (close_report, 1.0),
        (press_button("leave_out_stray_keys"), DONE),
        (picture("stray_key_left_out"), 0.0),
        (note("left_out"), 0.0),
        (press_button("generate_motion"), DONE),
        (note("generated"), 0.0),
    ]
)
