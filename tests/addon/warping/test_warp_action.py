# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion Warp in an action: contacts follow the object, the rest stays, on layers too, and refusals change nothing."""

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from mathutils import Matrix
from numpy.typing import NDArray

from genmm_addon.animation.actions import assign, assigned
from genmm_addon.animation.layers.edit_layer import layer_of
from genmm_addon.animation.stretches.fingerprints import fingerprint
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.control_rigs.warp_in_action import warp_in_action

pytestmark = pytest.mark.usefixtures("extension")

HAND, FIRST, LAST = "Hand.R", 70, 80
"""The hand that rests on a table, and the frames at which it does."""
WINDOW = {"range_choice": "FRAMES", "first_frame": 20, "last_frame": 130}
MOVE = np.array([0.2, 0.15, 0.05])


def place_of(character: Object, bone: str, frames: range) -> NDArray[np.float64]:
    """Return the positions `(T, 3)` of a bone's head in the world."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(np.array(character.matrix_world @ character.pose.bones[bone].head))
    return np.array(found)


def add_box(name: str, center: NDArray[np.float64]) -> Object:
    """Add a box of 10 cm."""
    corners = [(x, y, z) for x in (-0.05, 0.05) for y in (-0.05, 0.05) for z in (-0.05, 0.05)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], [(0, 1, 3, 2)])
    box = bpy.data.objects.new(name, mesh)
    box.location = center.tolist()
    bpy.context.scene.collection.objects.link(box)
    bpy.context.view_layer.update()
    return box


@pytest.fixture
def character() -> Object:
    """Return the sample, which walks and rests its hand on a table at its side, with the table and its new place."""
    bpy.context.scene.render.fps = 30
    sample = add_sample_character(bpy.context)
    walker = sample.armature
    assign(walker, next(action for action in sample.actions if action.name.endswith("Walk")))
    bpy.context.view_layer.objects.active = walker
    at = place_of(walker, HAND, range(75, 76))[0] + np.array([0.0, 0.0, 0.15])
    add_box("Table", at)
    bpy.ops.genmm.reach_in_action(places=f"{HAND} at Table {FIRST}-{LAST}")
    add_box("Target", at + MOVE)
    return walker


def played(character: Object) -> tuple[Action, str]:
    playing = assigned(character)
    assert playing is not None
    return playing


def warp(**values: object) -> set[str]:
    return set(bpy.ops.genmm.warp_motion(**{"original": "Table", "target": "Target", **WINDOW, **values}))


@pytest.mark.slow
def test_the_hand_rests_on_the_target_and_the_rest_stays(character: Object) -> None:
    whole = range(1, 150)
    before = {bone.name: place_of(character, bone.name, whole) for bone in character.pose.bones}
    assert warp() == {"FINISHED"}
    after = {bone: place_of(character, bone, whole) for bone in before}
    moved = (after[HAND] - before[HAND])[FIRST - 1 : LAST]
    assert np.abs(moved - MOVE).max() < 0.01
    for bone, places in after.items():
        assert np.abs(places[:20] - before[bone][:20]).max() < 1e-5
        assert np.abs(places[129:] - before[bone][129:]).max() < 1e-5


def test_a_character_that_is_scaled_and_turned_meets_the_target_too(character: Object) -> None:
    turned = Matrix.Translation((3.0, 1.0, 0.5)) @ Matrix.Rotation(2.0, 4, "Z") @ Matrix.Scale(0.5, 4)
    for thing in (character, bpy.data.objects["Table"], bpy.data.objects["Target"]):
        thing.matrix_world = turned @ thing.matrix_world
    bpy.context.view_layer.update()
    rests = range(FIRST, LAST + 1)
    before = place_of(character, HAND, rests)
    assert warp() == {"FINISHED"}
    expected = np.array(turned.to_3x3()) @ MOVE
    assert np.abs(place_of(character, HAND, rests) - before - expected).max() < 0.005


def test_hands_on_targets_of_inverse_kinematics_are_refused_beside_keyed_legs(character: Object) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    control = character.data.edit_bones.new("Control")
    hand = character.data.edit_bones[HAND]
    control.head, control.tail = hand.head, hand.tail
    bpy.ops.object.mode_set(mode="POSE")
    constraint = character.pose.bones[HAND].parent.constraints.new("IK")
    constraint.target, constraint.subtarget, constraint.chain_count = character, "Control", 2
    for frame in (1, 150):
        character.pose.bones["Control"].location = (0.0, 0.001 * frame, 0.0)
        character.pose.bones["Control"].keyframe_insert("location", frame=frame)
    before = fingerprint(*played(character))
    with pytest.raises(RuntimeError, match=r'"Control" moves "Hand\.R" by inverse kinematics'):
        warp()
    assert fingerprint(*played(character)) == before


def test_a_range_too_short_for_a_calm_warp_is_reported(character: Object) -> None:
    far = add_box("Far", np.array(bpy.data.objects["Table"].location) + np.array([0.6, 0.4, 0.0]))
    table, (action, slot) = bpy.data.objects["Table"], played(character)
    copy = action.copy()
    calm = warp_in_action(character, bpy.context.scene, action, slot, table, bpy.data.objects["Target"], (20, 130))
    assert calm.notes == () and calm.joints == (HAND,)
    assign(character, copy, slot)
    quick = warp_in_action(character, bpy.context.scene, copy, slot, table, far, (62, 90))
    assert len(quick.notes) == 1 and "may jerk visibly" in quick.notes[0]


def test_on_a_layer_the_hand_goes_the_same_way_and_the_action_keeps_its_keys(character: Object) -> None:
    keys = fingerprint(*played(character))
    plain = played(character)
    assign(character, plain[0].copy(), plain[1])
    warp()
    expected = place_of(character, HAND, range(20, 130))
    assign(character, *plain)
    bpy.context.scene.genmm.filling.edits = "LAYER"
    assert warp() == {"FINISHED"}
    assert layer_of(character) is not None and fingerprint(*plain) == keys
    assert np.abs(place_of(character, HAND, range(20, 130)) - expected).max() < 1e-3


def test_an_object_that_stays_changes_nothing(character: Object) -> None:
    before = fingerprint(*played(character))
    assert warp(target="Table") == {"FINISHED"}
    assert fingerprint(*played(character)) == before


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"target": ""}, "Target has no object"),
        ({"original": "Nothing"}, '"Nothing" was not found'),
        ({"first_frame": 90}, "No hand, foot or hips rest on the object at frames 90 to 130"),
        ({"first_frame": 75}, "already rests on the object at frame 75"),
        ({"first_frame": 960, "last_frame": 980}, "too few for a warp; choose a longer range within 1 to"),
        ({"target": "High"}, "out of reach"),
    ],
)
def test_a_refusal_changes_nothing(character: Object, values: dict[str, object], sentence: str) -> None:
    add_box("High", np.array(bpy.data.objects["Table"].location) + np.array([0.0, 0.0, 3.0]))
    before = fingerprint(*played(character))
    with pytest.raises(RuntimeError, match=sentence):
        warp(**values)
    assert fingerprint(*played(character)) == before
