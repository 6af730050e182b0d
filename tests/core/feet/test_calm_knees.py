# SPDX-License-Identifier: GPL-3.0-or-later
"""Calm knees: quick moves, and only these, are spread over more time."""

from dataclasses import replace

import numpy as np
import pytest
from legged import carried, compass, feet_of, heights_of, places_of
from motions import RATE, SIDEWAYS, Array, turn
from numpy.typing import NDArray

from genmm_addon.core import Motion, rotations
from genmm_addon.core.feet.calm_knees import Knees, calm_solved, find_knees, solve_calmly
from genmm_addon.core.feet.calm_paths import ALLOWED
from genmm_addon.core.feet.leg_ik import lock_feet
from genmm_addon.core.feet.two_bone_ik import Leg, Solution, find_hinges, knee_path, pose_leg, solve_leg, write_turns

pytestmark = pytest.mark.filterwarnings("error")

FRAMES = 60
FREE = np.ones(FRAMES)
KICK = slice(20, 40)
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
LARGEST = 0.02
"""Largest acceleration of the examples' knees, in units per squared frame."""


def largest_acceleration(path: Array) -> float:
    return float(np.linalg.norm(np.diff(path, 2, axis=0), axis=1).max())


def limited(hinges: NDArray[np.float64], largest: float) -> Knees:
    """Return knees, each with the same largest acceleration, below feet without one."""
    return Knees(hinges, np.full(len(hinges), largest), np.full(len(hinges), np.inf))


def leg_and_hinge() -> tuple[Leg, NDArray[np.float64]]:
    """Return the left leg of the biped, which stands with its knees bent, and its hinge."""
    standing = carried(np.zeros((FRAMES, 3)))
    foot = feet_of(standing)[0]
    return pose_leg(standing, foot), find_hinges([compass()], [foot])[0]


