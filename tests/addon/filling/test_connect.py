# SPDX-License-Identifier: GPL-3.0-or-later
"""Connect: another action follows an action in place, after a transition, and the root continues."""

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from numpy.typing import NDArray

from genmm_addon.animation.actions import armature_slots, assign, fcurves_of
from genmm_addon.animation.curves import key_values
from genmm_addon.character.sample.sample_character import add_sample_character

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def character() -> Object:
    """Return the sample, which plays a copy of its walk and learns from its walks."""
    sample = add_sample_character(bpy.context)
    walk = next(action for action in sample.actions if action.name.endswith("Walk"))
    own = walk.copy()
    own.name = "Mine"
    assign(sample.armature, own)
    bpy.context.view_layer.objects.active = sample.armature
    for name in ("GenMM Walk", "GenMM Walk Proud"):
        bpy.ops.genmm.add_example(action=name)
    return sample.armature


def keys(action: Action) -> dict[tuple[str, int], NDArray[np.float64]]:
    slot = armature_slots(action)[0]
    return {(curve.data_path, curve.array_index): key_values(curve) for curve in fcurves_of(action, slot)}


def joints(character: Object, first: int, last: int) -> NDArray[np.float64]:
    found = []
    for frame in range(first, last + 1):
        bpy.context.scene.frame_set(frame)
        found.append([np.array(bone.head) for bone in character.pose.bones])
    return np.array(found)


def test_the_other_action_follows_where_the_transition_leads(character: Object) -> None:
    mine, proud = bpy.data.actions["Mine"], bpy.data.actions["GenMM Walk Proud"]
    before, other = keys(mine), keys(proud)
    last, seconds = int(mine.frame_range[1]), bpy.context.scene.render.fps
    own = joints(character, 1, last)
    assert bpy.ops.genmm.connect_action(action=proud.name) == {"FINISHED"}
    after = keys(mine)
    end = int(max(values[-1, 0] for values in after.values()))
    # At most a second is left out on either side, and a transition of some frames is added.
    assert 2 * last - 2 * seconds <= end <= 2 * last + 1.3 * seconds
    for name, values in before.items():
        assert (after[name][: last - seconds] == values[: last - seconds]).all()
    assert all((keys(proud)[name] == values).all() for name, values in other.items())
    there = joints(character, 1, end)
    for order in (1, 2):
        most = np.linalg.norm(np.diff(own, order, axis=0), axis=2).max()
        seams = np.linalg.norm(np.diff(there[last - seconds - 3 : last + 2 * seconds], order, axis=0), axis=2).max()
        assert seams <= 1.25 * most
    # Two walks in sequence cover more distance than one.
    assert np.linalg.norm(there[-1, 0] - there[0, 0]) > 1.5 * np.linalg.norm(own[-1, 0] - own[0, 0])


def test_without_sliding_all_of_both_stays(character: Object) -> None:
    before = keys(bpy.data.actions["Mine"])
    assert bpy.ops.genmm.connect_action(action="GenMM Walk Proud", slide=0) == {"FINISHED"}
    after = keys(bpy.data.actions["Mine"])
    for name, values in before.items():
        assert (after[name][: len(values)] == values).all()


def test_a_leap_that_no_example_makes_is_reported(character: Object, capfd: pytest.CaptureFixture[str]) -> None:
    high = bpy.data.actions["GenMM Walk Proud"].copy()
    for curve in (one for one in fcurves_of(high) if "location" in one.data_path):
        for key in curve.keyframe_points:
            key.co.y += 2.0
    for name, said in (("GenMM Walk Proud", False), (high.name, True)):
        assert bpy.ops.genmm.connect_action(action=name) == {"FINISHED"}
        assert ("times as sudden" in capfd.readouterr().out) == said


def test_unusable_actions_to_connect_are_rejected_with_one_sentence(character: Object) -> None:
    bpy.data.actions.new("Empty")
    sentences = {
        "Mine": "no other action to continue with",
        "None": '"None" was not found',
        "": "No other action is chosen",
        "Empty": r"no (slot|motion|keys)",
    }
    for name, said in sentences.items():
        with pytest.raises(RuntimeError, match=said):
            bpy.ops.genmm.connect_action(action=name)


def test_keys_far_from_all_others_are_named_before_anything_follows_them(character: Object) -> None:
    character.genmm.examples.clear()
    bpy.ops.genmm.add_example(action="GenMM Walk")
    character.genmm.examples.remove(0)
    for name, connects in (("Mine", True), ("GenMM Dance", True), ("Mine", False)):
        points = fcurves_of(bpy.data.actions[name])[0].keyframe_points
        points.insert(100_000, 0.0)
        with pytest.raises(RuntimeError, match=f'"{name}" has keys at .* and one at 100,000; delete the keys'):
            bpy.ops.genmm.connect_action(action="GenMM Dance") if connects else bpy.ops.genmm.continue_action()
        points.remove(points[-1])
