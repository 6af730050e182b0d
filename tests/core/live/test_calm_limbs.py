# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs whose joints do not accelerate more than in the examples."""

from dataclasses import replace

import numpy as np
import pytest
from motions import SIDEWAYS, standing_axes, turn, walker
from numpy.typing import NDArray
from test_controller import controller, played, random_wishes

from genmm_addon.core import Motion
from genmm_addon.core.live.calm_limbs import MOST_TURN, CalmLimbs, Limbs
from genmm_addon.core.motion import rotations

MOST = 0.02
"""Largest acceleration in meters per squared step."""


def limbs() -> Limbs:
    return controller().examples.limbs


def posed(joint: str = "", angle: float = 0.0) -> Motion:
    """Return the walker's first pose with a joint swung farther ahead."""
    pose = walker(2).slice(0, 1)
    turns = pose.rotations.copy()
    if joint:
        number = pose.skeleton.names.index(joint)
        axes = standing_axes(len(pose.skeleton.names))[number]
        ahead = rotations.multiply(rotations.inverse(axes), rotations.multiply(turn(SIDEWAYS, angle), axes))
        turns[0, number] = rotations.multiply(turns[0, number], ahead)
    return replace(pose, rotations=turns.astype(np.float32))


def ends(pose: Motion) -> NDArray[np.float64]:
    return np.asarray(pose.pose()[1][0, [end for _, end in limbs().bones]], np.float64)


def shown(pose: Motion, steps: int) -> list[Motion]:
    """Return the frames from the first pose on when another pose is requested at once."""
    calm, found = CalmLimbs.at_rest(limbs(), posed()), [posed(), posed()]
    for _ in range(steps):
        calm, frame = calm.next(limbs(), pose, MOST)
        assert calm.places == pytest.approx(ends(frame), abs=1e-5)
        found.append(frame)
    return found


def test_arms_and_legs_are_limbs_and_the_trunk_is_not() -> None:
    skeleton = walker(2).skeleton
    names = [(skeleton.names[start], skeleton.names[end]) for start, end in limbs().bones]
    assert ("thigh.L", "shin.L") in names
    assert ("shin.R", "foot.R") in names
    assert not {"hips", "spine"} & {start for start, _ in names}
    hung = {start for (start, _), is_hung in zip(names, limbs().hung, strict=True) if is_hung}
    assert "thigh.L" in hung
    assert "shin.L" not in hung


def test_the_turns_and_places_of_a_pose_are_those_of_its_motion_with_scale_as_well() -> None:
    pose = walker(30).slice(20, 21)
    scaled = Motion(
        pose.skeleton,
        pose.frames_per_second,
        pose.rotations,
        translated=pose.translated,
        translations=pose.translations,
        scaled=np.array([1]),
        scales=np.full((1, 1, 3), 1.25, np.float32),
    )
    for motion in (pose, scaled):
        turns, places = limbs().posed(motion)
        matrices, positions = motion.pose()
        assert np.array(places) == pytest.approx(positions[0], abs=1e-5)
        straight = rotations.without_scale(matrices[0].astype(np.float64))
        assert rotations.to_matrix(np.array(turns)) == pytest.approx(straight, abs=1e-5)


@pytest.mark.parametrize(("joint", "angle"), [("thigh.L", 0.3), ("shin.R", 0.4), ("thigh.L", -0.6)])
def test_limb_with_a_sudden_goal_reaches_it_within_the_acceleration_limit(joint: str, angle: float) -> None:
    goal = posed(joint, angle)
    frames = shown(goal, 30)
    path = np.array([ends(frame) for frame in frames])
    accelerations = np.linalg.norm(np.diff(path, 2, axis=0), axis=2)
    assert np.linalg.norm(ends(goal) - ends(posed()), axis=1).max() > 4 * MOST
    assert accelerations.max() <= 1.1 * MOST
    assert path[-1] == pytest.approx(ends(goal), abs=0.05 * MOST)


