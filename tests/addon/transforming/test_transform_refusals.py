# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions that Restyle, Blend, Edit and Repair refuse at once, in one sentence that names them, without a change."""

from collections.abc import Callable

import bpy
import pytest
from bpy.types import Action, Object
from characters import action_of, walking_sample

from genmm_addon.animation.actions import armature_slots, fcurves_of
from genmm_addon.animation.stretches.key_tables import read_keys

pytestmark = pytest.mark.usefixtures("extension")

WALK, TIRED = "GenMM Walk", "GenMM Walk Tired"
OPERATORS = {
    "restyle": lambda: bpy.ops.genmm.restyle(other_action=TIRED),
    "blend": lambda: bpy.ops.genmm.blend_action(other_action=TIRED),
    "read": lambda: bpy.ops.genmm.read_attributes(other_action=TIRED),
    "edit": lambda: bpy.ops.genmm.edit_attributes(other_action=TIRED, attributes="speed=0.9x"),
    "find": lambda: bpy.ops.genmm.find_flaws(source="ACTION", other_action=TIRED),
    "repair": lambda: bpy.ops.genmm.repair(source="ACTION", other_action=TIRED, what="EVERYTHING"),
}


@pytest.fixture
def character() -> Object:
    return walking_sample()


def curves_of(action: Action) -> list[bpy.types.FCurve]:
    return list(fcurves_of(action, armature_slots(action)[0]))


def everything() -> dict[str, object]:
    """Return all keys of all actions as bytes, and whether each action has a fake user."""
    return {
        action.name: (action.use_fake_user, [read_keys(curve).places.tobytes() for curve in curves_of(action)])
        for action in bpy.data.actions
    }


def key_at(frame: float) -> Callable[[Action], None]:
    def insert(action: Action) -> None:
        curves_of(action)[0].keyframe_points.insert(frame, 0.0)

    return insert


def last_key_nowhere(action: Action) -> None:
    curves_of(action)[5].keyframe_points[-1].co.x = float("inf")


def one_pose(action: Action) -> None:
    for curve in curves_of(action):
        while len(curve.keyframe_points) > 1:
            curve.keyframe_points.remove(curve.keyframe_points[-1], fast=True)
        curve.update()


def muted(action: Action) -> None:
    for curve in curves_of(action):
        curve.mute = True


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("name", [WALK, TIRED])
def test_keys_far_from_all_others_are_named_at_once(character: Object, operator: str, name: str) -> None:
    key_at(100_000)(bpy.data.actions[name])
    before = everything()
    with pytest.raises(RuntimeError, match=f'"{name}" has keys at 1-301 and one at 100,000; delete the keys'):
        OPERATORS[operator]()
    assert everything() == before and action_of(character).name == WALK


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (last_key_nowhere, "a key beyond all frames that Blender can play"),
        (one_pose, "keys at frame 1 alone, which is a pose|no motion for this character"),
        (muted, "no keys for this character but in muted channels"),
    ],
)
@pytest.mark.parametrize("operator", ["restyle", "repair"])
def test_an_action_without_a_motion_is_named(
    character: Object, spoil: Callable[[Action], None], sentence: str, operator: str
) -> None:
    spoil(action_of(character))
    before = everything()
    with pytest.raises(RuntimeError, match=f'"{WALK}" has (?:{sentence})'):
        OPERATORS[operator]()
    assert everything() == before


def test_another_action_of_one_pose_is_too_short(character: Object) -> None:
    one_pose(bpy.data.actions[TIRED])
    with pytest.raises(RuntimeError, match="The longest of the examples has 1 frame, too few"):
        OPERATORS["blend"]()
    assert action_of(character).name == WALK
