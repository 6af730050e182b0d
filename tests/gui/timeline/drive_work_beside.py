# SPDX-License-Identifier: GPL-3.0-or-later
"""Restyle with a large library, and Read Values: progress, Esc during preparation and during work, and undo."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import numpy as np
import window
from held_work import hold_work, let_go
from window import DONE, OUTPUT, context, facts, key, picture, undo, until

from genmm_addon.animation import actions
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import Motion
from genmm_addon.core.library import Clip, library_of, save_library
from genmm_addon.editing.transforming.record import recipe_of
from genmm_addon.libraries import indexed_examples as examples

TIMES = 15
FILE = str(OUTPUT / "many_styles.npz")
LONGER = 8
LONG_FILE = str(OUTPUT / "long_clips.npz")


def body() -> Any:
    return bpy.data.objects["GenMM Sample"]


def recipe() -> Any:
    return recipe_of(body().animation_data.action)


def set_up() -> None:
    window.register_open("GENMM_PT_transform")
    window.only_sample()
    actions.assign(body(), bpy.data.actions["GenMM Walk"])
    motions = list(sample_motions(30.0).values()) * TIMES
    save(FILE, motions)
    save(LONG_FILE, [repeated(motion) for motion in motions[:60]])
    with context():
        bpy.ops.ed.undo_push(message="Start")


def save(file: str, motions: list[Motion]) -> None:
    save_library(Path(file), library_of(motions, [Clip(f"clip {n}", "", 0, 0) for n in range(len(motions))]))


def repeated(motion: Motion) -> Motion:
    return motion.with_channels({name: np.concatenate([one] * LONGER) for name, one in motion.channels().items()})


def press_read() -> None:
    with context():
        pressed = bpy.ops.genmm.read_attributes("INVOKE_DEFAULT", source="LIBRARY", library=LONG_FILE)
        facts.setdefault("pressed_read", []).append(sorted(pressed))


def rows() -> int:
    return len(bpy.context.scene.genmm.transform.attributes.values)


def note_rows(name: str) -> Any:
    def note_it() -> None:
        facts[name] = rows()

    return note_it


def press() -> None:
    with context():
        pressed = bpy.ops.genmm.restyle("INVOKE_DEFAULT", source="LIBRARY", library=FILE)
        facts.setdefault("pressed", []).append(sorted(pressed))


def note(name: str) -> Any:
    def note_it() -> None:
        found = recipe()
        facts[name] = None if found is None else found.kind

    return note_it


def is_ready() -> bool:
    return bool(examples._kept)


def is_ready_for_long() -> bool:
    return len(examples._kept) > 1


window.run(
    [
        (set_up, 0.0),
        (hold_work(), 0.0),
        (press, 0.0),
        (picture("work_library"), 0.0),
        (lambda: key("Escape"), DONE),
        (note("stopped"), 0.0),
        (hold_work(is_ready), 0.0),
        (press, 0.0),
        (until(is_ready), 0.3),
        (picture("work_beside"), 0.0),
        (let_go, 0.0),
        (until(lambda: recipe() is not None), DONE),
        (note("restyled"), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
        (hold_work(), 0.0),
        (press, 0.0),
        (lambda: key("Escape"), DONE),
        (note("stopped_at_work"), 0.0),
        (hold_work(is_ready_for_long), 0.0),
        (press_read, 0.0),
        (until(is_ready_for_long), 0.5),
        (picture("reading_beside"), 0.0),
        (lambda: key("Escape"), DONE),
        (note_rows("read_stopped"), 0.0),
        (let_go, 0.0),
        (press_read, 0.0),
        (until(lambda: rows() > 0), DONE),
        (note_rows("read"), 0.0),
    ]
)
