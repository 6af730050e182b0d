# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample motions: feet that stand still, legs that do not snap, and motion that is lively and never repeats."""

from pathlib import Path

import numpy as np
import pytest

import genmm_addon.character.sample
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.character.sample.sample_skeleton import INDEX, SIDES, head_of, rest_matrices
from genmm_addon.core import Motion, metrics, rotations

pytestmark = pytest.mark.arrays
WALK, TIRED, PROUD = WALKS = ("GenMM Walk", "GenMM Walk Tired", "GenMM Walk Proud")
NAMES = (*WALKS, "GenMM Wave", "GenMM Dance")
RATE = 30.0


@pytest.fixture(scope="module")
def motions() -> dict[str, Motion]:
    return dict(sample_motions(RATE))


def joints(motion: Motion, name: str) -> np.ndarray:
    return motion.pose()[1][:, INDEX[name]].astype(np.float64)


def point_on(motion: Motion, bone: str, beside: np.ndarray) -> np.ndarray:
    """Return the path `(T, 3)` of a point at the offset `beside` from the bone's joint in the rest pose."""
    matrices, positions = motion.pose()
    in_bone = rest_matrices()[INDEX[bone]].T @ beside
    return np.asarray(positions[:, INDEX[bone]] + matrices[:, INDEX[bone]] @ in_bone)


def knee_bend(motion: Motion, side: str) -> np.ndarray:
    """Return the bend of a knee `(T,)` in degrees, 0 for a straight leg."""
    hip, knee, ankle = (joints(motion, f"{bone}.{side}") for bone in ("Thigh", "Shin", "Foot"))
    thigh, shin = knee - hip, ankle - knee
    cosine = np.sum(thigh * shin, axis=1) / np.linalg.norm(thigh, axis=1) / np.linalg.norm(shin, axis=1)
    return np.asarray(np.degrees(np.arccos(np.clip(cosine, -1, 1))))


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


def travel(motion: Motion) -> np.ndarray:
    """Return the displacements of the hips along the ground in each half second, `(N, 2)`."""
    return np.diff(joints(motion, "Hips")[::15, :2], axis=0)


def strides(motion: Motion, side: str = "L") -> np.ndarray:
    """Return the distances from each touchdown of a foot to its next, in meters."""
    ball = joints(motion, f"Toes.{side}")
    down = np.abs(ball[:, 2] - head_of(f"Toes.{side}")[2]) < 1e-4
    starts = np.flatnonzero(down[1:] & ~down[:-1]) + 1
    return np.asarray(np.linalg.norm(np.diff(ball[starts], axis=0), axis=1))


def ahead(motion: Motion, bone: str, of: str = "Hips") -> np.ndarray:
    """Return meters `(T,)` by which a joint is ahead of another, in the direction that the hips face."""
    facing = motion.pose()[0][:, INDEX["Hips"], :, 2].astype(np.float64)  # the bone's Z is forward in the rest pose
    facing[:, 2] = 0.0
    facing /= np.linalg.norm(facing, axis=1, keepdims=True)
    return np.asarray(np.sum((joints(motion, bone) - joints(motion, of)) * facing, axis=1))


def trunk_pitch(motion: Motion) -> float:
    """Return the mean angle, in degrees, by which the neck leans forward of the vertical through the hips."""
    above = joints(motion, "Neck")[:, 2] - joints(motion, "Hips")[:, 2]
    return float(np.degrees(np.arctan2(ahead(motion, "Neck"), above)).mean())


def gaze_pitch(motion: Motion) -> float:
    """Return the mean angle, in degrees, by which the head is tilted forward."""
    return float(np.degrees(np.arcsin(-motion.pose()[0][:, INDEX["Head"], 2, 2])).mean())


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_travels_and_winds(motions: dict[str, Motion], name: str) -> None:
    way = travel(motions[name])
    headings = np.unwrap(np.arctan2(way[:, 0], -way[:, 1]))
    assert 5.0 < np.linalg.norm(way, axis=1).sum() < 14.0
    assert np.radians(30) < np.ptp(headings) < np.radians(120)


@pytest.mark.parametrize("name", WALKS)
def test_steps_are_alike_but_never_the_same(motions: dict[str, Motion], name: str) -> None:
    lengths = strides(motions[name])
    assert len(lengths) >= 5
    assert 0.02 < lengths.std() / lengths.mean() < 0.1


@pytest.mark.parametrize("name", WALKS)
def test_each_arm_swings_with_the_other_leg(motions: dict[str, Motion], name: str) -> None:
    walk = motions[name]
    for hand, foot in (("Hand.L", "Foot.R"), ("Hand.R", "Foot.L")):
        assert np.corrcoef(ahead(walk, hand), ahead(walk, foot))[0, 1] > 0.8


