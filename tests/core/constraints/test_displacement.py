# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacement to fixed poses: joints are not thrown by the turns of others, and accelerate no more than before."""

import numpy as np
import pytest
from motions import BIPED, FORWARD, RATE, Array, build_skeleton, turn, walker

from genmm_addon.core import prepare, rotations
from genmm_addon.core.constraints.displacement import displace
from genmm_addon.core.motion.channels import Channels, linear_owners
from genmm_addon.core.motion.kinematics import orientations
from genmm_addon.core.motion.skeleton import Skeleton

pytestmark = pytest.mark.filterwarnings("error")

FRAMES, PIN = 90, 45
SKELETON = build_skeleton(BIPED)
UPPER, FORE = (SKELETON.names.index(f"{bone}.L") for bone in ("upper_arm", "forearm"))


def of_space(skeleton: Skeleton, turns: Array) -> Array:
    """Return the orientations `(T, J, 4)` of joints with rotations relative to their rest poses."""
    return np.transpose(orientations(skeleton, turns), (2, 0, 1))


def test_a_joint_that_a_pose_leaves_as_it_was_does_not_turn_with_those_above_it() -> None:
    examples = prepare([walker(150)]).examples
    channels, root = examples.channels, examples.root
    shown = of_space(SKELETON, channels.orientations)[PIN]
    raised = channels.orientations[PIN : PIN + 1].copy()
    upper = rotations.multiply(turn(FORWARD, -0.8), shown[UPPER])
    rest, above = SKELETON.rest_rotations, shown[SKELETON.parents[UPPER]]
    raised[0, UPPER] = rotations.multiply(rotations.inverse(rotations.multiply(above, rest[UPPER])), upper)
    raised[0, FORE] = rotations.multiply(rotations.inverse(rotations.multiply(upper, rest[FORE])), shown[FORE])
    joints = np.zeros((150, len(SKELETON.names)), bool)
    joints[PIN] = True
    owners = linear_owners(examples.motions[0], root)
    given = Channels(raised, channels.linear[PIN : PIN + 1])
    result = displace(channels, given, np.array([PIN]), joints, owners, examples.speeds, SKELETON, RATE)
    assert np.array_equal(result.orientations[PIN], raised[0])
    before, after = of_space(SKELETON, channels.orientations), of_space(SKELETON, result.orientations)
    angles = rotations.angle_between(before, after)
    assert angles[:, UPPER].max() > 0.7
    assert angles[:, FORE].max() < 2e-3
