# SPDX-License-Identifier: GPL-3.0-or-later
"""Knees: the axis about which they bend, straight legs, and places out of reach."""

import numpy as np
import pytest
from legged import TOED, compass, feet_of, places_of, still
from motions import FORWARD, RATE, SIDEWAYS, Array, build_skeleton, turn
from numpy.typing import NDArray

from genmm_addon.core import Motion, prepare, rotations, synthesize
from genmm_addon.core.feet.two_bone_ik import find_hinges, knee_of, pose_leg, soft_distance, solve_leg, turn_leg

pytestmark = pytest.mark.filterwarnings("error")

FRAMES = 60
TIME = np.arange(FRAMES) / RATE
KNEES = ("shin.L", "shin.R")


def standing(bend: Array | float) -> Motion:
    """Return the standing biped with its left knee bent by some angles in radians; below zero it is overextended."""
    angles = np.broadcast_to(np.asarray(bend, np.float64), (FRAMES,))
    turns = {"thigh.L": turn(SIDEWAYS, 0.5 * angles), "shin.L": turn(SIDEWAYS, -angles)}
    return still(build_skeleton(TOED), "hips", np.zeros((FRAMES, 3)), turns)


def moved(motion: Motion, moves: NDArray[np.float64], hinge: NDArray[np.float64] | None = None) -> Motion:
    """Return the motion with the end of its left leg moved by `(T, 3)`."""
    foot = feet_of(motion)[0]
    axis = find_hinges([compass()], [foot])[0] if hinge is None else hinge
    leg = pose_leg(motion, foot)
    return turn_leg(motion, leg, solve_leg(leg, moves, axis, RATE, motion.skeleton.size))


def raised(height: Array | float) -> NDArray[np.float64]:
    return np.outer(np.broadcast_to(height, (FRAMES,)), (0.0, 0.0, 1.0))


def ahead(motion: Motion) -> Array:
    """Return the distance `(T,)` of the left knee in front of the line from hip to ankle."""
    hip, knee, ankle = (places_of(motion, (f"{name}.L",))[:, 0] for name in ("thigh", "shin", "foot"))
    return np.asarray(knee[:, 1] - (hip[:, 1] + ankle[:, 1]) / 2)


def largest_acceleration(motion: Motion) -> float:
    return float(np.linalg.norm(np.diff(places_of(motion, KNEES), 2, axis=0), axis=2).max())


# The hinge


def test_the_hinge_is_the_axis_that_the_knee_turns_about() -> None:
    walk = compass()
    hinges = find_hinges([walk], feet_of(walk))
    thighs = walk.pose()[0][:, [walk.skeleton.names.index(f"thigh.{side}") for side in "LR"]]
    axes = np.einsum("tfab,fb->tfa", thighs, hinges)
    assert np.allclose(np.abs(axes[..., 0]), 1.0, atol=1e-4)


def test_a_knee_that_never_bends_bends_where_the_toes_point() -> None:
    straight = standing(0.0)
    result = moved(straight, raised(0.1), find_hinges([straight], feet_of(straight))[0])
    assert ahead(result).min() > 0.05


def test_a_foot_without_a_leg_has_no_hinge() -> None:
    walk = compass()
    assert np.array_equal(find_hinges([walk], feet_of(walk, "head")), np.zeros((1, 3)))


def test_the_knee_of_a_foot_is_the_joint_that_bends() -> None:
    walk = compass()
    assert [walk.skeleton.names[knee_of(walk, foot)] for foot in feet_of(walk)] == list(KNEES)


# The effect of a move on the knee


def test_a_bent_leg_reaches_its_place_exactly() -> None:
    crouching = standing(1.0)
    moves = np.stack((0.05 * np.sin(2 * TIME), 0.1 * np.cos(3 * TIME), 0.05 * np.sin(TIME)), axis=1)
    ankles = [places_of(motion, ("foot.L",))[:, 0] for motion in (crouching, moved(crouching, moves))]
    assert np.allclose(ankles[1] - ankles[0], moves, atol=2e-3)


@pytest.mark.parametrize("bend", [-0.06, -0.02, 0.0, 0.02, 0.06])
def test_a_knee_bends_forwards_however_straight_the_leg_is(bend: float) -> None:
    assert ahead(moved(standing(bend), raised(0.1))).min() > 0.05


def test_a_leg_that_trembles_around_straight_keeps_a_calm_knee() -> None:
    """Thigh and shin alone would give another axis at every other frame, and the knee would flip."""
    trembling = standing(0.03 * np.sin(40 * TIME))
    result = moved(trembling, raised(0.02))
    knee = places_of(result, ("shin.L",))[:, 0]
    assert np.ptp(knee[5:-5, 1]) < 0.04
    assert ahead(result)[5:-5].min() > 0.0


def test_a_leg_out_of_the_plane_of_its_hinge_is_solved_as_well() -> None:
    turns = {"thigh.L": turn(FORWARD, 0.3), "shin.L": rotations.multiply(turn(FORWARD, -0.2), turn(SIDEWAYS, -0.9))}
    sprawling = still(build_skeleton(TOED), "hips", np.zeros((FRAMES, 3)), turns)
    result = moved(sprawling, raised(0.06))
    ankles = [places_of(motion, ("foot.L",))[:, 0] for motion in (sprawling, result)]
    assert np.allclose(ankles[1] - ankles[0], raised(0.06), atol=3e-3)


def test_a_straight_leg_hardly_moves_its_knee_for_a_hair() -> None:
    """An exact solution for a thousandth of its length would rotate the knee by five degrees and shift it by 15 mm."""
    result = moved(standing(0.0), raised(0.0008))
    assert np.abs(places_of(result, ("shin.L",)) - places_of(standing(0.0), ("shin.L",))).max() < 0.008


@pytest.mark.parametrize("bend", [-0.04, 0.0, 0.04])
def test_the_knee_bends_no_further_back_for_a_place_out_of_reach(bend: float) -> None:
    before = standing(bend)
    result = moved(before, raised(np.linspace(0.0, -0.3, FRAMES)))
    assert ahead(result).min() > min(ahead(before).min(), 0.0) - 1e-3


def test_a_leg_that_folds_up_beyond_half_a_turn_keeps_its_knee_in_front() -> None:
    """Blended legs can fold like this; taken for one that bends backward, such a leg would jump."""
    result = moved(standing(np.linspace(2.9, 3.4, FRAMES)), raised(-0.25))
    assert ahead(result).min() > 0.1
    assert largest_acceleration(result) < 0.01


def test_distances_that_two_bones_cannot_reach_are_softened_at_both_limits() -> None:
    wanted = np.linspace(0.0, 1.0, 1001)
    reached = soft_distance(wanted, np.full(1001, 0.4), np.full(1001, 0.3))
    assert reached.min() > 0.1 and reached.max() < 0.7
    assert np.diff(reached).min() >= 0.0 and np.abs(np.diff(reached, 2)).max() < 1e-4
    np.testing.assert_array_equal(reached[130:670], wanted[130:670])


# In a synthesis


@pytest.mark.parametrize("seed", range(6))
def test_the_knees_of_a_straight_legged_walk_do_not_pop(seed: int) -> None:
    walk = compass(24)
    result = synthesize(prepare([walk]), 300, seed=seed)
    assert largest_acceleration(result.motion) < 1.1 * largest_acceleration(walk)
