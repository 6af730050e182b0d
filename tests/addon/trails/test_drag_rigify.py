# SPDX-License-Identifier: GPL-3.0-or-later
"""Trails dragged on a control rig: controls and the bones that follow them are at their places in the world."""

import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import select
from mathutils import Euler, Vector
from rigify_human import generated_human
from rigs import key

from genmm_addon.animation import actions
from genmm_addon.character.sample.sample_character import add_sample_character

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


def bring_walk(rig: Object, forward: float) -> None:
    """Have the rig walk as the sample does, by keys of its limbs' controls of forward or inverse kinematics."""
    bpy.context.scene.render.fps = 30
    sample = add_sample_character(bpy.context).armature
    playing = actions.assigned(sample)
    assert playing is not None
    for limb in ("thigh_parent.L", "thigh_parent.R", "upper_arm_parent.L", "upper_arm_parent.R"):
        rig.pose.bones[limb]["IK_FK"] = forward
    bpy.context.view_layer.update()
    select(rig)
    bpy.ops.genmm.bring_action(origin="ARMATURE", armature=sample.name, action=playing[0].name)


@pytest.mark.parametrize("bone", ["hand_fk.L", "forearm_fk.L"])
def test_an_arm_is_dragged_where_constraints_turn_the_bones_that_it_hangs_from(bone: str) -> None:
    with generated_human() as rig:
        sway(rig)
        rig.pose.bones["chest"].rotation_mode = "XYZ"
        playing = actions.assigned(rig)
        assert playing is not None
        key(*playing, 'pose.bones["chest"].rotation_euler', 1, [(1.0, 0.8), (100.0, 0.8)])
        start = head(rig, bone, FRAME)
        bpy.ops.genmm.drag_trail(bone=bone, frame=FRAME, offset=OFFSET / 2, reach=REACH)
        moved = head(rig, bone, FRAME) - start
        assert (moved - OFFSET / 2).length < 0.2 * (OFFSET / 2).length, "it goes as far as the arm is long"


def test_a_control_that_its_limb_does_not_follow_is_refused_at_these_frames_with_the_switch() -> None:
    with generated_human() as rig:
        bring_walk(rig, 0.0)
        arm = rig.pose.bones["upper_arm_parent.R"]
        for frame, forward in ((1, 0.0), (30, 0.0), (40, 1.0)):
            arm["IK_FK"] = forward
            arm.keyframe_insert('["IK_FK"]', frame=frame)
        for hidden, shown, frame in (("hand_fk.R", "hand_ik.R", 20), ("hand_ik.R", "hand_fk.R", 50)):
            why = f'"{hidden}" follows "{shown}" at frame {frame}; choose that control, or set "IK_FK" of "{arm.name}"'
            with pytest.raises(RuntimeError, match=why):
                bpy.ops.genmm.drag_trail(bone=hidden, frame=frame, offset=OFFSET, reach=8)
            with pytest.raises(RuntimeError, match=why):
                places = ", ".join(f"{bone} at (0 0 1) {frame}-{frame + 5}" for bone in (shown, hidden))
                bpy.ops.genmm.reach_in_action(places=places)
            start = head(rig, "DEF-hand.R", frame)
            bpy.ops.genmm.drag_trail(bone=shown, frame=frame, offset=OFFSET, reach=8)
            assert (head(rig, "DEF-hand.R", frame) - start - OFFSET).length < SAME
        with pytest.raises(RuntimeError, match="reach"):
            bpy.ops.genmm.reach_in_action(places="hand_ik.R at (0 0 99) 20-25, hand_fk.R at (0 0 99) 50-55")
