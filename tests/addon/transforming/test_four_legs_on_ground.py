# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of an action on four legs, put on a slope: the body pitches with the ground."""

import bpy
import numpy as np
import pytest
from bpy.types import Object
from numpy.typing import NDArray

from genmm_addon.animation.actions import assigned
from genmm_addon.control_rigs.ground_in_action import ActionForGround, put_action_on_ground

pytestmark = pytest.mark.usefixtures("extension")

SLOPE = np.radians(15.0)
LEGS = {
    f"{name}.{side}": (f"{parent}.{side}" if "_" in parent else parent, (sign * 0.1, along, height))
    for side, sign in (("L", 1.0), ("R", -1.0))
    for name, parent, along, height in (
        ("fore_upper", "pelvis", 0.7, 0.55),
        ("fore_lower", "fore_upper", 0.62, 0.3),
        ("fore_paw", "fore_lower", 0.7, 0.03),
        ("hind_upper", "pelvis", 0.0, 0.55),
        ("hind_lower", "hind_upper", 0.1, 0.3),
        ("hind_paw", "hind_lower", 0.0, 0.03),
    )
}
"""Bones with their parents and heads, in meters; the dog looks along +Y."""


def make_dog() -> Object:
    """Return a dog that stands from frame 0 to 59, with keys of all its bones."""
    armature = bpy.data.armatures.new("Dog")
    dog = bpy.data.objects.new("Dog", armature)
    bpy.context.scene.collection.objects.link(dog)
    bpy.context.view_layer.objects.active = dog
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (parent, head) in {"pelvis": ("", (0.0, 0.0, 0.6)), **LEGS}.items():
        bone = armature.edit_bones.new(name)
        bone.head = head
        bone.tail = (0.0, 0.7, 0.6) if not parent else (head[0], head[1] + 0.05, head[2])
        bone.parent = armature.edit_bones.get(parent)
    bpy.ops.object.mode_set(mode="OBJECT")
    for frame in (-0.0001, 59):
        for posed in dog.pose.bones:
            posed.keyframe_insert("rotation_quaternion", frame=frame)
        dog.pose.bones["pelvis"].keyframe_insert("location", frame=frame)
    return dog


def heads_of(dog: Object, frame: int) -> dict[str, NDArray[np.float64]]:
    """Return the places `(3,)` of the bones' heads in the world."""
    bpy.context.scene.frame_set(frame)
    return {bone.name: np.array(dog.matrix_world @ bone.head) for bone in dog.pose.bones}


def test_the_body_pitches_with_the_slope_and_paws_stand_on_it() -> None:
    bpy.context.scene.render.fps = 30
    dog = make_dog()
    action, slot = assigned(dog) or pytest.fail("The dog has no action.")
    rise = 9.0 * np.tan(SLOPE)
    mesh = bpy.data.meshes.new("Slope")
    mesh.from_pydata([(-9, -9, -rise), (9, -9, -rise), (9, 9, rise), (-9, 9, rise)], [], [(0, 1, 2, 3)])
    slope = bpy.data.objects.new("Slope", mesh)
    bpy.context.scene.collection.objects.link(slope)
    bpy.context.view_layer.update()
    before = heads_of(dog, 30)
    done = put_action_on_ground(ActionForGround(dog, bpy.context.scene, action, slot, slope))
    assert f"{done.first:g} to {done.last:g}" == "0 to 59", "a key just before frame 0 is not shown as -0"
    after = heads_of(dog, 30)
    body = [(after[f"fore_upper.{side}"] - after[f"hind_upper.{side}"])[1:] for side in "LR"]
    assert np.degrees([np.arctan2(up, along) for along, up in body]) == pytest.approx(np.degrees(SLOPE), abs=1.0)
    for paw in (name for name in LEGS if "paw" in name):
        assert after[paw][2] - after[paw][1] * np.tan(SLOPE) == pytest.approx(before[paw][2], abs=0.02)