def test_neutral_walk_is_unchanged_by_the_addition_of_styles(motions: dict[str, Motion]) -> None:
    # Meters, of the walk at 40d315a, which users' files and pictures show.
    before = {
        0: ((0.0369, 0.0296, 1.4798), (0.2323, 0.1876, 0.8578), (-0.0126, 0.3958, 0.1926)),
        100: ((1.1629, -3.5083, 1.4804), (1.3695, -3.3547, 0.8620), (1.0218, -3.2650, 0.1939)),
        200: ((1.7818, -7.1387, 1.4776), (2.0493, -7.1007, 0.8650), (1.7152, -6.8972, 0.1921)),
        300: ((-0.3857, -10.1256, 1.4903), (-0.1890, -10.2010, 0.8575), (-0.3503, -9.9777, 0.1833)),
    }
    positions = motions[WALK].pose()[1][:, [INDEX[bone] for bone in ("Head", "Hand.L", "Foot.R")]]
    for frame, places in before.items():
        assert np.abs(positions[frame] - np.array(places)).max() < 1e-4


def test_the_tired_walk_is_slow_with_short_steps_and_the_proud_one_fast_with_long_ones(
    motions: dict[str, Motion],
) -> None:
    speed = {name: np.linalg.norm(travel(motions[name]), axis=1).mean() / 0.5 for name in WALKS}
    length = {name: strides(motions[name]).mean() for name in WALKS}
    assert speed[TIRED] < 0.6 * speed[WALK] and speed[PROUD] > 1.08 * speed[WALK]
    assert length[TIRED] < 0.75 * length[WALK] and length[PROUD] > 1.08 * length[WALK]


def test_the_tired_walk_stoops_and_looks_down_and_the_proud_one_is_upright(motions: dict[str, Motion]) -> None:
    trunk = {name: trunk_pitch(motions[name]) for name in WALKS}
    assert trunk[TIRED] > trunk[WALK] + 10.0 and trunk[PROUD] < trunk[WALK] - 4.0
    gaze = {name: gaze_pitch(motions[name]) for name in WALKS}
    assert gaze[TIRED] > gaze[WALK] + 20.0 and gaze[PROUD] < gaze[WALK] - 4.0


@pytest.mark.parametrize("side", SIDES)
def test_feet_hardly_leave_the_ground_when_tired_and_rise_high_when_proud(
    motions: dict[str, Motion], side: str
) -> None:
    highest = {name: joints(motions[name], f"Foot.{side}")[:, 2].max() for name in WALKS}
    assert highest[TIRED] < highest[WALK] - 0.02 and highest[PROUD] > highest[WALK] + 0.01
    # The toes must rise too, since a toe that scrapes along would count as standing.
    ball = joints(motions[TIRED], f"Toes.{side}")[:, 2] - head_of(f"Toes.{side}")[2]
    assert ball.max() > 0.03


@pytest.mark.parametrize("side", SIDES)
def test_arms_hang_when_tired_and_swing_wide_when_proud(motions: dict[str, Motion], side: str) -> None:
    swing = {name: np.ptp(ahead(motions[name], f"Hand.{side}", f"UpperArm.{side}")) for name in WALKS}
    assert swing[TIRED] < 0.5 * swing[WALK] and swing[PROUD] > 1.2 * swing[WALK]


@pytest.mark.parametrize("name", WALKS)
def test_feet_skate_little_in_every_style(motions: dict[str, Motion], name: str) -> None:
    walk, toes = motions[name], [INDEX[f"Toes.{side}"] for side in SIDES]
    base = metrics.ground_base(walk, toes)
    # Centimeters per second. A low swing counts as well, being near the ground: 3.2 if tired, otherwise at most 2.
    assert metrics.foot_skate(walk, toes, base, walk.skeleton.size) < 4.0
    standing = joints(walk, "Toes.L")[:, 2] - base[0] < 1e-3, joints(walk, "Toes.R")[:, 2] - base[1] < 1e-3
    assert metrics.sliding_share(walk, toes, np.stack(standing, axis=1), 0.005) < 0.05


def test_the_motions_are_formulas_and_bring_no_files_along() -> None:
    folder = Path(genmm_addon.character.sample.__file__).parent
    brought = {path.suffix for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert brought == {".py"}


def test_both_hands_wave_together(motions: dict[str, Motion]) -> None:
    wave = motions["GenMM Wave"]
    chest = wave.pose()[0][:, INDEX["UpperChest"]].astype(np.float64)
    middle = joints(wave, "UpperChest")
    left, right = (
        np.einsum("tab,ta->tb", chest, point_on(wave, f"Hand.{side}", np.zeros(3)) - middle) for side in SIDES
    )
    assert np.ptp(left[:, 0]) > 0.15  # the hands wave
    assert np.corrcoef(left[:, 0], -right[:, 0])[0, 1] > 0.97
    assert np.corrcoef(left[:, 1], right[:, 1])[0, 1] > 0.97


@pytest.mark.parametrize("name", ["GenMM Wave", "GenMM Dance"])
def test_in_place_motions_stay_in_place(motions: dict[str, Motion], name: str) -> None:
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
