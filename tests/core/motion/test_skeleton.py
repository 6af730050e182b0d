# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons: their refusals, descendants of joints, and forward kinematics."""

from dataclasses import replace

import numpy as np
import pytest
from motions import BIPED, UPWARD, build_skeleton, in_other_units, standing_axes, turn, walker

from genmm_addon.core import InputError, Skeleton, rotations
from genmm_addon.core.motion.skeleton import forward_kinematics

biped = build_skeleton(BIPED)


def at_rest(skeleton: Skeleton, frames: int = 1) -> np.ndarray:
    return np.tile(np.array([1.0, 0, 0, 0]), (frames, len(skeleton.names), 1))


def test_at_rest_every_joint_stands_where_the_rig_has_it() -> None:
    assert biped.rest_positions == pytest.approx(np.array([place for _, place in BIPED.values()]), abs=1e-12)


def test_at_rest_every_joint_has_the_rigs_axes() -> None:
    matrices, _ = forward_kinematics(biped, at_rest(biped))
    assert matrices[0] == pytest.approx(rotations.to_matrix(standing_axes(len(biped.names))), abs=1e-12)


def test_turning_a_joint_moves_only_the_joints_below_it() -> None:
    pose, elbow = at_rest(biped), biped.names.index("forearm.L")
    pose[0, elbow] = turn(UPWARD, 1.0)
    _, positions = forward_kinematics(biped, pose)
    moved = np.linalg.norm(positions[0] - biped.rest_positions, axis=1) > 1e-6
    below = biped.descendants(elbow)
    below[elbow] = False
    assert np.array_equal(moved, below)


def test_bones_keep_their_lengths_in_every_pose() -> None:
    _, positions = walker().pose()
    joints = np.flatnonzero(biped.parents >= 0)
    lengths = np.linalg.norm(positions[:, joints] - positions[:, biped.parents[joints]], axis=-1)
    assert lengths == pytest.approx(
        np.broadcast_to(np.linalg.norm(biped.rest_translations[joints], axis=-1), lengths.shape), rel=1e-4
    )


def test_pose_combines_parent_pose_rest_pose_and_animation_in_this_order() -> None:
    random, frames, count = np.random.default_rng(0), 3, len(biped.names)
    turns = rotations.normalize(random.normal(size=(frames, count, 4)))
    moves, scales = random.normal(size=(frames, count, 3)), random.uniform(0.5, 2, (frames, count, 3))
    matrices, positions = forward_kinematics(biped, turns, moves, scales)
    for joint, parent in enumerate(biped.parents):
        rest, own = np.eye(4), np.tile(np.eye(4), (frames, 1, 1))
        rest[:3, :3], rest[:3, 3] = rotations.to_matrix(biped.rest_rotations[joint]), biped.rest_translations[joint]
        own[:, :3, :3] = rotations.to_matrix(turns[:, joint]) * scales[:, joint, None, :]
        own[:, :3, 3] = moves[:, joint]
        above = np.tile(np.eye(4), (frames, 1, 1))
        if parent >= 0:
            above[:, :3, :3], above[:, :3, 3] = matrices[:, parent], positions[:, parent]
        expected = above @ rest @ own
        assert matrices[:, joint] == pytest.approx(expected[:, :3, :3], abs=1e-9)
        assert positions[:, joint] == pytest.approx(expected[:, :3, 3], abs=1e-9)


def test_the_precision_of_a_pose_is_that_of_its_rotations() -> None:
    assert forward_kinematics(biped, at_rest(biped).astype(np.float32))[1].dtype == np.float32
    assert forward_kinematics(biped, at_rest(biped))[1].dtype == np.float64


def test_the_size_is_about_the_height_of_a_standing_figure_and_follows_the_units() -> None:
    assert biped.size == pytest.approx(1.62 - 0.08, rel=0.1)
    assert in_other_units(walker(), 100).skeleton.size == pytest.approx(100 * biped.size)


def test_a_joint_that_only_says_where_the_body_is_does_not_make_it_larger() -> None:
    def placed(distance: float) -> Skeleton:
        moved = {name: (parent or "place", (x + distance, y, z)) for name, (parent, (x, y, z)) in BIPED.items()}
        return build_skeleton({"place": ("", (0.0, 0.0, 0.0)), **moved})

    assert placed(30.0).size == pytest.approx(biped.size)
    assert placed(0.0).size == pytest.approx(1.62, rel=0.1)


def test_a_skeleton_without_extent_counts_as_one_unit_large() -> None:
    point = Skeleton(("object",), np.array([-1]), np.array([[1.0, 0, 0, 0]]), np.zeros((1, 3)))
    assert point.size == 1.0


def test_descendants_are_the_joint_and_all_below_it() -> None:
    arm = biped.descendants(biped.names.index("upper_arm.R"))
    assert [name for name, below in zip(biped.names, arm, strict=True) if below] == [
        "upper_arm.R",
        "forearm.R",
        "hand.R",
    ]


def test_levels_hold_every_joint_once_parents_above_children() -> None:
    depth = {int(joint): level for level, joints in enumerate(biped.levels) for joint in joints}
    assert sorted(depth) == list(range(len(biped.names)))
    assert all(depth[joint] == depth[int(parent)] + 1 for joint, parent in enumerate(biped.parents) if parent >= 0)


def test_two_joints_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="same name"):
        replace(biped, names=("hips", *biped.names[:-1]))


def test_a_child_before_its_parent_is_refused() -> None:
    with pytest.raises(InputError, match="before their children"):
        replace(biped, parents=biped.parents[::-1].copy())


def test_arrays_of_another_length_are_refused() -> None:
    with pytest.raises(InputError, match="17 joints"):
        replace(biped, rest_translations=biped.rest_translations[:-1])
