# SPDX-License-Identifier: GPL-3.0-or-later
"""Knees and elbows: found in examples, and bent by differences about their own axes only."""

import numpy as np
import pytest
from motions import walker, waver

from genmm_addon.core import Motion
from genmm_addon.core.library import index_motions
from genmm_addon.core.live import LiveExamples, prepare_live
from genmm_addon.core.live.pose import changed, difference, put_down, read_pose
from genmm_addon.core.live.single.hinges import Hinge, find_hinges
from genmm_addon.core.motion import rotations


def examples_of(*motions: Motion) -> LiveExamples:
    return prepare_live(index_motions(list(motions)))


def twisted(motion: Motion, seed: int) -> Motion:
    """Return the motion with upper arms rotated at random, each by a constant over all frames."""
    turns, chance = motion.rotations.copy(), np.random.default_rng(seed)
    for side in "LR":
        joint = motion.skeleton.names.index(f"upper_arm.{side}")
        turns[:, joint] = rotations.multiply(rotations.from_vector(chance.normal(size=3)), turns[:, joint])
    return motion.with_channels({**motion.channels(), "rotations": turns.astype(np.float32)})


def names_of(hinge: Hinge, motion: Motion) -> tuple[str, ...]:
    return tuple(motion.skeleton.names[joint] for joint in hinge.joints)


def bends(hinge: Hinge, pose: Motion) -> tuple[float, float]:
    """Return the bend of a limb about its axis, and its bend to the side as a sine."""
    matrices, positions = (values[0].astype(np.float64) for values in pose.pose())
    upper, lower, end = hinge.joints
    thigh, shin = positions[lower] - positions[upper], positions[end] - positions[lower]
    thigh, shin = thigh / np.linalg.norm(thigh), shin / np.linalg.norm(shin)
    axis = matrices[upper] @ np.array(hinge.axis)
    return float(np.arctan2(axis @ np.cross(thigh, shin), thigh @ shin)), float(axis @ shin - axis @ thigh)


def test_elbows_are_found_beside_knees() -> None:
    motion = waver(120)
    found = {names_of(hinge, motion)[1] for hinge in examples_of(motion).hinges}
    assert {"forearm.L", "forearm.R"} <= found


def test_loose_joint_is_not_a_hinge_and_no_joint_belongs_to_two_hinges() -> None:
    motion = waver(120)
    joint = motion.skeleton.names.index("forearm.L")
    turns = motion.rotations.copy()
    turns[:, joint] = rotations.from_vector(np.random.default_rng(0).normal(size=(motion.frames, 3)))
    loose = motion.with_channels({**motion.channels(), "rotations": turns.astype(np.float32)})
    hinges = examples_of(loose).hinges
    assert "forearm.L" not in {names_of(hinge, motion)[1] for hinge in hinges}
    turned = [joint for hinge in hinges for joint in hinge.joints[:2]]
    assert len(turned) == len(set(turned))


def test_a_limb_that_never_bends_shows_no_axis() -> None:
    motion = walker(60)
    straight = motion.take(np.zeros(60, np.int64))
    turns = np.zeros_like(straight.rotations)
    turns[..., 0] = 1.0
    still = straight.with_channels({**straight.channels(), "rotations": turns})
    arm = tuple(motion.skeleton.names.index(f"{bone}.L") for bone in ("upper_arm", "forearm", "hand"))
    assert find_hinges([still], {}, [(arm[0], arm[1]), (arm[1], arm[2])]) == ()


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 1.0])
def test_no_share_of_a_difference_bends_a_limb_to_the_side_or_backward(share: float) -> None:
    examples = examples_of(waver(90), *(twisted(waver(90, seed), seed) for seed in (1, 2)))
    arms = [hinge for hinge in examples.hinges if names_of(hinge, examples.library.motions[0])[1].startswith("forearm")]
    assert len(arms) == 2
    sides = []
    for one, other in ((3, 100), (40, 200), (120, 260), (70, 150)):
        own, there = read_pose(examples, float(one)), read_pose(examples, float(other))
        pose = changed(own, share * difference(there, own))
        shown = put_down(examples, pose, np.zeros(2), 0.0, None)
        ends = [put_down(examples, pose, np.zeros(2), 0.0, None) for pose in (own, there)]
        for hinge in arms:
            (bend, side), *(outer, inner) = (bends(hinge, motion) for motion in (shown, *ends))
            assert abs(side) < 2e-3
            assert min(outer[0], inner[0]) - 1e-3 < bend < max(outer[0], inner[0]) + 1e-3
            local = [rotations.multiply(_inverse(end, hinge), end.rotations[0, hinge.joints[1]]) for end in ends]
            sides.append(float(rotations.angle_between(*local)))
    assert max(sides) > 0.2


def _inverse(motion: Motion, hinge: Hinge) -> np.ndarray:
    return np.asarray(rotations.inverse(motion.rotations[0, hinge.joints[0]]))


@pytest.mark.parametrize("frame", [0.0, 17.0, 33.4, 80.0])
def test_extended_limbs_are_flexed_again_as_they_were(frame: float) -> None:
    examples = examples_of(waver(90), twisted(waver(90, 1), 1))
    pose = read_pose(examples, frame)
    turns = [tuple(turn) for turn in pose.turns.tolist()]
    for hinge, bend in zip(examples.hinges, pose.columns[-pose.bends :].tolist(), strict=True):
        hinge.flexed(turns, bend)
        before = np.array(turns)
        assert hinge.extended(turns) == pytest.approx(bend, abs=1e-5)
        hinge.flexed(turns, bend)
        assert np.array(turns) == pytest.approx(before, abs=1e-6)
