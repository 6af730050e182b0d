# SPDX-License-Identifier: GPL-3.0-or-later
"""Round trips: an action read and written back poses every bone as before, for real motion and all rotation modes."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from rigs import (
    MOST_ACTIONS,
    MOTIONS,
    RotationMode,
    cases_of,
    evaluated,
    largest_difference,
    load,
    motion_files,
    some_of,
)

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


def positions_of(reading: Reading, frames: Sequence[int]) -> np.ndarray:
    """Return the positions of the bones at frames of the motion, as the core computes them in the armature's space."""
    motion = reading.motions[0]
    matrices, positions = (values[frames] for values in motion.pose())
    if motion.skeleton.names[0] != OBJECT_JOINT:
        return positions
    back = np.linalg.inv(matrices[:, 0])
    return np.asarray(np.einsum("tab,tjb->tja", back, positions[:, 1:] - positions[:, :1]))


@pytest.mark.parametrize("path", cases_of(FILES))
def test_a_reading_poses_the_bones_as_blender_does_and_so_does_the_action_written_from_it(path: Path) -> None:
    """Kinematics in the core agree with Blender only if the character was read correctly."""
    load(path)
    pairs = armature_actions()
    assert bool(pairs) == (path.name not in WITHOUT_ARMATURE_ACTION)
    for armature, action in some_of(pairs, MOST_ACTIONS):
        armature.data.pose_position = "POSE"
        actions.assign(armature, action)
        reading, frames = read(armature, action)
        skeleton = reading.motions[0].skeleton
        compared = some_of(frames.tolist(), MOST_FRAMES)
        before = evaluated(armature, compared)
        order = [armature.pose.bones.find(name) + 1 for name in skeleton.names if name != OBJECT_JOINT]
        positions = positions_of(reading, [round(frame - frames[0]) for frame in compared])
        apart = np.abs(positions - before[:, order][..., :3, 3]).max()
        assert apart < TOLERANCE * skeleton.size, (path.name, action.name)
        written = write_action(reading.motions[0], reading.keyed, armature, name="Back", frame_start=frames[0])
        actions.assign(armature, written.action, written.slot)
        after = evaluated(armature, compared)
        assert largest_difference(before, after, skeleton.size) < TOLERANCE, (path.name, action.name)


@pytest.fixture
def dancer() -> tuple[Object, Reading, np.ndarray]:
    load(MOTIONS / "bvh" / "cmu_05_06_dance_120fps.bvh")
    armature = next(item for item in bpy.data.objects if item.type == "ARMATURE")
    reading, frames = read(armature, armature.animation_data.action)
    return armature, reading, frames


@pytest.mark.every_case
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