def bent(knee: float) -> Motion:
    """Return the walker's first pose, with its left knee bent by radians and the foot below the hip."""
    pose = posed("shin.L", -knee)
    thigh = pose.skeleton.names.index("thigh.L")
    turns = pose.rotations.copy()
    turns[0, thigh] = posed("thigh.L", 0.5 * knee).rotations[0, thigh]
    return replace(pose, rotations=turns)


def largest(goals: list[Motion]) -> float:
    """Return the largest acceleration for a sequence of requested poses, as a multiple of the limit."""
    calm, path = CalmLimbs.at_rest(limbs(), goals[0]), [ends(goals[0])] * 2
    for goal in goals[1:]:
        calm, frame = calm.next(limbs(), goal, MOST)
        path.append(ends(frame))
    return float(np.linalg.norm(np.diff(path, 2, axis=0), axis=2).max() / MOST)


@pytest.mark.parametrize("speed", [3.0, 5.0, 8.0])
def test_a_leg_that_stretches_quickly_brakes_before_it_is_straight(speed: float) -> None:
    reaches = [0.6]
    while reaches[-1] < 1.0:
        way = min(0.8 * len(reaches), speed) * MOST / 0.9
        reaches.append(min(reaches[-1] + way, 1.0))
    goals = [bent(2.0 * float(np.arccos(reach))) for reach in [*reaches, *[1.0] * 12]]
    # Without the limit it is 1.7 to 2.9 times as large.
    assert largest(goals) < 1.4


def test_bones_keep_their_length_and_end_joints_their_orientation() -> None:
    goal = posed("thigh.L", 0.4)
    names, frame = goal.skeleton.names, shown(goal, 2)[-1]
    matrices, positions = (values[0].astype(np.float64) for values in frame.pose())
    wanted = [values[0].astype(np.float64) for values in goal.pose()]
    for start, end in limbs().bones:
        length = np.linalg.norm(wanted[1][end] - wanted[1][start])
        assert np.linalg.norm(positions[end] - positions[start]) == pytest.approx(length, rel=1e-4)
    moved = np.linalg.norm(positions - wanted[1], axis=1)
    assert moved[names.index("foot.L")] > MOST
    assert moved[names.index("hips")] < 1e-6
    last = [end for _, end in limbs().bones if end not in {start for start, _ in limbs().bones}]
    assert matrices[last] == pytest.approx(wanted[0][last], abs=1e-4)


def test_joints_stay_within_the_largest_turn_from_the_goal() -> None:
    calm = CalmLimbs.at_rest(limbs(), posed())
    goal = posed("thigh.L", 1.5)
    _, frame = calm.next(limbs(), goal, 1e-4)
    turns = rotations.angle_between(frame.rotations, goal.rotations)[0, [start for start, _ in limbs().bones]]
    assert MOST_TURN - 1e-4 <= turns.max() <= MOST_TURN + 1e-4


def test_slowly_accelerating_poses_are_unchanged() -> None:
    calm, motion = CalmLimbs.at_rest(limbs(), walker(60).slice(0, 1)), walker(60)
    for number in range(1, 60):
        pose = motion.slice(number, number + 1)
        calm, frame = calm.next(limbs(), pose, 1.0)
        assert frame is pose


@pytest.mark.slow
def test_nothing_that_is_steered_accelerates_by_more_than_is_allowed() -> None:
    states, motion = played(random_wishes(400, seed=5))
    path = motion.pose()[1][:, [end for _, end in limbs().bones]].astype(np.float64)
    most = np.array([controller().examples.most_at(state.frame) for state in states])[2:]
    accelerations = np.linalg.norm(np.diff(path, 2, axis=0), axis=2).max(axis=1)
    assert (accelerations / most).max() < 1.2
    assert any(state.limbs.gaps.any() for state in states)


@pytest.mark.slow
def test_no_knee_that_is_steered_bends_backward() -> None:
    states, motion = played(random_wishes(400, seed=5))
    legs = controller().examples.legs
    bends = [leg.bend for frame in range(motion.frames) for leg in legs.posed(motion.slice(frame, frame + 1))]
    assert any(state.changed == 0 for state in states)
    assert min(bends) > -0.03