def jump(way: float) -> NDArray[np.float64]:
    """Return a move that changes its place between two frames."""
    return np.outer(np.where(np.arange(FRAMES) < FRAMES // 2, 0.0, way), (0.0, 1.0, 0.3))


def solved(moves: NDArray[np.float64], weights: Array = FREE) -> tuple[Solution, Solution, Leg]:
    """Return the solutions for moves, without and with calm knees, and their leg."""
    leg, hinge = leg_and_hinge()
    calm = solve_calmly(leg, moves, limited(hinge[None], LARGEST), 0, weights, RATE, 1.6)
    return solve_leg(leg, moves, hinge, RATE, 1.6), calm, leg


def test_jump_of_the_foot_does_not_make_the_knee_jump() -> None:
    exact, calm, leg = solved(jump(0.12))
    assert largest_acceleration(knee_path(leg, exact)) > 2 * LARGEST
    assert largest_acceleration(knee_path(leg, calm)) < 1.2 * LARGEST


def test_far_from_a_jump_nothing_changes() -> None:
    exact, calm, leg = solved(jump(0.12))
    paths = [knee_path(leg, solution) for solution in (exact, calm)]
    far = np.abs(np.arange(FRAMES) - FRAMES // 2) > 15
    assert np.allclose(paths[0][far], paths[1][far], atol=1e-9)


def test_a_slow_move_is_made_exactly() -> None:
    exact, calm, leg = solved(np.outer(0.1 * np.sin(2 * np.arange(FRAMES) / RATE), (0.0, 1.0, 0.0)))
    assert largest_acceleration(knee_path(leg, exact)) < ALLOWED * LARGEST
    assert np.array_equal(exact.bend, calm.bend)


def test_a_leg_that_is_held_does_not_move_for_a_jump_beside_it() -> None:
    """Frames at which the leg is fixed stay without a move, however near the jump is."""
    held = np.arange(FRAMES) < FRAMES // 2
    _, calm, leg = solved(jump(0.12), np.where(held, 0.0, 1.0))
    still = leg.positions[:, leg.knee]
    far = np.arange(FRAMES) < FRAMES // 2 - 6
    assert np.allclose(knee_path(leg, calm)[far], still[far], atol=1e-6)


def kicking(frame: int) -> Motion:
    """Return the biped with its left thigh rotated by 15 degrees from one frame on."""
    standing = carried(np.zeros((FRAMES, 3)))
    thigh = standing.skeleton.names.index("thigh.L")
    angles = np.radians(np.where(np.arange(FRAMES) < frame, 23.0, 38.0))
    posed = standing.rotations.copy()
    posed[:, thigh] = turn(SIDEWAYS, angles)
    return replace(standing, rotations=posed)


def test_a_knee_that_is_too_quick_as_its_leg_has_turned_is_calmed_and_the_foot_stays() -> None:
    """The knee is pushed forward for two frames, and the foot moves by much less than it would if only the knee's
    rotation were undone.
    """
    motion = replace(carried(np.zeros((FRAMES, 3))), rotations=carried(np.zeros((FRAMES, 3))).rotations.copy())
    foot = feet_of(motion)[0]
    for name, degrees in (("thigh.L", 6.0), ("shin.L", -11.0)):
        joint = motion.skeleton.names.index(name)
        pushed = turn(SIDEWAYS, np.radians([degrees, degrees]))
        motion.rotations[29:31, joint] = rotations.multiply(motion.rotations[29:31, joint], pushed)
    before = pose_leg(motion, foot)
    quick = pose_leg(motion, foot).positions[:, before.knee].copy()
    limit = largest_acceleration(quick) / 1.6
    calm = replace(motion, rotations=motion.rotations.copy())
    calm_solved(calm, foot, quick, limited(np.zeros((2, 3)), limit), 0, FREE)
    after = pose_leg(calm, foot)
    assert largest_acceleration(after.positions[:, after.knee]) <= ALLOWED * limit * 1.001
    moved = np.abs(after.positions[:, after.end] - before.positions[:, before.end]).max()
    assert 0 < moved < 0.5 * np.abs(after.positions[:, after.knee] - quick).max()
    far = np.abs(np.arange(FRAMES) - 30) > 12
    assert np.array_equal(calm.rotations[far], motion.rotations[far])


def test_a_knee_that_bends_the_other_way_is_not_thrown_straight() -> None:
    motion = kicking(30)
    foot, hinge = feet_of(motion)[0], find_hinges([compass()], feet_of(motion)[:1])
    path = pose_leg(motion, foot).positions[:, pose_leg(motion, foot).knee]
    calm = replace(motion, rotations=motion.rotations.copy())
    calm_solved(calm, foot, path, limited(-hinge, LARGEST / 4), 0, FREE)
    after = pose_leg(calm, foot)
    assert largest_acceleration(after.positions[:, after.knee]) <= 1.001 * largest_acceleration(path)


def test_a_bent_knee_that_flips_aside_for_a_frame_does_not_snap_straight() -> None:
    """Recordings have such frames, in which thigh and shin turn by half a round about the line from hip to foot."""
    motion = kicking(FRAMES)
    foot, hinge = feet_of(motion)[0], find_hinges([compass()], feet_of(motion)[:1])
    before = pose_leg(motion, foot)
    hip, knee, end = (before.positions[:, place] for place in (before.hip, before.knee, before.end))
    flip = rotations.from_axis_angle((end - hip)[[30]], np.array([0.9 * np.pi]))
    write_turns(motion, before, Solution(np.array([30]), IDENTITY[None], flip))
    flipped = pose_leg(motion, foot).positions[:, before.knee]
    assert largest_acceleration(flipped) > 0.1
    calm_solved(motion, foot, flipped, limited(hinge, 0.02), 0, FREE)
    after = pose_leg(motion, foot)
    assert largest_acceleration(after.positions[:, after.knee]) < 0.9 * largest_acceleration(flipped)
    assert np.abs(after.positions[:, after.end] - end).max() < 0.1 * np.linalg.norm(knee - hip, axis=1).max()


def test_a_leg_that_is_held_is_not_calmed_after_its_turns() -> None:
    motion = kicking(30)
    foot, before = feet_of(motion)[0], motion.rotations.copy()
    path = pose_leg(motion, foot).positions[:, pose_leg(motion, foot).knee]
    calm_solved(motion, foot, path, limited(np.zeros((2, 3)), LARGEST), 0, np.zeros(FRAMES))
    assert np.array_equal(motion.rotations, before)


def kicked(*largest: float) -> Array:
    """Return the places `(T, 2, 3)` of feet, of which the left one swings, that may accelerate as much as given."""
    motion = kicking(30)
    feet, contacts = feet_of(motion), np.ones((FRAMES, 2), bool)
    contacts[KICK, 0] = False
    knees = replace(limited(find_hinges([compass()], feet), np.inf), foot_acceleration=np.array(largest))
    return places_of(lock_feet(motion, feet, contacts, heights_of(motion, feet), np.array([0]), 0, knees=knees))


def test_a_foot_that_swings_off_too_suddenly_takes_more_time_and_stands_where_it_stood() -> None:
    free, calm = kicked(np.inf, np.inf), kicked(0.03, 0.03)
    assert largest_acceleration(free[:, 0]) > 0.05
    assert largest_acceleration(calm[:, 0]) < 1.2 * 0.03
    standing = np.setdiff1d(np.arange(FRAMES), np.arange(FRAMES)[KICK])
    assert np.allclose(calm[standing, 0], free[standing, 0], atol=2e-3)
    assert np.allclose(calm[:, 1], free[:, 1], atol=1e-4)


def test_a_foot_is_as_calm_as_in_the_examples_and_not_as_the_quickest_of_all() -> None:
    assert np.array_equal(kicked(0.03, np.inf)[:, 0], kicked(0.03, 0.03)[:, 0])
    assert np.array_equal(kicked(np.inf, 0.03), kicked(np.inf, np.inf))
    motion = kicking(30)
    quickest = find_knees([motion], feet_of(motion))
    assert quickest.foot_acceleration[0] > 10 * quickest.foot_acceleration[1]
