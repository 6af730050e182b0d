# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands at objects on a control rig, whose evaluated bones must reach the objects."""

import math

import bpy
import pytest
from bpy.types import Object
from mathutils import Vector
from rigify_human import generated_human
from rigs import key

from genmm_addon.animation import actions

FIRST, LAST = 40, 60


def animate(rig: Object) -> None:
    """Sway torso, chest and an arm by forward kinematics."""
    action, slot = actions.new_action("Sway", rig)
    frames = range(1, 101, 4)
    for bone, channel in (("torso", "location"), ("hand_ik.R", "location"), ("chest", "rotation_euler")):
        for axis in range(3):
            values = [(float(frame), 0.03 * math.sin(frame / 12 + axis)) for frame in frames]
            key(action, slot, f'pose.bones["{bone}"].{channel}', axis, values)
    for bone, amount, middle in (("upper_arm_fk.R", 0.25, 0.0), ("forearm_fk.R", 0.3, 0.4), ("hand_fk.R", 0.1, 0.0)):
        for axis in range(3):
            swing = [(float(frame), (axis == 0) * (middle + amount * math.sin(frame / 12))) for frame in frames]
            key(action, slot, f'pose.bones["{bone}"].rotation_euler', axis, swing)
    for bone in ("chest", "upper_arm_fk.R", "forearm_fk.R", "hand_fk.R"):
        rig.pose.bones[bone].rotation_mode = "XYZ"
    actions.assign(rig, action, slot)
    rig.pose.bones["upper_arm_parent.R"]["IK_FK"] = 1.0


def test_a_control_of_a_rigify_rig_is_at_its_object() -> None:
    bone = "hand_fk.R"
    with generated_human() as rig:
        animate(rig)
        scene = bpy.context.scene
        scene.frame_set(50)
        handle = bpy.data.objects.new("Handle", None)
        scene.collection.objects.link(handle)
        handle.location = rig.matrix_world @ rig.pose.bones[bone].head + Vector((0.0, -0.1, 0.08))
        bpy.context.view_layer.objects.active = rig
        rig.select_set(True)
        assert bpy.ops.genmm.reach_in_action(places=f"{bone} at Handle {FIRST}-{LAST}") == {"FINISHED"}
        for frame in range(FIRST, LAST + 1, 5):
            scene.frame_set(frame)
            head = rig.matrix_world @ rig.pose.bones[bone].head
            assert (head - handle.location).length < 2e-3


def animate_hand_control(rig: Object) -> None:
    """Sway the inverse kinematics control of an arm, by keys of its location alone."""
    action, slot = actions.new_action("Sway Hand", rig)
    for bone in ("torso", "hand_ik.R"):
        for axis in range(3):
            values = [(float(frame), 0.03 * math.sin(frame / 12 + axis)) for frame in range(1, 101, 4)]
            key(action, slot, f'pose.bones["{bone}"].location', axis, values)
    actions.assign(rig, action, slot)


def test_a_control_with_location_keys_is_at_its_object_and_its_hand_with_it() -> None:
    """Rigify stores the location of hand_ik in the armature's axes, not in those of the bone."""
    with generated_human() as rig:
        animate_hand_control(rig)
        scene = bpy.context.scene
        scene.frame_set(50)
        handle = bpy.data.objects.new("Handle", None)
        scene.collection.objects.link(handle)
        start = rig.matrix_world @ rig.pose.bones["hand_ik.R"].head
        bpy.context.view_layer.objects.active = rig
        rig.select_set(True)
        rig.pose.bones["upper_arm_parent.R"]["IK_Stretch"] = 0.0
        handle.location = start + Vector((-1.5, 0.0, 0.0))
        with pytest.raises(RuntimeError, match=r"out of reach at frame \d+: the chain of"):
            bpy.ops.genmm.reach_in_action(places=f"hand_ik.R at Handle {FIRST}-{LAST}")
        handle.location = start + Vector((0.05, -0.1, 0.08))
        assert bpy.ops.genmm.reach_in_action(places=f"hand_ik.R at Handle {FIRST}-{LAST}") == {"FINISHED"}
        for frame in range(FIRST, LAST + 1, 5):
            scene.frame_set(frame)
            for bone in ("hand_ik.R", "DEF-hand.R"):
                assert (rig.matrix_world @ rig.pose.bones[bone].head - handle.location).length < 2e-3
