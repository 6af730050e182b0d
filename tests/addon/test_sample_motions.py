# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample motions: feet that stand still, legs that never snap, and motion that is alive but never repeats."""

import numpy as np
import pytest

from genmm_addon.core import Motion, rotations
from genmm_addon.sample.sample_motions import sample_motions
from genmm_addon.sample.sample_skeleton import INDEX, SIDES, head_of, rest_matrices

NAMES = ("GenMM Walk", "GenMM Wave", "GenMM Dance")
RATE = 30.0


@pytest.fixture(scope="module")
def motions() -> dict[str, Motion]:
    return dict(sample_motions(RATE))


def joints(motion: Motion, name: str) -> np.ndarray:
    return motion.pose()[1][:, INDEX[name]].astype(np.float64)


def point_on(motion: Motion, bone: str, beside: np.ndarray) -> np.ndarray:
    """Where a point that lies `beside` the bone's joint in the rest pose goes, `(T, 3)`."""
    matrices, positions = motion.pose()
    in_bone = rest_matrices()[INDEX[bone]].T @ beside
    return positions[:, INDEX[bone]] + matrices[:, INDEX[bone]] @ in_bone


def knee_bend(motion: Motion, side: str) -> np.ndarray:
    """Degrees `(T,)`, 0 for a straight leg."""
    hip, knee, ankle = (joints(motion, f"{bone}.{side}") for bone in ("Thigh", "Shin", "Foot"))
    thigh, shin = knee - hip, ankle - knee
    cosine = np.sum(thigh * shin, axis=1) / np.linalg.norm(thigh, axis=1) / np.linalg.norm(shin, axis=1)
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("side", SIDES)
def test_a_foot_on_the_ground_stands_still(motions: dict[str, Motion], name: str, side: str) -> None:
    ball = joints(motions[name], f"Toes.{side}")
    down = np.abs(ball[:, 2] - head_of(f"Toes.{side}")[2]) < 1e-4
    standing = down[1:] & down[:-1]
    assert standing.mean() > 0.35
    steps = np.linalg.norm(np.diff(ball, axis=0), axis=1)
    assert steps[standing].max() < 1e-3


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("side", SIDES)
def test_no_part_of_the_foot_goes_into_the_ground(motions: dict[str, Motion], name: str, side: str) -> None:
    heel = point_on(motions[name], f"Foot.{side}", np.array([0.0, 0.055, -head_of(f"Foot.{side}")[2]]))
    tip = point_on(motions[name], f"Toes.{side}", np.array([0.0, -0.07, -head_of(f"Toes.{side}")[2]]))
    assert heel[:, 2].min() > -0.001
    assert tip[:, 2].min() > -0.01


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("side", SIDES)
def test_knees_neither_stretch_nor_snap(motions: dict[str, Motion], name: str, side: str) -> None:
    bend = knee_bend(motions[name], side)
    assert bend.min() > 5.0
    assert np.abs(np.diff(bend)).max() < 15.0


@pytest.mark.parametrize("name", NAMES)
def test_no_bone_jumps_from_one_frame_to_the_next(motions: dict[str, Motion], name: str) -> None:
    turned = motions[name].rotations
    assert np.degrees(rotations.angle_between(turned[1:], turned[:-1])).max() < 30.0
    assert np.sum(turned[1:] * turned[:-1], axis=-1).min() > 0.9


@pytest.mark.parametrize("name", NAMES)
def test_another_frame_rate_shows_the_same_seconds(motions: dict[str, Motion], name: str) -> None:
    slower = sample_motions(24.0)[name]
    assert (slower.frames - 1) / 24.0 == pytest.approx((motions[name].frames - 1) / RATE, abs=1 / 24.0)
    seconds = slice(None, None, 24), slice(None, None, 30)
    places = slower.pose()[1][seconds[0]], motions[name].pose()[1][seconds[1]]
    assert np.abs(places[0] - places[1]).max() < 0.005


def test_units_scale_lengths_and_leave_rotations(motions: dict[str, Motion]) -> None:
    for name, large in sample_motions(RATE, 100.0).items():
        assert np.abs(large.rotations - motions[name].rotations).max() < 1e-6
        assert np.allclose(large.pose()[1], 100 * motions[name].pose()[1], atol=1e-2)


def test_the_walk_travels_and_winds(motions: dict[str, Motion]) -> None:
    way = np.diff(joints(motions["GenMM Walk"], "Hips")[::15, :2], axis=0)
    headings = np.unwrap(np.arctan2(way[:, 0], -way[:, 1]))
    assert 9.0 < np.linalg.norm(way, axis=1).sum() < 14.0
    assert np.radians(30) < np.ptp(headings) < np.radians(120)


def test_steps_are_alike_but_never_the_same(motions: dict[str, Motion]) -> None:
    ball = joints(motions["GenMM Walk"], "Toes.L")
    down = np.abs(ball[:, 2] - head_of("Toes.L")[2]) < 1e-4
    starts = np.flatnonzero(down[1:] & ~down[:-1]) + 1
    strides = np.linalg.norm(np.diff(ball[starts], axis=0), axis=1)
    assert len(strides) >= 7
    assert 0.02 < strides.std() / strides.mean() < 0.1


def test_each_arm_swings_with_the_other_leg(motions: dict[str, Motion]) -> None:
    walk = motions["GenMM Walk"]
    matrices, positions = walk.pose()
    forward = -matrices[:, INDEX["Hips"], :, 2].astype(np.float64)  # backwards in the rest pose is -Z of the bone
    ahead = {
        name: np.sum((positions[:, INDEX[name]] - positions[:, INDEX["Hips"]]) * -forward, axis=1)
        for name in ("Hand.L", "Hand.R", "Foot.L", "Foot.R")
    }
    for hand, foot in (("Hand.L", "Foot.R"), ("Hand.R", "Foot.L")):
        assert np.corrcoef(ahead[hand], ahead[foot])[0, 1] > 0.8


def test_both_hands_wave_together(motions: dict[str, Motion]) -> None:
    wave = motions["GenMM Wave"]
    chest = wave.pose()[0][:, INDEX["UpperChest"]].astype(np.float64)
    middle = joints(wave, "UpperChest")
    left, right = (
        np.einsum("tab,ta->tb", chest, point_on(wave, f"Hand.{side}", np.zeros(3)) - middle) for side in SIDES
    )
    assert np.ptp(left[:, 0]) > 0.15  # they do wave
    assert np.corrcoef(left[:, 0], -right[:, 0])[0, 1] > 0.97
    assert np.corrcoef(left[:, 1], right[:, 1])[0, 1] > 0.97


@pytest.mark.parametrize("name", ["GenMM Wave", "GenMM Dance"])
def test_what_is_in_place_stays_there(motions: dict[str, Motion], name: str) -> None:
    hips = joints(motions[name], "Hips")
    assert np.linalg.norm(hips[:, :2], axis=1).max() < 0.35
    assert np.linalg.norm(hips[-1] - hips[0]) < 0.02


def test_the_dance_ends_as_it_began(motions: dict[str, Motion]) -> None:
    dance = motions["GenMM Dance"]
    assert np.degrees(rotations.angle_between(dance.rotations[0], dance.rotations[-1])).max() < 3.0


def test_the_dance_turns_to_the_side_and_back(motions: dict[str, Motion]) -> None:
    across = motions["GenMM Dance"].pose()[0][:, INDEX["Hips"], :, 0]
    headings = np.degrees(np.arctan2(across[:, 1], across[:, 0]))
    assert 30.0 < headings.max() < 60.0
    assert abs(headings[-1]) < 3.0
