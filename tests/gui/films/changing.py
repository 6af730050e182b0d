# SPDX-License-Identifier: GPL-3.0-or-later
"""Films of changed actions, with their state before and after side by side."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bpy
import numpy as np
from film import (
    Film,
    Moment,
    choose,
    context,
    following,
    label,
    learn_from,
    play,
    rigs,
    sample,
    take,
    twin,
)

from genmm_addon.animation import actions

SIDE = 1.5
"""Distance between before and after, in meters."""
FRAMES = range(1, 76, 5)
EDITED = ("speed", "step_length", "arm_swing", "crouch")
"""Attributes that are changed."""
SHIN = ('pose.bones["Shin.L"].rotation_quaternion', 1)
"""The curve that gets flaws: its path and index."""


def before(name: str, word: str, aside: float = -SIDE) -> None:
    """Put a copy of the character, playing an action in its former state, to its side."""
    copy = twin(word, aside)
    play(name, copy)
    label(word, copy)


def press(name: str, **values: object) -> Callable[[], None]:
    """Return a step that presses a button of the extension."""

    def pressed() -> None:
        choose(sample())
        with context():
            getattr(bpy.ops.genmm, name)("EXEC_DEFAULT", True, **values)

    return pressed


def restyle() -> None:
    before("GenMM Walk", "walk")
    press("restyle", other_action="GenMM Walk Tired")()
    label("tired", sample())


def blend() -> None:
    before("GenMM Walk Tired", "tired")
    before("GenMM Walk Proud", "proud", SIDE)
    play("GenMM Walk Tired")
    press("blend_action", other_action="GenMM Walk Proud", share=0.5)()
    label("half-way", sample())


def read() -> None:
    before("GenMM Walk", "walk")
    bpy.context.scene.genmm.transform.other_action = "GenMM Walk Tired"
    press("read_attributes")()


def edit() -> None:
    """Move each slider to its more distant end."""
    for row in bpy.context.scene.genmm.transform.attributes.values:
        if row.name in EDITED:
            row.change = 1.0 if row.highest - row.value > row.value - row.lowest else -1.0
    press("edit_attributes")()
    label("edited", sample())


def flaws() -> None:
    """Add a spike and jitter to the walk, and show a copy of it beside the repaired walk."""
    walk = bpy.data.actions["GenMM Walk"]
    found = actions.fcurves_of(walk, actions.armature_slots(walk)[0])
    curve, random = next(one for one in found if (one.data_path, one.array_index) == SHIN), np.random.default_rng(1)
    for frame in (20, 21, *range(40, 76)):
        by = 0.5 if frame < 22 else float(random.normal(0.0, 0.12))
        curve.keyframe_points.insert(frame, curve.evaluate(frame) + by).interpolation = "LINEAR"
    curve.update()
    flawed = walk.copy()
    flawed.name = "Flawed"
    before("Flawed", "captured")
    press("repair")()
    label("repaired", sample())


def rough() -> None:
    """Keep every twelfth key of a walk, and make a copy of it natural."""
    walk = bpy.data.actions["GenMM Walk"]
    action, slot = actions.new_action("Rough", sample())
    factory = actions.curve_factory(action, slot)
    for curve in actions.fcurves_of(walk):
        new = factory.new(curve.data_path, curve.array_index)
        for frame in range(1, 140, 12):
            new.keyframe_points.insert(frame, curve.evaluate(frame)).interpolation = "LINEAR"
    kept = action.copy()
    kept.name = "Kept"
    before("Kept", "rough")
    actions.assign(sample(), action, slot)
    learn_from("GenMM Walk", "GenMM Walk Proud")
    press("make_natural", strength=1.0, range_choice="FRAMES", first_frame=13, last_frame=109)()
    label("natural", sample())


def two(turn: float, frames: range = FRAMES, distance: float = 4.6) -> Callable[[], Iterable[Moment]]:
    return following(frames, rigs, distance=distance, turn=turn, tilt=1.38, height=1.05)


take(
    [
        Film("restyle", [restyle], two(0.8)),
        Film("blend", [blend], two(0.3, distance=6.0)),
        Film("attributes", [(read, 6.0), (edit, 6.0)], two(0.5)),
        Film("repair", [flaws], two(0.8, range(14, 76, 4))),
        Film("make_natural", [rough], two(0.7, range(13, 90, 5))),
    ]
)
