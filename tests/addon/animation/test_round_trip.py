# SPDX-License-Identifier: GPL-3.0-or-later
"""Round trips: an action read and written back poses every bone as before, for real motion and all rotation modes."""

from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from rigs import MOST_ACTIONS, MOTIONS, RotationMode, evaluated, largest_difference, load, motion_files, some_of

from genmm_addon.animation import actions
from genmm_addon.animation.curves import collect_curves
from genmm_addon.animation.reading.examples import ExampleSpec, Reading, example_range, read_examples
from genmm_addon.animation.rig import OBJECT_JOINT
from genmm_addon.animation.rotation_modes import AXIS_ANGLE, EULER_ORDERS, QUATERNION
from genmm_addon.animation.writing import write_action

FILES = motion_files((".bvh", ".gltf", ".glb", ".blend"))
TOLERANCE = 1e-4
MOST_FRAMES = 50
"""Number of an action's frames whose poses are compared."""
WITHOUT_ARMATURE_ACTION = {
    "00_looping_animation.blend",
    "07_nla-anim.blend",
    "07_nla-anim.gltf",
    "12_anim_range_sampled.blend",
    "29_armature_use_rest_pose.blend",
    "m2m_fox-cat.glb",
    "m2m_human-bunny.glb",
}

pytestmark = pytest.mark.skipif(not FILES, reason="the motions folder is not at hand")


def armature_actions() -> list[tuple[Object, Action]]:
    armatures = [item for item in bpy.data.objects if item.type == "ARMATURE"]
    fitting = [action for action in bpy.data.actions if actions.armature_slots(action)]
    return [(item, action) for item in armatures for action in fitting if collect_curves(item, action).keys_bones]


def read(armature: Object, action: Action) -> tuple[Reading, np.ndarray]:
    """Return the action's motion, and its frames in the action."""
    spec = ExampleSpec(action)
    reading = read_examples(armature, [spec], scene=bpy.context.scene)
    start, _ = example_range(armature, spec, bpy.context.scene)
    return reading, start + np.arange(reading.motions[0].frames)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_writing_back_an_unchanged_reading_poses_every_bone_as_before(path: Path) -> None:
    load(path)
    pairs = armature_actions()
    assert bool(pairs) == (path.name not in WITHOUT_ARMATURE_ACTION)
    for armature, action in some_of(pairs, MOST_ACTIONS):
        armature.data.pose_position = "POSE"
        actions.assign(armature, action)
        reading, frames = read(armature, action)
        before = evaluated(armature, some_of(frames.tolist(), MOST_FRAMES))
        written = write_action(reading.motions[0], reading.keyed, armature, name="Back", frame_start=frames[0])
        actions.assign(armature, written.action, written.slot)
        after = evaluated(armature, some_of(frames.tolist(), MOST_FRAMES))
        size = reading.motions[0].skeleton.size
        assert largest_difference(before, after, size) < TOLERANCE, (path.name, action.name)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_motion_poses_the_skeleton_as_blender_does(path: Path) -> None:
    """Kinematics in the core agree with Blender only if the character was read correctly."""
    load(path)
    for armature, action in armature_actions()[:3]:
        actions.assign(armature, action)
        armature.data.pose_position = "POSE"
        reading, frames = read(armature, action)
        motion = reading.motions[0]
        order = [armature.pose.bones.find(name) + 1 for name in motion.skeleton.names if name != OBJECT_JOINT]
        expected = evaluated(armature, some_of(frames.tolist(), MOST_FRAMES))[:, order][..., :3, 3]
        picked = [round(frame - frames[0]) for frame in some_of(frames.tolist(), MOST_FRAMES)]
        matrices, positions = (values[picked] for values in motion.pose())
        if motion.skeleton.names[0] == OBJECT_JOINT:
            back = np.linalg.inv(matrices[:, 0])
            positions = np.einsum("tab,tjb->tja", back, positions[:, 1:] - positions[:, :1])
        assert np.abs(positions - expected).max() < TOLERANCE * motion.skeleton.size, (path.name, action.name)


@pytest.fixture
def dancer() -> tuple[Object, Reading, np.ndarray]:
    load(MOTIONS / "bvh" / "cmu_05_06_dance_120fps.bvh")
    armature = next(item for item in bpy.data.objects if item.type == "ARMATURE")
    reading, frames = read(armature, armature.animation_data.action)
    return armature, reading, frames


@pytest.mark.parametrize("mode", [QUATERNION, AXIS_ANGLE, *EULER_ORDERS])
def test_every_rotation_mode_carries_the_same_motion(
    dancer: tuple[Object, Reading, np.ndarray], mode: RotationMode
) -> None:
    armature, reading, frames = dancer
    motion = reading.motions[0]
    before = evaluated(armature, some_of(frames.tolist(), MOST_FRAMES))
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    keyed = replace(reading.keyed, rotations={name: mode for name in reading.keyed.rotations})
    written = write_action(motion, keyed, armature, name=mode, frame_start=frames[0])
    actions.assign(armature, written.action, written.slot)
    after = evaluated(armature, some_of(frames.tolist(), MOST_FRAMES))
    assert largest_difference(before, after, motion.skeleton.size) < TOLERANCE
    again, _ = read(armature, written.action)
    assert set(again.keyed.rotations.values()) == {mode}
    dots = np.abs(np.sum(again.motions[0].rotations * motion.rotations, axis=-1))
    assert dots.min() > 1 - 1e-5
