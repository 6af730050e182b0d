# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacement to fixed poses: joints are not thrown by the turns of others, and accelerate no more than before."""

import numpy as np
import pytest
from motions import BIPED, FORWARD, RATE, SIDEWAYS, Array, build_skeleton, pose_channels, turn, walker
from numpy.typing import NDArray

from genmm_addon.core import Motion, prepare, rotations
from genmm_addon.core.constraints.calm_poses import calm_beside
from genmm_addon.core.constraints.displacement import displace
from genmm_addon.core.feet.calm_paths import ALLOWED
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


def swinging(twist: float) -> Channels:
    """Return an arm that goes up and down once; unless the forearm is twisted, it goes the other way."""
    angles = 0.6 * np.exp(-(((np.arange(FRAMES) - 30) / 2.5) ** 2))
    bent = rotations.multiply(turn(FORWARD, -angles), rotations.multiply(turn(SIDEWAYS, twist), turn(FORWARD, -angles)))
    turns = {"upper_arm.L": turn(FORWARD, angles), "forearm.L": bent}
    return Channels(pose_channels(SKELETON, turns, FRAMES), np.zeros((FRAMES, 7), np.float32))


def accelerations(channels: Channels) -> NDArray[np.float64]:
    positions = Motion(SKELETON, RATE, channels.orientations).pose()[1].astype(np.float64)
    return np.asarray(np.linalg.norm(np.diff(positions, 2, axis=0), axis=2).max(axis=1))


def test_a_fast_limb_accelerates_no_more_beside_a_pose_than_without_it() -> None:
    """The hand of the twisted forearm adds up the movements of both bones."""
    swing, displaced, fixed = swinging(0.0), swinging(np.pi), np.arange(FRAMES) == PIN
    still = Motion(SKELETON, RATE, swing.orientations)
    root = prepare([still]).examples.root
    calm = calm_beside(swing, displaced, fixed, still, root, 0.0)
    limit = ALLOWED * accelerations(swing).max()
    assert accelerations(displaced).max() > 1.5 * limit
    assert accelerations(calm).max() <= 1.001 * limit
    assert np.array_equal(calm.orientations[PIN], displaced.orientations[PIN])
    far = np.abs(np.arange(FRAMES) - 30) > 20
    assert np.array_equal(calm.orientations[far], displaced.orientations[far])


def test_a_limb_that_is_calm_enough_is_left_alone() -> None:
    swing = swinging(0.0)
    still = Motion(SKELETON, RATE, swing.orientations)
    root = prepare([still]).examples.root
    assert calm_beside(swing, swing, np.arange(FRAMES) == PIN, still, root, 0.0) is swing


def test_a_part_that_is_fixed_throughout_is_left_alone() -> None:
    swing, displaced = swinging(0.0), swinging(np.pi)
    still = Motion(SKELETON, RATE, swing.orientations)
    root = prepare([still]).examples.root
    assert calm_beside(swing, displaced, np.ones(FRAMES, bool), still, root, 0.0) is displaced
