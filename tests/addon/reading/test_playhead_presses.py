# SPDX-License-Identifier: GPL-3.0-or-later
"""Presses at any playhead: what strips and drivers animate beside the examples gives every operator one result."""

import math
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from commands import save
from interface import results_of, select
from rigs import empty_file, evaluated, key

from genmm_addon.animation import actions
from genmm_addon.animation.curves import key_values
from genmm_addon.animation.rig import bone_path
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.command_line.command import main
from genmm_addon.core.library import load_library
from genmm_addon.core.motion import load_motion

pytestmark = pytest.mark.usefixtures("extension")

PLAYHEADS = (-30.0, 61.5)
Press = Callable[[Object], Any]


def without(action: Action, bone: str) -> Action:
    """Remove a bone's curves from an action."""
    holder = actions.curve_holders(action)[0]
    for curve in [curve for curve in holder.fcurves if f'"{bone}"' in curve.data_path]:
        holder.fcurves.remove(curve)
    return action


def moved_by_a_strip() -> Object:
    """Return the sample, which plays a copy of its walk, with a bone and the object moved by a strip."""
    bpy.context.scene.render.fps = 30
    sample = add_sample_character(bpy.context)
    rig = sample.armature
    select(rig)
    bone = rig.pose.bones[SPINE].name
    walk, proud, dance = (bpy.data.actions[f"GenMM {name}"] for name in ("Walk", "Walk Proud", "Dance"))
    for action in sample.actions:
        if action in (walk, proud, dance):
            without(action, bone)
        else:
            bpy.data.actions.remove(action)
    own = walk.copy()
    own.name = "Mine"
    actions.assign(rig, own)
    other, slot = actions.new_action("Other", rig)
    for index in range(4):
        low, high = (1.0, 0.6) if index == 0 else (0.0, 0.5)
        key(other, slot, f"{bone_path(bone)}.rotation_quaternion", index, [(-40, low), (1000, high)])
        if index:
            key(other, slot, f"{bone_path(bone)}.rotation_euler", index - 1, [(-40, 0.0), (1000, 0.8)])
    key(other, slot, f"{bone_path(bone)}.scale", 1, [(-40, 0.5), (1000, 2.0)])
    key(other, slot, f"{bone_path(bone)}.rotation_mode", 0, [(-40, 0.0), (60, 1.0)], "CONSTANT")
    key(other, slot, "rotation_euler", 0, [(-40, 0.0), (1000, 1.5)])
    key(other, slot, "location", 0, [(-40, 0.0), (1000, 90.0)])
    rig.animation_data.nla_tracks.new().strips.new("Other", -40, other)
    for action in (walk, proud):
        bpy.ops.genmm.add_example(action=action.name)
    while len(rig.genmm.examples) > 2:
        rig.genmm.examples.remove(0)
    rig.genmm.frames = 60
    bpy.context.view_layer.update()
    return rig


SPINE = 1


def keys_of(action: Action) -> list[tuple[str, int, int]]:
    return [
        (curve.data_path, curve.array_index, hash(key_values(curve).tobytes()))
        for holder in actions.curve_holders(action)
        for curve in holder.fcurves
    ]


def generate(output: str, **values: Any) -> Press:
    def press(rig: Object) -> Any:
        rig.genmm.output = output
        rig.genmm.seed, rig.genmm.new_seed = 3, False
        for name, value in values.items():
            setattr(rig.genmm, name, value)
        assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
        made = [one for one in bpy.data.actions if one.get("genmm_recipe") or "Gen " in one.name]
        # The place of a copy depends on the free ground at the playhead.
        return [keys_of(one) for one in made], [evaluated(one, [1, 1, 30, 30])[1::2, 1:] for one in results_of(rig)]

    return press


def edited(operator: str, **values: Any) -> Press:
    def press(rig: Object) -> Any:
        assert getattr(bpy.ops.genmm, operator)(**values) == {"FINISHED"}
        return keys_of(bpy.data.actions["Mine"])

    return press


def pinned(rig: Object) -> Any:
    scene, before = bpy.context.scene, bpy.context.scene.frame_current_final
    for frame in (20, 40):
        scene.frame_set(frame)
        bpy.ops.genmm.pin_pose(place=True)
    scene.frame_set(math.floor(before), subframe=before % 1.0)
    return generate("NEW_ACTION", use_pins=True)(rig)


def mirrored(rig: Object) -> Any:
    for row in rig.genmm.examples:
        row.mirrored = "BOTH"
    return generate("NEW_ACTION")(rig)


def commanded(rig: Object) -> Any:
    with TemporaryDirectory() as folder:
        path = save(Path(folder), "hero")
        out = Path(folder) / "out.npz"
        assert main(["generate", str(path), "--frames", "60", "--seeds", "3", "-o", str(out)]) == 0
        assert main(["library", "build", str(path), "-o", str(Path(folder) / "library.npz")]) == 0
        made = [load_motion(out), load_library(Path(folder) / "library.npz").motion(0)]
        return [list(motion.channels().values()) for motion in made]


def on_path(rig: Object) -> Any:
    bpy.ops.curve.primitive_bezier_curve_add(radius=5.0)
    curve = bpy.context.object
    select(rig)
    rig.genmm.use_path, rig.genmm.path_curve = True, curve
    return generate("NEW_ACTION")(rig)


RANGE = {"range_choice": "FRAMES", "first_frame": 41, "last_frame": 71}
PRESSES = {
    "keyed": generate("NEW_ACTION", channels="CHANNELS"),
    "visual": generate("NEW_ACTION", channels="VISUAL"),
    "strip": generate("NLA_STRIP"),
    "character": generate("NEW_CHARACTER"),
    "fill": edited("fill_range", **RANGE),
    "natural": edited("make_natural", **RANGE),
    "continue": edited("continue_action", frames=40, start="LAST_KEY"),
    "pins": pinned,
    "path": on_path,
    "mirrored": mirrored,
    "command line": commanded,
    "connect": edited("connect_action", action="GenMM Dance"),
}


READING = ("visual", "fill", "pins", "command line")
"""Presses that read other data of Blender than the first, or in other ways; the rest read as one of these does."""
CASES = [pytest.param(name, marks=[pytest.mark.every_case] if name in READING else []) for name in PRESSES]


@pytest.mark.parametrize("name", CASES)
def test_a_press_gives_the_same_at_any_playhead(name: str) -> None:
    found = []
    for playhead in PLAYHEADS:
        empty_file()
        rig = moved_by_a_strip()
        bpy.context.scene.frame_set(math.floor(playhead), subframe=playhead % 1.0)
        found.append(PRESSES[name](rig))
        if name != "command line":
            assert bpy.context.scene.frame_current_final == playhead
    np.testing.assert_equal(found[1], found[0])
