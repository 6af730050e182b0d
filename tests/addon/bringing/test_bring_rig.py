# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring Action Here onto Rigify's human: the controls in use get keys, and the visible bones go where they should."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object, Scene
from interface import select
from rigify_human import generated_human

from genmm_addon.animation import actions
from genmm_addon.animation.curves import collect_curves, key_values
from genmm_addon.animation.reading import evaluation
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.control_rigs import control_keys
from genmm_addon.control_rigs.root_motion.putting import poses_of, put_on_root

LIMBS = ("thigh_parent.L", "thigh_parent.R", "upper_arm_parent.L", "upper_arm_parent.R")


def heads(rig: Object, bones: tuple[str, ...]) -> np.ndarray:
    """Return the places `(T, bones, 3)` of bones in the action that a rig plays, every third frame."""
    playing = actions.assigned(rig)
    assert playing is not None
    first, last = playing[0].frame_range[:]
    poses = poses_of(rig, bpy.context.scene, *playing, np.arange(first, last + 1.0, 3.0))
    return np.asarray(poses[..., :3, 3][:, [rig.pose.bones.find(bone) for bone in bones]])


def keyed(rig: Object) -> set[str]:
    playing = actions.assigned(rig)
    assert playing is not None
    return {joint for joints in collect_curves(rig, *playing).transforms.values() for joint in joints}


@contextmanager
def rig_beside_sample() -> Iterator[tuple[Object, Object]]:
    """Yield a generated human, at 30 frames a second, and the sample character."""
    bpy.context.scene.render.fps = 30
    with generated_human() as rig:
        yield rig, add_sample_character(bpy.context).armature


def set_kinematics(rig: Object, forward: float) -> None:
    """Have the limbs follow inverse kinematics at 0, forward at 1."""
    for limb in LIMBS:
        rig.pose.bones[limb]["IK_FK"] = forward


def bring(rig: Object, sample: Object) -> Action:
    """Bring the action that the sample character plays onto the rig, and return that action."""
    playing = actions.assigned(sample)
    assert playing is not None
    bpy.context.view_layer.update()
    select(rig)
    done = bpy.ops.genmm.bring_action(origin="ARMATURE", armature=sample.name, action=playing[0].name)
    assert done == {"FINISHED"}
    return playing[0]


