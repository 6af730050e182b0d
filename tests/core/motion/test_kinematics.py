# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics with quaternions, whose poses equal those computed with matrices."""

import numpy as np
import pytest
from motions import BIPED, build_skeleton

from genmm_addon.core import Motion, rotations
from genmm_addon.core.motion import kinematics


def test_poses_are_those_that_matrices_give() -> None:
    random, skeleton = np.random.default_rng(3), build_skeleton(BIPED)
    motion = Motion(
        skeleton,
        30.0,
        rotations.normalize(random.normal(size=(7, len(skeleton.names), 4))).astype(np.float32),
        np.array([0, 2]),
        random.normal(size=(7, 2, 3)).astype(np.float32),
    )
    matrices, positions = motion.pose()
    turns = kinematics.orientations(skeleton, motion.rotations)
    assert rotations.to_matrix(np.transpose(turns, (2, 0, 1))) == pytest.approx(matrices, abs=1e-5)
    assert np.transpose(kinematics.positions(motion, turns), (2, 0, 1)) == pytest.approx(positions, abs=1e-5)


def test_constant_turns_on_both_sides_are_one_matrix() -> None:
    left, middle, right = rotations.normalize(np.random.default_rng(0).normal(size=(3, 5, 4)))
    expected = rotations.multiply(rotations.multiply(left, middle), right)
    assert np.einsum("nab,nb->na", kinematics.between(left, right), middle) == pytest.approx(expected)
