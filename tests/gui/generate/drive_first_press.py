# SPDX-License-Identifier: GPL-3.0-or-later
"""The first press with a large library: progress during its preparation, Esc, and a range filled in one undo step."""

import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from held_work import hold_work, let_go
from window import DONE, OUTPUT, context, facts, key, picture, undo, until

from genmm_addon.animation import actions
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core.library import Clip, library_of, save_library
from genmm_addon.editing.filling.record import record_of

TIMES = 250
FIRST, LAST = 41, 71
LIBRARY = os.environ.get("GENMM_LIBRARY", "")
"""A library of clips for tests by hand, in place of repetitions of the sample's motions."""


def body() -> Any:
    return bpy.data.objects["GenMM Sample"]


def record() -> Any:
    return record_of(body().animation_data.action)


def set_up() -> None:
    window.register_open()
    window.only_sample()
    own = bpy.data.actions["GenMM Walk"].copy()
    actions.assign(body(), own)
    file = LIBRARY or str(OUTPUT / "many.npz")
    if not LIBRARY:
        motions = list(sample_motions(30.0).values()) * TIMES
        clips = [Clip(f"clip {number}", "", 0, 0) for number in range(len(motions))]
        save_library(Path(file), library_of(motions, clips))
    with context():
        bpy.ops.genmm.add_library(filepath=file)
        bpy.ops.ed.undo_push(message="Start")


def press() -> None:
    with context():
        facts.setdefault("pressed", []).append(
            sorted(
                bpy.ops.genmm.fill_range("INVOKE_DEFAULT", range_choice="FRAMES", first_frame=FIRST, last_frame=LAST)
            )
        )


def note(name: str) -> Any:
    def note_it() -> None:
        found = record()
        facts[name] = None if found is None else [found.first, found.last, found.number]

    return note_it


window.run(
    [
        (set_up, 0.0),
        (hold_work(), 0.0),
        (press, 0.0),
        (picture("first_press"), 0.0),
        (lambda: key("Escape"), DONE),
        (note("stopped"), 0.0),
        (let_go, 0.0),
        (press, 0.0),
        (until(lambda: record() is not None), DONE),
        (note("filled"), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
        (press, DONE),
        (note("again"), 0.0),
        (picture("first_press_filled"), 0.0),
    ]
)
