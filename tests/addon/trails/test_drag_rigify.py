# SPDX-License-Identifier: GPL-3.0-or-later
"""Trails dragged on a control rig: controls and the bones that follow them are at their places in the world."""

import bpy
import numpy as np
import pytest
from bpy.types import Object
from mathutils import Euler, Vector
from rigify_human import generated_human
from rigs import key

from genmm_addon.animation import actions

FRAME, REACH = 60, 15
SAME = 2e-3
"""Meters."""
OFFSET = Vector((0.05, -0.1, 0.08))


def head(rig: Object, bone: str, frame: int) -> Vector:
    """Return the place of a bone in the world, as Blender evaluates it."""
    bpy.context.scene.frame_set(frame)
    return rig.matrix_world @ rig.pose.bones[bone].head


def sway(rig: Object) -> None:
    """Have the torso and one hand's IK control sway, by keys of their locations, and the other arm by its FK."""
    action, slot = actions.new_action("Sway", rig)
    for bone in ("torso", "hand_ik.R"):
        for axis in range(3):
            values = [(float(frame), 0.03 * np.sin(frame / 12 + axis)) for frame in range(1, 101, 4)]
            key(action, slot, f'pose.bones["{bone}"].location', axis, values)
    for bone in ("upper_arm_fk.L", "forearm_fk.L"):
        rig.pose.bones[bone].rotation_mode = "XYZ"
        for axis in range(3):
            turns = [(float(frame), (axis == 0) * (0.4 + 0.2 * np.sin(frame / 12))) for frame in range(1, 101, 4)]
            key(action, slot, f'pose.bones["{bone}"].rotation_euler', axis, turns)
    rig.pose.bones["upper_arm_parent.L"]["IK_FK"] = 1.0
    actions.assign(rig, action, slot)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    rig.location, rig.rotation_euler = (1.0, 0.5, 0.0), Euler((0.0, 0.0, 1.0))
    bpy.context.view_layer.update()


def test_controls_of_both_kinds_and_the_bones_that_follow_them_are_dragged() -> None:
    with generated_human() as rig:
        sway(rig)
        outside = [*range(1, FRAME - REACH, 6), *range(FRAME + REACH + 1, 100, 6)]
        for control, shown in (("hand_ik.R", "DEF-hand.R"), ("hand_fk.L", "DEF-hand.L"), ("torso", "torso")):
            before = [head(rig, shown, frame) for frame in outside]
            start, foot = head(rig, shown, FRAME), head(rig, "DEF-foot.L", FRAME)
            bpy.ops.genmm.drag_trail(bone=control, frame=FRAME, offset=OFFSET, reach=REACH)
            assert (head(rig, shown, FRAME) - start - OFFSET).length < SAME
            assert (head(rig, "DEF-foot.L", FRAME) - foot).length < SAME
            assert (
                max((head(rig, shown, frame) - place).length for frame, place in zip(outside, before, strict=True))
                < SAME
            )


def test_a_bone_that_no_keys_move_is_refused() -> None:
    with generated_human() as rig:
        sway(rig)
        with pytest.raises(RuntimeError, match='No keys move "root"'):
            bpy.ops.genmm.drag_trail(bone="root", frame=FRAME, offset=OFFSET, reach=REACH)
