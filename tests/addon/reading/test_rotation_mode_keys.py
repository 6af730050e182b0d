# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotation modes that an action switches: each frame is read in the mode that plays there, wherever the playhead is."""

import math

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from rigs import evaluated, key, largest_difference, make_rig

from genmm_addon.animation import actions
from genmm_addon.animation.reading.examples import ExampleSpec, Reading, read_examples
from genmm_addon.animation.rig import bone_path
from genmm_addon.animation.rotation_modes import NUMBERS, property_of, width_of
from genmm_addon.animation.stretches.checks import check_action
from genmm_addon.animation.writing import write_action
from genmm_addon.core import InputError

BONES = ("hips", "spine", "head")
FRAMES = range(1, 41)


def add_turns(action: Action, slot: str, path: str, mode: str) -> None:
    for index in range(width_of(mode)):
        values = [(frame, 0.6 * math.sin(0.2 * frame + 1.3 * index) + 0.3) for frame in FRAMES]
        key(action, slot, f"{path}{property_of(mode)}", index, values)


def switching(modes: tuple[str, ...], joint: str = "spine") -> tuple[Object, Action]:
    """Return a rig and its action, which switches the mode of a bone, "" for the object, at even intervals."""
    rig = make_rig(BONES)
    action, slot = actions.new_action("Switching", rig)
    path = f"{bone_path(joint)}." if joint else ""
    steps = [(1 + number * 40 // len(modes), float(NUMBERS[mode])) for number, mode in enumerate(modes)]
    for name in sorted({property_of(mode): mode for mode in modes}.values()):
        add_turns(action, slot, path, name)
    key(action, slot, f"{path}rotation_mode", 0, steps, "CONSTANT")
    add_turns(action, slot, f"{bone_path('head')}.", "QUATERNION")
    actions.assign(rig, action)
    return rig, action


def read(rig: Object, action: Action, visual: bool | None = None) -> Reading:
    return read_examples(rig, [ExampleSpec(action)], scene=bpy.context.scene, visual=visual)


def seen_of(rig: Object) -> np.ndarray:
    # Setting a mode converts the values that were just evaluated: only the second evaluation of a frame is steady.
    return evaluated(rig, np.repeat(FRAMES, 2).tolist())[1::2]


MODES = [
    ("QUATERNION", "XYZ"),
    ("XYZ", "QUATERNION"),
    ("XYZ", "ZYX"),
    ("AXIS_ANGLE", "QUATERNION", "YXZ"),
    ("XYZ",),
    ("AXIS_ANGLE",),
]


@pytest.mark.parametrize("modes", MODES, ids="-".join)
@pytest.mark.parametrize("joint", ["spine", ""], ids=["bone", "object"])
@pytest.mark.parametrize("visual", [None, True])
def test_result_plays_like_the_action_at_any_playhead_position(
    modes: tuple[str, ...], joint: str, visual: bool | None
) -> None:
    rig, action = switching(modes, joint)
    seen = seen_of(rig)
    channels = []
    for playhead in (1, 40):
        bpy.context.scene.frame_set(playhead)
        reading = read(rig, action, visual)
        written = write_action(reading.motions[0], reading.keyed, rig, name="Copy")
        actions.assign(rig, written.action, written.slot)
        assert largest_difference(seen_of(rig), seen, 1.0) < 1e-4
        actions.assign(rig, action)
        channels.append(reading)
    assert all(
        np.array_equal(one, other)
        for one, other in zip(*(reading.motions[0].channels().values() for reading in channels), strict=True)
    )
    assert channels[0].keyed == channels[1].keyed


def test_rotation_keys_in_a_mode_that_never_plays_are_left_out_and_noted() -> None:
    rig, action = switching(("QUATERNION", "AXIS_ANGLE"))
    add_turns(action, "", f"{bone_path('spine')}.", "XYZ")
    assert any("do not play" in note and "spine" in note for note in read(rig, action).notes)


def test_a_mode_without_rotation_keys_is_read() -> None:
    rig = make_rig(BONES)
    action, slot = actions.new_action("Mode", rig)
    key(action, slot, f"{bone_path('spine')}.rotation_mode", 0, [(1, 0.0), (20, 1.0)], "CONSTANT")
    add_turns(action, slot, f"{bone_path('head')}.", "QUATERNION")
    actions.assign(rig, action)
    rig.pose.bones["spine"].rotation_euler = (0.5, 0.0, 0.0)
    motion = read(rig, action).motions[0]
    assert np.abs(motion.rotations[25, 1] - motion.rotations[5, 1]).max() > 0.1


def test_an_action_that_switches_modes_is_not_edited_in_place() -> None:
    rig, action = switching(("QUATERNION", "XYZ"))
    with pytest.raises(InputError, match="Convert Rotation Modes"):
        check_action(rig, action)
    check_action(*switching(("XYZ",)))
