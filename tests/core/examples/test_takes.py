# SPDX-License-Identifier: GPL-3.0-or-later
"""Hard cuts in one motion, which part its takes, and what is none: a limb's jump, held poses, frames far apart."""

import numpy as np
import pytest
from motions import turn, turned_and_moved, walker, waver, with_channel

from genmm_addon.core import Motion, prepare, synthesize
from genmm_addon.core.examples import find_takes
from genmm_addon.core.motion import rotations
from genmm_addon.core.motion.motion import joined, joint_accelerations


def pack(*takes: Motion) -> Motion:
    """Return takes one after another, each some meters from the one before."""
    return joined([turned_and_moved(take, 0.7 * place, (2.0 * place, 0.0, 0.0)) for place, take in enumerate(takes)])


@pytest.mark.parametrize("rate", [24.0, 30.0, 120.0])
def test_motions_one_after_another_are_as_many_takes(rate: float) -> None:
    frames = round(2 * rate)
    together = pack(walker(frames, rate=rate), waver(frames, rate=rate), walker(frames, seed=3, rate=rate))
    assert find_takes(together) == [(0, frames), (frames, 2 * frames), (2 * frames, 3 * frames)]


def test_takes_in_one_place_are_told_apart_by_their_poses() -> None:
    wave, walk = waver(60), walker(200, seed=2)
    start = wave.translations[-1] - walk.translations[100]
    assert find_takes(
        joined([wave, with_channel(walk, "translations", walk.translations + start).slice(100, 200)])
    ) == [
        (0, 60),
        (60, 160),
    ]


@pytest.mark.parametrize("motion", [walker(), waver(), walker(rate=12.0), walker(600, rate=120.0)])
def test_a_motion_that_goes_on_is_one_take(motion: Motion) -> None:
    assert find_takes(motion) == [(0, motion.frames)]


def test_a_limb_that_jumps_alone_is_no_cut() -> None:
    walk = walker()
    arm = walk.skeleton.names.index("upper_arm.L")
    turned = walk.rotations.copy()
    turned[100:, arm] = rotations.multiply(turned[100:, arm], turn(np.array([1.0, 0, 0]), np.full(140, 1.5)))
    assert find_takes(with_channel(walk, "rotations", turned)) == [(0, 240)]


def test_held_poses_and_frames_far_apart_are_no_cuts() -> None:
    walk = walker(rate=30.0)
    stepped = walk.take(np.arange(240) // 12 * 12)
    assert find_takes(stepped) == [(0, 240)]
    assert find_takes(pack(walker(60, rate=10.0), waver(60, rate=10.0))) == [(0, 120)]


def test_takes_too_short_to_learn_from_are_left_out() -> None:
    together = pack(walker(60), waver(4), walker(60, seed=2))
    assert find_takes(together) == [(0, 60), (64, 124)]
    assert find_takes(pack(walker(4), waver(4))) == [(0, 8)]
    # At a lower rate of the result, fewer frames are left of a take.
    assert find_takes(pack(walker(60), waver(15)), 15.0) == [(0, 60)]


def test_a_pose_held_before_the_motion_is_left_out() -> None:
    walk = walker(90)
    held = walk.take(np.zeros(40, np.int64))
    arms = [walk.skeleton.names.index(name) for name in walk.skeleton.names if "arm" in name or "hand" in name]
    held.rotations[:, arms] = np.array([1.0, 0, 0, 0], np.float32)
    assert find_takes(joined([held, walk.slice(30, 90)])) == [(40, 100)]


def test_a_result_from_takes_jumps_nowhere() -> None:
    parts = [walker(90), waver(90), walker(90, seed=4)]
    together = pack(*parts)
    highest = max(joint_accelerations(part).max() for part in parts)
    apart = prepare([together.slice(first, end) for first, end in find_takes(together)])
    for seed in range(3):
        result = synthesize(apart, 400, seed=seed).motion
        assert joint_accelerations(result).max() < 1.2 * highest
    assert joint_accelerations(together).max() > 10 * highest
