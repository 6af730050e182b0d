# SPDX-License-Identifier: GPL-3.0-or-later
"""The swing of an elbow with the least acceleration: a hand passes its shoulder, and the elbow moves aside."""

import numpy as np
import pytest

from genmm_addon.core.environment.reach.swing import calm_swivel, calmest_angles, circles_of
from genmm_addon.core.feet.calm_paths import accelerations
from genmm_addon.core.feet.two_bone_ik import Leg, Solution, knee_path
from genmm_addon.core.motion import rotations

pytestmark = pytest.mark.filterwarnings("error")

FRAMES, BONE = 90, 0.3
LIMIT = 0.007
"""Limit in units per squared frame: less than a third of the elbow's acceleration in the plane of the hand."""


def passing_arm() -> Leg:
    """Return an arm whose hand passes near its shoulder, with the elbow in the plane of the hand's motion."""
    share = np.linspace(0.0, 1.0, FRAMES)
    hand = np.stack((0.4 * np.cos(np.pi * share), np.full(FRAMES, 0.05), np.zeros(FRAMES)), axis=1)
    distance = np.linalg.norm(hand, axis=1)
    line = hand / distance[:, None]
    across = np.stack((-line[:, 1], line[:, 0], np.zeros(FRAMES)), axis=1)
    elbow = hand / 2 + np.sqrt(BONE**2 - distance**2 / 4)[:, None] * across
    places = np.stack((np.zeros((FRAMES, 3)), elbow, hand), axis=1)
    return Leg([0, 1, 2], 0, 1, 2, np.tile(np.eye(3), (FRAMES, 3, 1, 1)), places)


def unturned() -> Solution:
    still = np.tile([1.0, 0.0, 0.0, 0.0], (FRAMES, 1))
    return Solution(np.arange(FRAMES), still, still)


def in_the_middle() -> np.ndarray:
    """Return shares that are 0 in the first and the last five frames, and 1 between."""
    shares = np.zeros(FRAMES)
    shares[5:-5] = 1.0
    return shares


def test_elbow_swivels_out_of_plane_to_stay_within_the_acceleration_limit() -> None:
    arm = passing_arm()
    after = calm_swivel(arm, unturned(), in_the_middle(), LIMIT)
    quick, calm = (float(accelerations(knee_path(arm, one)).max()) for one in (unturned(), after))
    assert quick > 3 * LIMIT
    assert calm <= LIMIT
    thigh, shin = arm.bones
    hands = rotations.rotate(after.aim, thigh + rotations.rotate(after.bend, shin))
    assert np.allclose(hands, arm.positions[:, 2], atol=1e-9), "the hand stays"


def test_fixed_frames_keep_their_angle_and_calm_motion_is_unchanged() -> None:
    arm = passing_arm()
    hand = arm.positions[:, 2]
    circles = circles_of(np.zeros((FRAMES, 3)), hand / np.linalg.norm(hand, axis=1)[:, None], arm.positions[:, 1])
    angles = calmest_angles(circles, in_the_middle(), LIMIT)
    assert not angles[:5].any() and not angles[-5:].any()
    assert np.abs(angles).max() > 0.5
    assert not calmest_angles(circles, in_the_middle(), 10.0).any()
    assert not calmest_angles(circles, np.zeros(FRAMES), LIMIT).any()
    assert np.allclose(circles.places(np.zeros(FRAMES)), arm.positions[:, 1])


def test_a_body_that_never_accelerated_is_made_as_calm_as_can_be() -> None:
    after = calm_swivel(passing_arm(), unturned(), in_the_middle(), 0.0)
    assert float(accelerations(knee_path(passing_arm(), after)).max()) < 2 * LIMIT
