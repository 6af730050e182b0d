# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses shared by several passes: equal, computed once during a block, and never reused for another motion."""

import numpy as np
import pytest
from motions import walker

from genmm_addon.core.motion import kept_poses, skeleton
from genmm_addon.core.motion.kept_poses import poses_kept
from genmm_addon.core.motion.motion import pose_along, pose_short_ones_together
from genmm_addon.core.motion.skeleton import Skeleton


def test_within_a_block_the_same_joints_of_a_motion_are_posed_once() -> None:
    motion, chain = walker(40), [0, 1, 2]
    outside = pose_along(motion, chain)
    with poses_kept():
        first, again = pose_along(motion, chain), pose_along(motion, chain)
        other = pose_along(walker(40, 1), chain)
    assert first[1] is again[1] and np.array_equal(first[1], outside[1])
    assert not np.array_equal(first[1], other[1])
    assert pose_along(motion, chain)[1] is not first[1]
    with pytest.raises(ValueError, match="read-only"):
        first[1][0] = 0.0


def test_poses_are_kept_only_within_the_available_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_poses, "KEPT_BYTES", 100)
    motion = walker(40)
    with poses_kept():
        first, again = pose_along(motion, [0]), pose_along(motion, [0])
    assert first[1] is not again[1] and np.array_equal(first[1], again[1])


def test_of_many_motions_the_last_poses_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    motions = [walker(40, number) for number in range(3)]
    monkeypatch.setattr(kept_poses, "KEPT_BYTES", 2 * sum(values.nbytes for values in pose_along(motions[0], [0])))
    with poses_kept():
        first, second, third = (pose_along(motion, [0])[1] for motion in motions)
        assert pose_along(motions[1], [0])[1] is second and pose_along(motions[2], [0])[1] is third
        assert pose_along(motions[0], [0])[1] is not first
        assert np.array_equal(pose_along(motions[0], [0])[1], first)


def test_short_motions_posed_together_have_the_poses_of_each_alone() -> None:
    motions = [walker(40, 1), walker(1, 2), walker(5000, 3), walker(30, 4)]
    motions.append(motions[0])
    alone = [pose_along(motion, [0, 1, 2]) for motion in motions]
    with poses_kept():
        pose_short_ones_together(motions)
        together = [pose_along(motion, [0, 1, 2]) for motion in motions]
    for expected, posed in zip(alone, together, strict=True):
        assert all(np.array_equal(first, second) for first, second in zip(expected, posed, strict=True))


def test_short_motions_of_one_skeleton_are_posed_by_one_computation(monkeypatch: pytest.MonkeyPatch) -> None:
    first = walker(40)
    motions, posed = [first, first.slice(0, 20), walker(30, 1), walker(10, 2)], list[int]()
    kinematics = skeleton.forward_kinematics

    def counted(bones: Skeleton, turns: np.ndarray, *others: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        posed.append(len(turns))
        return kinematics(bones, turns, *others)

    monkeypatch.setattr(skeleton, "forward_kinematics", counted)
    with poses_kept():
        pose_short_ones_together(motions)
        for motion in motions:
            pose_along(motion, [0, 1])
    # Motions on skeletons of their own are posed alone.
    assert posed == [60, 30, 10]
