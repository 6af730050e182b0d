# SPDX-License-Identifier: GPL-3.0-or-later
"""Files whose rest pose is their first frame: their motion is transferred exactly to the same bones at another rest."""

from dataclasses import replace

import numpy as np
import pytest
from motions import BIPED, Array, build_skeleton

from genmm_addon.core import Motion, Skeleton, rotations
from genmm_addon.core.transfer import find_symmetry, mirror, needs_target_pose, retarget
from genmm_addon.core.transfer.other_rest import on_rest_of
from genmm_addon.core.transfer.same_bones import rest_as

SKELETON = build_skeleton(BIPED)
NAMES = {name: name for name in SKELETON.names}
MATCHED = {joint: joint for joint in range(len(SKELETON.names))}
FRAMES = 40


def moving(seed: int, size: float = 0.8, skeleton: Skeleton = SKELETON) -> Motion:
    """Return a motion in which every joint rotates far while the body travels."""
    random, time = np.random.default_rng(seed), np.arange(FRAMES) / 30
    joints = len(SKELETON.names)
    phases, sizes = random.uniform(0, 6, (joints, 3)), random.uniform(0.2, 1.0, (joints, 3)) * size
    turns = rotations.from_vector(sizes * np.sin(3 * time[:, None, None] + phases))
    travel = np.stack((0.1 * np.sin(2 * time), 1.2 * time, 0.02 * np.sin(9 * time)), axis=1)[:, None]
    return Motion(skeleton, 30.0, turns.astype(np.float32), np.array([0]), travel.astype(np.float32))


def resting_as_frame(motion: Motion, frame: int) -> Motion:
    """Return the same motion in a file whose rest pose is the pose of a frame."""
    turns = motion.rotations[frame].astype(np.float64)
    rests = np.array(rotations.multiply(motion.skeleton.rest_rotations, turns), np.float64)
    return on_rest_of(motion, replace(motion.skeleton, rest_rotations=rests))


def turned(motion: Motion) -> Array:
    return rotations.without_scale(motion.pose()[0][..., :3, :3]).astype(np.float64)


@pytest.mark.parametrize("frame", [0, 17])
def test_same_bones_take_the_motion_exactly_for_any_rest_pose(frame: int) -> None:
    motion = moving(1)
    told = resting_as_frame(motion, frame)
    found = retarget(told, SKELETON, NAMES, np.array([0]), ground=0.0)
    assert np.abs(turned(found) - turned(motion)).max() < 1e-4, "twists included"
    ways = found.pose()[1] - motion.pose()[1]
    assert np.abs(ways - ways[0, 0]).max() < 1e-4, "as far above the ground"
    assert not needs_target_pose(told.skeleton, SKELETON, NAMES)


def test_two_files_that_rest_differently_agree_at_another_scale() -> None:
    motion = moving(2)
    one, other = resting_as_frame(motion, 3), resting_as_frame(motion, 30)
    larger = replace(one.skeleton, rest_translations=100 * one.skeleton.rest_translations)
    found = retarget(other, larger, NAMES, np.array([0]))
    assert np.abs(turned(found) - turned(motion)).max() < 1e-4


def test_joints_above_the_body_can_have_different_axes() -> None:
    motion = resting_as_frame(moving(3), 11)
    lying = rotations.from_vector(np.array([np.pi / 2, 0.0, 0.0]))
    rests = np.array(np.concatenate((lying[None], motion.skeleton.rest_rotations)), np.float64)
    rests[1] = rotations.multiply(rotations.inverse(lying), rests[1])
    place = rotations.rotate(rotations.inverse(lying), motion.skeleton.rest_translations[0])
    skeleton = replace(
        motion.skeleton,
        names=("scene", *motion.skeleton.names),
        parents=np.concatenate(([-1], motion.skeleton.parents + 1)),
        rest_rotations=rests,
        rest_translations=np.concatenate((np.zeros((1, 3)), place[None], motion.skeleton.rest_translations[1:])),
    )
    still = np.tile(np.array([1.0, 0.0, 0.0, 0.0], np.float32), (FRAMES, 1, 1))
    turns = np.concatenate((still, motion.rotations), axis=1)
    placed = Motion(skeleton, 30.0, turns, np.array([1]), motion.translations)
    found = retarget(placed, SKELETON, NAMES, np.array([0]))
    assert np.abs(turned(found) - turned(placed)[:, 1:]).max() < 1e-4


def test_other_bones_and_the_same_pose_stay_as_they_are() -> None:
    told = resting_as_frame(moving(4), 5).skeleton
    assert rest_as(told, SKELETON, MATCHED) is not told
    longer = np.array(told.rest_translations)
    longer[SKELETON.names.index("foot.L")] *= 1.1
    other = replace(told, rest_translations=longer)
    assert rest_as(other, SKELETON, MATCHED) is other
    assert rest_as(SKELETON, SKELETON, MATCHED) is SKELETON
    quarter = rotations.from_axis_angle(np.array(SKELETON.up), np.array(1.0))
    rests = np.array(SKELETON.rest_rotations, np.float64)
    rests[0] = rotations.multiply(quarter, rests[0])
    aside = replace(SKELETON, rest_rotations=rests)
    assert rest_as(aside, SKELETON, MATCHED) is aside, "it faces elsewhere alone"
    few = {joint: joint for joint in range(3)}
    assert rest_as(told, SKELETON, few) is told


@pytest.mark.parametrize("seed", [5, 7, 8])
def test_a_motion_is_mirrored_where_it_rests_in_mid_step(seed: int) -> None:
    above = np.maximum(SKELETON.parents, 0)
    offsets = SKELETON.rest_positions - np.where(SKELETON.parents[:, None] < 0, 0.0, SKELETON.rest_positions[above])
    upright = replace(
        SKELETON, rest_rotations=np.tile([1.0, 0.0, 0.0, 0.0], (len(above), 1)), rest_translations=offsets
    )
    motion = moving(seed, 0.25, upright)
    told = resting_as_frame(motion, 20)
    symmetry, expected = find_symmetry([told]), find_symmetry([motion])
    assert symmetry is not None and expected is not None
    assert symmetry.partners.tolist() == expected.partners.tolist()
    there, here = mirror(motion, expected), mirror(told, symmetry)
    assert np.abs(turned(there) - turned(here)).max() < 1e-4
    assert np.abs(there.pose()[1] - here.pose()[1]).max() < 1e-4
