# SPDX-License-Identifier: GPL-3.0-or-later
"""Upper bodies of motions brought to other proportions: calm elbows, and hands above the ground."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from motions import BIPED, FORWARD, RATE, SIDEWAYS, build_skeleton, pose_channels, turn

from genmm_addon.core import Motion, Skeleton, rotations
from genmm_addon.core.motion import joint_accelerations
from genmm_addon.core.transfer import bring, retarget

FRAMES = 150
LONG_ARMS = {"forearm": 2.2, "hand": 2.2}
SHORT_LEGS = {"thigh": 0.6, "shin": 0.6, "foot": 0.6}
LONG_TRUNK = {"chest": 2.0}


def of_other_lengths(skeleton: Skeleton, shares: Mapping[str, float]) -> Skeleton:
    """Return the skeleton with distances of joints to their parents scaled by name, standing on the same ground."""
    factors = np.array([shares.get(name.split(".")[0], 1.0) for name in skeleton.names])
    moved = skeleton.rest_translations * factors[:, None]
    lower = replace(skeleton, rest_translations=moved.copy())
    moved[0, 2] += skeleton.rest_positions[:, 2].min() - lower.rest_positions[:, 2].min()
    return replace(skeleton, rest_translations=moved)


def moved_by(turns: Mapping[str, np.ndarray]) -> Motion:
    skeleton = build_skeleton(BIPED)
    still = np.zeros((FRAMES, 1, 3), np.float32)
    return Motion(skeleton, RATE, pose_channels(skeleton, turns, FRAMES), np.array([0]), still)


def bending() -> Motion:
    """Return a biped that bends forward and reaches down, almost to the ground."""
    bend = 1.6 * np.sin(np.pi * np.arange(FRAMES) / (FRAMES - 1)) ** 2
    turns = {"spine": turn(SIDEWAYS, -bend)}
    for side, hang in (("L", 1.4), ("R", -1.4)):
        hanging = turn(FORWARD, np.full(FRAMES, hang))
        turns[f"upper_arm.{side}"] = rotations.multiply(turn(SIDEWAYS, bend), hanging)
        turns[f"forearm.{side}"] = turn(FORWARD, np.full(FRAMES, 0.1 * hang))
    return moved_by(turns)


def trembling() -> Motion:
    """Return a biped that sways, and whose spine bends forward for single frames that chest and arms undo."""
    bend = np.where(np.arange(FRAMES) % 40 == 30, 0.05, 0.0)
    # The shoulders are 0.6 times as far from the chest as this is from the spine.
    back = np.arcsin(np.sin(bend) / 0.6)
    turns = {"hips": turn(SIDEWAYS, 0.4 * np.sin(np.arange(FRAMES) / 6)), "spine": turn(SIDEWAYS, bend)}
    turns["chest"] = turn(SIDEWAYS, -bend - back)
    return moved_by(turns | {f"upper_arm.{side}": turn(SIDEWAYS, back) for side in "LR"})


@pytest.mark.parametrize("shares", [LONG_ARMS, LONG_ARMS | SHORT_LEGS])
def test_hands_that_reach_down_stay_above_the_ground_with_longer_arms_and_shorter_legs(
    shares: Mapping[str, float],
) -> None:
    motion = bending()
    target, pairs = of_other_lengths(motion.skeleton, shares), {name: name for name in motion.skeleton.names}
    upper = [joint for joint, name in enumerate(target.names) if not name.startswith(("thigh", "shin", "foot"))]
    brought = bring(motion, target, pairs, motion.translated)
    feet, heights = [target.names.index(f"foot.{side}") for side in "LR"], brought.pose()[1][..., 2]
    ground = target.rest_positions[:, 2].min()
    np.testing.assert_allclose(heights[:, feet], ground, atol=1e-3 * target.size)
    assert ground - 0.01 * target.size < heights[:, upper].min() < ground + 0.1 * target.size


def test_elbows_stay_calm_where_bones_of_other_lengths_do_not_undo_the_trembling_of_a_trunk() -> None:
    motion = trembling()
    target, pairs = of_other_lengths(motion.skeleton, LONG_TRUNK), {name: name for name in motion.skeleton.names}
    laid, brought = (maker(motion, target, pairs, motion.translated) for maker in (retarget, bring))
    elbows = [target.names.index(f"forearm.{side}") for side in "LR"]
    most, before, after = (joint_accelerations(each, elbows).max() for each in (motion, laid, brought))
    assert before > 3 * most
    assert after < 1.6 * most
