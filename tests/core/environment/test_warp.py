# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion Warp: contacts follow the object, steps stay steps, the rest stays, nothing jerks, and misses are reported."""

from functools import cache

import numpy as np
import pytest
from legged import TOES, carried, marcher
from motions import Array

from genmm_addon.core import InputError, Motion, Reach
from genmm_addon.core.environment import WarpedMotion, find_body, meet_places, warp
from genmm_addon.core.motion import rotations

HAND, RESTS, WINDOW = "hand.R", slice(80, 100), (30, 150)
CLOSE = 0.01 / 1.7
"""Largest distance of a contact from its place, as a share of the size: 1 cm of a character 1.7 m tall."""
MOVES = {
    "aside": ((0.25, 0.0, 0.0), 0.0),
    "away": ((0.1, -0.25, 0.0), 0.0),
    "raised": ((0.0, 0.0, 0.2), 0.0),
    "lowered": ((0.0, 0.0, -0.15), 0.0),
    "turned": ((0.0, 0.0, 0.0), 0.35),
    "all": ((-0.2, 0.15, 0.1), -0.4),
}


def path(motion: Motion, name: str) -> Array:
    return np.asarray(motion.pose()[1][:, motion.skeleton.names.index(name)], np.float64)


def box_at(center: Array, move: tuple[float, float, float] = (0.0, 0.0, 0.0), angle: float = 0.0) -> Array:
    box = np.eye(4)
    box[:3, :3] = 0.06 * rotations.to_matrix(rotations.from_vector(np.array([[0.0, 0.0, angle]])))[0]
    box[:3, 3] = center + np.array(move)
    return box


@cache
def leaning() -> tuple[Motion, Array]:
    """Return the biped that marches while its hand rests on a box for a while, and the box."""
    motion, _ = marcher()
    place = path(motion, HAND)[90] + np.array([0.0, 0.25, 0.15])
    active = np.zeros(motion.frames, bool)
    active[RESTS] = True
    hand = motion.skeleton.names.index(HAND)
    reach = Reach(hand, active, np.tile(place, (motion.frames, 1)))
    return meet_places(motion, [reach], find_body([motion], [hand])).motion, box_at(place)


@cache
def warped(name: str) -> WarpedMotion:
    motion, box = leaning()
    return warp(motion, WINDOW, box, box_at(box[:3, 3], *MOVES[name]))


@pytest.mark.parametrize("name", list(MOVES))
def test_the_hand_rests_on_the_object_where_it_is_now(name: str) -> None:
    motion, _ = leaning()
    moved, size = path(warped(name).motion, HAND)[RESTS], motion.skeleton.size
    assert np.linalg.norm(moved - path(motion, HAND)[RESTS] - np.array(MOVES[name][0]), axis=1).max() < CLOSE * size


@pytest.mark.parametrize("name", list(MOVES))
def test_all_outside_of_the_window_and_its_ends_keep_their_values(name: str) -> None:
    motion, _ = leaning()
    outside = np.ones(motion.frames, bool)
    outside[WINDOW[0] + 1 : WINDOW[1]] = False
    for channel, values in motion.channels().items():
        assert np.array_equal(warped(name).motion.channels()[channel][outside], values[outside])


@pytest.mark.parametrize("name", list(MOVES))
def test_no_joint_is_visibly_quicker_than_before(name: str) -> None:
    quickest = [np.linalg.norm(np.diff(shown.pose()[1], 2, axis=0), axis=2).max() for shown in _pair(name)]
    assert quickest[1] <= 1.2 * quickest[0]


