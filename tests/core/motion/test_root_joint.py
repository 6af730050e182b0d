# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion: the travel on a smooth joint at the top, with every other joint unchanged."""

from dataclasses import replace

import numpy as np
import pytest
from motions import in_other_units, turned_and_moved, under_a_static_top, walker, waver, with_foot_controls
from numpy.typing import NDArray

from genmm_addon.core import InputError, Loop, Motion, prepare, rotations, synthesize
from genmm_addon.core.constraints import Constraints
from genmm_addon.core.motion import BodyTrack, GroundTravel, ground_travel, with_root_joint

UP = (0.0, 0.0, 1.0)
RATE = 30.0


def of_body(
    places: NDArray[np.float64], turns: NDArray[np.float64], lowest: float | NDArray[np.float64] = 0.0
) -> GroundTravel:
    axis = np.broadcast_to(np.array(UP), (len(turns), 3))
    heights = np.broadcast_to(lowest, (len(turns),))
    return ground_travel(BodyTrack(rotations.from_axis_angle(axis, turns), places, heights, UP, 1.7, RATE))


def swaying_ahead(speeds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return positions of a body that moves along Y at these speeds, with hips that sway by 3 cm."""
    time = np.arange(len(speeds)) / RATE
    sway = 0.03 * np.sin(2 * np.pi * time)
    return np.stack((sway, np.cumsum(speeds) / RATE, 0.95 + 0.02 * np.sin(4 * np.pi * time)), axis=1)


@pytest.mark.parametrize(
    "motion", [walker(), turned_and_moved(walker(), 1.9, (4.0, -2.0, 0.0)), in_other_units(walker(), 100.0), waver(),
               under_a_static_top(), with_foot_controls()]
)  # fmt: skip
def test_every_joint_stays_where_it_was_in_the_world(motion: Motion) -> None:
    rooted = with_root_joint(motion, name="mover")
    matrices, positions = motion.pose()
    again, there = rooted.pose()
    assert rooted.skeleton.names[0] == "mover"
    assert np.abs(there[:, 1:] - positions).max() < 5e-6 * max(motion.skeleton.size, np.abs(positions).max())
    assert np.abs(again[:, 1:] - matrices).max() < 5e-6


def test_the_root_is_flat_on_the_ground_and_faces_as_the_hips_do() -> None:
    walk = walker()
    matrices, positions = with_root_joint(walk).pose()
    assert np.abs(positions[:, 0, 2]).max() == 0.0
    assert matrices[:, 0, 2, 2] == pytest.approx(1.0, abs=1e-6)
    hips = walk.pose()[0][:, 0]
    # Apart from sway, body and hips face the same way.
    cosines = np.sum(hips[:, :2, 0] * matrices[:, 0, :2, 0], axis=1) / np.linalg.norm(hips[:, :2, 0], axis=1)
    assert np.degrees(np.arccos(np.clip(cosines, -1, 1))).max() < 20.0
    assert np.linalg.norm(positions[:, 0, :2] - positions[:, 1, :2], axis=1).max() < 0.05 * walk.skeleton.size


def test_sway_stays_on_the_hips() -> None:
    travel = of_body(swaying_ahead(np.full(150, 1.3)), 0.1 * np.sin(2 * np.pi * np.arange(150) / RATE))
    inside = slice(30, 120)
    assert np.ptp(travel.places[inside, 0]) < 0.2 * 0.06
    assert np.diff(travel.places[inside, 1]) * RATE == pytest.approx(1.3, abs=0.01)
    assert np.ptp(travel.turns) == pytest.approx(0.0, abs=1e-9), "a straight walk has one heading"


def test_the_root_stands_still_where_the_body_stands() -> None:
    speeds = np.concatenate((np.full(60, 1.3), np.zeros(90), np.full(60, 1.3)))
    travel = of_body(swaying_ahead(speeds), np.zeros(210))
    standing = travel.places[75:135]
    assert np.abs(standing - standing[0]).max() < 1e-9
    assert np.abs(np.diff(travel.places, 2, axis=0)).max() * RATE**2 < 12.0, "and it does not jump at the borders"
    assert abs(standing[0, 1] - speeds[:60].sum() / RATE) < 0.05 * 1.7


def test_slow_travel_is_not_treated_as_standing() -> None:
    slow = of_body(swaying_ahead(np.full(300, 0.06)), np.zeros(300))
    assert slow.places[-1, 1] - slow.places[0, 1] == pytest.approx(0.06 * 299 / RATE, abs=0.05)
    assert np.abs(slow.places[:, 1] - swaying_ahead(np.full(300, 0.06))[:, 1]).max() < 0.05


def test_the_root_climbs_with_the_ground_and_jumps_with_no_jump() -> None:
    places, still = swaying_ahead(np.full(150, 1.0)), np.zeros(150)
    time = np.arange(150)
    jump = np.where((time > 60) & (time < 75), 0.4, 0.0)
    assert np.abs(of_body(places, still, jump).places[:, 2]).max() == 0.0
    stairs = 0.15 * np.floor(time / 15)
    climbed = of_body(places, still, stairs).places[:, 2]
    assert climbed[-1] - climbed[0] == pytest.approx(stairs[-1], abs=0.16)
    assert np.diff(climbed).min() > -1e-9
    assert of_body(places, still, 3.0).places[:, 2] == pytest.approx(3.0), "on another floor it is on that floor"


def test_a_body_that_lies_keeps_its_heading() -> None:
    time = np.arange(120)
    pitch = np.where(time < 60, 0.0, np.pi)
    axis = np.broadcast_to(np.array([1.0, 0.0, 0.0]), (120, 3))
    track = BodyTrack(rotations.from_axis_angle(axis, pitch), np.zeros((120, 3)), np.zeros(120), UP, 1.7, RATE)
    assert np.ptp(ground_travel(track).turns) < 1e-6


def test_hips_end_a_loop_as_they_began_relative_to_the_root() -> None:
    prepared = prepare([walker()], frames_per_second=RATE)
    made = synthesize(prepared, 90, constraints=Constraints(loop=Loop.TRAVEL), seed=3)
    rooted = with_root_joint(made.motion, closes=True)
    matrices, positions = rooted.pose()
    first, last = (np.block([[matrices[at, 0], positions[at, 0][:, None]], [np.zeros(3), 1.0]]) for at in (0, -1))
    hips = [np.block([[matrices[at, 1], positions[at, 1][:, None]], [np.zeros(3), 1.0]]) for at in (0, -1)]
    # Relative to the root, the hips end as they begin.
    assert np.linalg.inv(first) @ hips[0] == pytest.approx(np.linalg.inv(last) @ hips[1], abs=2e-3)


def test_adding_a_root_joint_twice_gives_the_same_motion() -> None:
    once = with_root_joint(walker())
    twice = with_root_joint(once)
    assert twice.skeleton.names == once.skeleton.names
    assert twice.pose()[1] == pytest.approx(once.pose()[1], abs=2e-5)


def test_joint_below_another_one_is_rejected_as_root() -> None:
    with pytest.raises(InputError, match='"spine" is below "hips" and cannot be the root'):
        with_root_joint(walker(), name="spine")


def test_a_motion_without_frames_to_smooth_is_taken_as_it_is() -> None:
    one = walker().slice(5, 6)
    assert with_root_joint(one).pose()[1][:, 1:] == pytest.approx(one.pose()[1], abs=1e-6)
    assert replace(one, frames_per_second=0.5).frames == 1