def test_forward_and_inverse_kinematics_show_the_same_motion() -> None:
    with rig_beside_sample() as (rig, sample):
        shown = {}
        for forward in (0.0, 1.0):
            set_kinematics(rig, forward)
            bring(rig, sample)
            shown[forward] = heads(rig, ("ORG-foot.L", "ORG-foot.R", "ORG-hand.L", "ORG-forearm.R", "torso", "head"))
            controls = keyed(rig)
            assert {"torso", "head", "shoulder.L"} <= controls
            assert not [name for name in controls if name.startswith(("DEF-", "ORG-", "MCH-"))]
            assert ({"foot_ik.L", "hand_ik.R"} <= controls) == (forward == 0.0)
            assert ({"shin_fk.L", "forearm_fk.R"} <= controls) == (forward == 1.0)
        size = max(bone.head_local.z for bone in rig.data.bones)
        off = np.linalg.norm(shown[0.0] - shown[1.0], axis=2).max(axis=0) / size
        assert off.max() < 0.03 and off[2:].max() < 0.01, "feet of forward kinematics move with the rig's own pelvis"
        travels = np.ptp(shown[0.0][:, 4], axis=0)
        assert np.linalg.norm(travels[:2]) > 0.8
        slides = np.linalg.norm(np.diff(shown[0.0][:, 0, :2], axis=0), axis=1)
        assert np.sort(slides)[: len(slides) // 4].mean() < 0.005, "feet stand"


def test_controls_are_placed_though_other_constraints_hold_their_parents() -> None:
    with rig_beside_sample() as (rig, sample):
        set_kinematics(rig, 0.0)
        for number in (0, 1):
            if number:
                rig.pose.bones["thigh_parent.L"]["pole_vector"] = True
                rig.pose.bones["torso"]["head_follow"] = 1.0
            bring(rig, sample)
            places = heads(rig, ("ORG-foot.L", "ORG-foot.R", "ORG-shin.L", "head"))
            if number == 0:
                expected = places
        size = max(bone.head_local.z for bone in rig.data.bones)
        assert "thigh_ik_target.L" in keyed(rig)
        away = np.linalg.norm(places - expected, axis=2).max(axis=0) / size
        assert away == pytest.approx(np.zeros(4), abs=0.02)


def without_chest(character: Object) -> None:
    """Leave out a bone of the spine."""
    select(character)
    bpy.ops.object.mode_set(mode="EDIT")
    bones = character.data.edit_bones
    for bone in bones["Chest"].children:
        bone.parent = bones["Spine"]
    bones.remove(bones["Chest"])
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("is_shorter", [False, True])
def test_keys_are_those_of_a_rig_evaluated_at_all_frames(monkeypatch: pytest.MonkeyPatch, is_shorter: bool) -> None:
    """The controls of a spine have no location keys: from a spine with fewer joints they are carried elsewhere."""
    frames: list[float] = []
    evaluated_at = evaluation.evaluated_at

    def counted(rig: Object, scene: Scene, frame: float) -> Object:
        frames.append(frame)
        return evaluated_at(rig, scene, frame)

    monkeypatch.setattr(evaluation, "evaluated_at", counted)
    with rig_beside_sample() as (rig, sample):
        set_kinematics(rig, 0.0)
        if is_shorter:
            without_chest(sample)
        keys, counts = [], []
        for turning in (control_keys.FORESEEN, ()):
            monkeypatch.setattr(control_keys, "FORESEEN", turning)
            frames.clear()
            first, last = bring(rig, sample).frame_range[:]
            brought = actions.assigned(rig)
            assert brought is not None
            keys.append({(c.data_path, c.array_index): key_values(c) for c in actions.fcurves_of(*brought)})
            counts.append(len(frames))
        assert keys[0].keys() == keys[1].keys()
        for path, values in keys[0].items():
            np.testing.assert_allclose(values, keys[1][path], atol=1e-4, err_msg=str(path))
        assert counts[0] < 0.5 * (last - first) + 100 < counts[1], "foreseen bones spare the rig all frames"


def test_hips_that_move_below_a_root_bone_move_the_torso_as_hips_that_travel_do() -> None:
    with rig_beside_sample() as (rig, sample):
        shown = []
        for on_root in (False, True):
            if on_root:
                playing = actions.assigned(sample)
                assert playing is not None
                put_on_root(sample, bpy.context.scene, *playing)
            bring(rig, sample)
            shown.append(heads(rig, ("torso", "ORG-hand.L", "ORG-foot.R")))
        size = max(bone.head_local.z for bone in rig.data.bones)
        assert np.ptp(shown[0][:, 0, 2]) > 0.01 * size, "hips bob"
        away = shown[0] - shown[1]
        away -= away.mean(axis=(0, 1))  # The root begins elsewhere than the hips.
        assert np.linalg.norm(away, axis=2).max() < 0.005 * size


@pytest.mark.parametrize("forward", [0.0, 1.0])
def test_root_motion_and_a_locomotion_set_of_a_walk_that_was_brought_leave_the_visible_bones_where_they_are(
    forward: float,
) -> None:
    with rig_beside_sample() as (rig, sample):
        set_kinematics(rig, forward)
        bring(rig, sample)
        deforming = tuple(bone.name for bone in rig.data.bones if bone.use_deform)
        before, size = heads(rig, deforming), max(bone.head_local.z for bone in rig.data.bones)
        assert bpy.ops.genmm.locomotion_set() == {"FINISHED"}
        assert bpy.ops.genmm.root_motion_to_bone() == {"FINISHED"}
        assert np.linalg.norm(heads(rig, deforming) - before, axis=2).max() < 1e-4 * size
        assert np.linalg.norm(np.ptp(heads(rig, ("root",)), axis=(0, 1))[:2]) > 0.8


@pytest.mark.parametrize("forward", [0.0, 1.0])
def test_hands_go_up_with_the_hips_where_feet_of_a_walk_that_was_brought_are_put_on_a_slope(forward: float) -> None:
    with rig_beside_sample() as (rig, sample):
        set_kinematics(rig, forward)
        bpy.ops.mesh.primitive_plane_add(size=200, rotation=(0.1, 0.0, 0.0))
        rig.genmm.ground_object = bpy.context.object
        bring(rig, sample)
        before = heads(rig, ("DEF-spine", "DEF-hand.L", "DEF-hand.R"))
        assert bpy.ops.genmm.put_feet_on_ground() == {"FINISHED"}
        moved = heads(rig, ("DEF-spine", "DEF-hand.L", "DEF-hand.R")) - before
        assert np.abs(moved[:, 0, 2]).max() > 0.1
        assert np.linalg.norm(moved[:, 1:] - moved[:, :1], axis=2).max() < 0.01