@pytest.mark.parametrize("name", list(MOVES))
def test_feet_step_to_their_new_places_and_do_not_slide_there(name: str) -> None:
    _, down = marcher()
    before, after = _pair(name)
    for number, toe in enumerate(TOES):
        stands = down[1:, number] & down[:-1, number]
        steps = [np.linalg.norm(np.diff(path(motion, toe), axis=0), axis=1)[stands] for motion in (before, after)]
        # At the two ends of a stance the foot is still slow, and counts as standing in one place already.
        assert np.percentile(steps[1], 90) < 1e-3 * before.skeleton.size
        heights = path(after, toe)[down[:, number], 2] - path(before, toe)[down[:, number], 2]
        assert np.abs(heights).max() < CLOSE * before.skeleton.size


def _pair(name: str) -> tuple[Motion, Motion]:
    return leaning()[0], warped(name).motion


def test_the_body_turns_with_the_object_and_goes_along() -> None:
    before, after = _pair("turned")
    sides = [(path(motion, "thigh.L") - path(motion, "thigh.R"))[90, :2] for motion in (before, after)]
    angles = [np.arctan2(side[1], side[0]) for side in sides]
    assert angles[1] - angles[0] == pytest.approx(MOVES["turned"][1], abs=0.02)
    before, after = _pair("aside")
    assert (path(after, "hips") - path(before, "hips"))[90] == pytest.approx(MOVES["aside"][0], abs=0.03)


def test_hips_that_sit_go_up_with_the_seat_over_standing_feet() -> None:
    share = np.clip((np.abs(np.arange(180) - 90.0) - 15.0) / 45.0, 0.0, 1.0)
    drop = (1.0 - share**3 * (10.0 - 15.0 * share + 6.0 * share**2))[:, None] * np.array([0.0, -0.1, -0.2])
    standing = carried(np.zeros((180, 3)))
    hips = standing.skeleton.names.index("hips")
    feet = [
        Reach(standing.skeleton.names.index(toe), np.ones(180, bool), np.asarray(path(standing, toe), np.float64))
        for toe in TOES
    ]
    sunk = carried(drop)
    sitting = meet_places(sunk, feet, find_body([standing], [reach.joint for reach in feet])).motion
    seat = box_at(path(sitting, "hips")[90] - np.array([0.0, 0.0, 0.1]))
    result = warp(sitting, WINDOW, seat, box_at(seat[:3, 3], (0.05, 0.0, 0.08)))
    assert result.joints == (hips,)
    rise = (path(result.motion, "hips") - path(sitting, "hips"))[85:95]
    assert np.abs(rise - np.array([0.05, 0.0, 0.08])).max() < CLOSE * sitting.skeleton.size
    for toe in TOES:
        slid = np.abs(path(result.motion, toe) - path(sitting, toe)).max()
        assert slid < CLOSE * sitting.skeleton.size


def test_an_object_that_stays_changes_nothing() -> None:
    motion, box = leaning()
    assert warp(motion, WINDOW, box, box).motion is motion


@pytest.mark.slow
def test_an_object_out_of_reach_is_told_by_what_is_missing() -> None:
    motion, box = leaning()
    result = warp(motion, WINDOW, box, box_at(box[:3, 3], (0.0, 0.0, 3.0)))
    assert result.met.missing.max() > motion.skeleton.size / 2


@pytest.mark.parametrize(
    ("window", "half", "sentence"),
    [
        ((100, 100), 1.0, "not within the motion"),
        ((-1, 90), 1.0, "not within the motion"),
        ((120, 150), 1.0, "rest on the object at frames 121 to 151"),
        ((90, 150), 1.0, '"hand.R" already rests on the object at frame 91'),
        ((30, 90), 1.0, '"hand.R" already rests on the object at frame 91'),
        (WINDOW, 0.0, "no extent"),
    ],
)
def test_what_cannot_be_warped_is_refused(window: tuple[int, int], half: float, sentence: str) -> None:
    motion, box = leaning()
    shrunk = box.copy()
    shrunk[:3, :3] *= half
    with pytest.raises(InputError, match=sentence):
        warp(motion, window, shrunk, box_at(box[:3, 3], (0.1, 0.0, 0.0)), first_frame=1.0)
