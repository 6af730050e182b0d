# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses shared by several passes: equal, computed once during a block, and never reused for another motion."""

import numpy as np
import pytest
from motions import walker

from genmm_addon.core.motion import kept_poses
from genmm_addon.core.motion.kept_poses import poses_kept
from genmm_addon.core.motion.motion import pose_along


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
