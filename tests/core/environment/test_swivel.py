# SPDX-License-Identifier: GPL-3.0-or-later
"""The swivel of a limb: an elbow that would turn over within a frame takes more time, and the hand stays."""

import numpy as np
import pytest

from genmm_addon.core.environment.reach.swing import calm_swivel
from genmm_addon.core.feet.calm_paths import accelerations
from genmm_addon.core.feet.two_bone_ik import Leg, Solution, knee_path
from genmm_addon.core.motion import rotations

pytestmark = pytest.mark.filterwarnings("error")

FRAMES = 60


def folded_arm() -> Leg:
    """Return an arm with a fixed hand, whose elbow changes sides at once."""
    sides = np.where(np.arange(FRAMES) < 30, 0.1, np.pi - 0.1)
    elbow = np.stack((np.full(FRAMES, 0.1), 0.3 * np.cos(sides), 0.3 * np.sin(sides)), axis=1)
    hand = np.tile([0.2, 0.0, 0.0], (FRAMES, 1))
    places = np.stack((np.zeros((FRAMES, 3)), elbow, hand), axis=1)
    return Leg([0, 1, 2], 0, 1, 2, np.tile(np.eye(3), (FRAMES, 3, 1, 1)), places)


def unturned() -> Solution:
    still = np.tile([1.0, 0.0, 0.0, 0.0], (FRAMES, 1))
    return Solution(np.arange(FRAMES), still, still)


def test_an_elbow_that_changes_sides_at_once_goes_around_and_the_hand_stays() -> None:
    arm, before = folded_arm(), unturned()
    after = calm_swivel(arm, before, np.ones(FRAMES), 0.05)
    quick, calm = (float(accelerations(knee_path(arm, one)).max()) for one in (before, after))
    assert calm < 0.2 * quick
    thigh, shin = arm.bones
    hands = rotations.rotate(after.aim, thigh + rotations.rotate(after.bend, shin))
    assert np.allclose(hands, [0.2, 0.0, 0.0], atol=1e-9)
    assert np.allclose(knee_path(arm, after)[[0, -1]], arm.positions[[0, -1], 1], atol=1e-3)


def test_frames_that_may_not_change_and_calm_elbows_stay_as_they_are() -> None:
    arm, before = folded_arm(), unturned()
    assert calm_swivel(arm, before, np.zeros(FRAMES), 0.05) is before
    assert calm_swivel(arm, before, np.ones(FRAMES), 10.0) is before
