# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints dragged at one frame: the goal is met, the reach holds, planted feet stay, and nothing jerks."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from legged import TOES, carried, compass, marcher
from motions import Array

from genmm_addon.core import InputError, Motion
from genmm_addon.core.environment import DraggedJoint, drag_joint, make_draggable

FRAME, REACH = 90, 24
SAME = 1e-3
"""Largest distance from a goal or place, as a share of the size."""


def path(motion: Motion, name: str) -> Array:
    return np.asarray(motion.pose()[1][:, motion.skeleton.names.index(name)], np.float64)


@cache
def crouching() -> Motion:
    """Return a character with bent knees whose hips sway over planted feet."""
    sway = 0.02 * np.sin(np.arange(180) / 12.0)[:, None] * np.array([1.0, 0.3, 0.0])
    return carried(sway)


@cache
def dragged(name: str, motion: str = "marching") -> DraggedJoint:
    whole = marcher()[0] if motion == "marching" else crouching()
    return make_draggable(whole, whole.skeleton.names.index(name))


def moved(task: DraggedJoint, offset: tuple[float, float, float], frame: int = FRAME, reach: int = REACH) -> Motion:
    start = np.asarray(task.motion.pose()[1][frame, task.joint], np.float64)
    return drag_joint(task, frame, start + np.array(offset), reach)


def missed(task: DraggedJoint, result: Motion, offset: tuple[float, float, float], frame: int = FRAME) -> float:
    before, after = (np.asarray(motion.pose()[1][frame, task.joint]) for motion in (task.motion, result))
    return float(np.linalg.norm(after - before - np.array(offset))) / result.skeleton.size


def steps_of(result: Motion, original: Motion, name: str) -> Array:
    """Return the accelerations `(T,)` that a drag adds to the path of a joint."""
    added = path(result, name) - path(original, name)
    return np.asarray(np.linalg.norm(np.pad(np.diff(added, 2, axis=0), ((1, 1), (0, 0))), axis=1))


@pytest.mark.parametrize(
    ("name", "motion", "offset"),
    [
        ("hand.L", "marching", (0.05, 0.1, 0.1)),
        ("hand.R", "marching", (0.0, 0.3, -0.2)),
        ("forearm.L", "marching", (0.0, 0.08, 0.05)),
        ("head", "crouching", (0.1, 0.1, -0.05)),
        ("hips", "crouching", (0.08, 0.05, -0.1)),
        ("hips", "crouching", (0.0, 0.0, 0.02)),
        ("foot.L", "crouching", (0.1, 0.1, 0.0)),
        ("toe.R", "crouching", (0.0, 0.1, 0.05)),
    ],
)
def test_the_joint_is_at_its_goal_and_frames_beyond_the_reach_are_as_they_were(
    name: str, motion: str, offset: tuple[float, float, float]
) -> None:
    task = dragged(name, motion)
    result = moved(task, offset)
    assert missed(task, result, offset) < SAME
    weights = task.weights(FRAME, REACH)
    outside = weights == 0.0
    for channel, values in task.motion.channels().items():
        assert np.array_equal(result.channels()[channel][outside], values[outside])
    if not task.stands[FRAME]:
        assert np.flatnonzero(~outside).tolist() == list(range(FRAME - REACH, FRAME + REACH + 1))


@pytest.mark.parametrize(("name", "offset"), [("hips", (0.15, 0.1, -0.1)), ("head", (0.3, 0.2, 0.0))])
def test_planted_feet_stay_planted(name: str, offset: tuple[float, float, float]) -> None:
    task = dragged(name, "crouching")
    assert task.contacts.all() and task.contacts.shape[1] == 2
    result = moved(task, offset)
    for toe in TOES:
        assert np.abs(path(result, toe) - path(task.motion, toe)).max() < SAME * result.skeleton.size


def test_hips_go_no_higher_than_planted_legs_are_long() -> None:
    task = dragged("hips", "crouching")
    result = moved(task, (0.0, 0.0, 1.0))
    rise = (path(result, "hips") - path(task.motion, "hips"))[FRAME, 2]
    assert 0.02 < rise < 0.2
    for toe in TOES:
        assert np.abs(path(result, toe) - path(task.motion, toe)).max() < SAME * result.skeleton.size


@pytest.mark.parametrize("frame", range(60, 120, 10))
def test_hips_over_straight_legs_are_not_turned_down_by_a_drag_upward(frame: int) -> None:
    walk = compass()
    task = make_draggable(walk, walk.skeleton.names.index("hips"))
    asked = 0.2
    result = moved(task, (0.0, 0.0, asked), frame)
    assert (path(result, "hips") - path(walk, "hips"))[frame, 2] > -0.02 * asked


def test_only_the_foot_in_flight_follows_the_hips() -> None:
    motion, down = marcher()
    task = dragged("hips")
    flying = int(np.argmax(path(motion, "toe.L")[60:120, 2])) + 60
    assert down[flying].tolist() == [False, True]
    result = moved(task, (0.04, 0.0, -0.04), flying)
    added = {toe: np.linalg.norm(path(result, toe) - path(motion, toe), axis=1) for toe in TOES}
    assert added["toe.L"][flying] > 0.02
    for number, toe in enumerate(TOES):
        stands = task.contacts[:, number]
        assert stands.any() and added[toe][stands].max() < SAME * motion.skeleton.size


def test_a_planted_foot_moves_during_its_whole_contact_and_other_contacts_stay() -> None:
    motion, down = marcher()
    task = dragged("toe.L")
    assert np.mean(task.stands == down[:, 0]) > 0.7
    stance = next(frame for frame in range(80, 180) if task.stands[frame])
    stance += 3
    result = moved(task, (0.06, 0.08, 0.0), stance, 10)
    added = path(result, "toe.L") - path(motion, "toe.L")
    own = task.weights(stance, 10) == 1.0
    assert own.sum() > 10 and task.stands[own].all()
    assert np.abs(added[own] - [0.06, 0.08, 0.0]).max() < SAME * motion.skeleton.size
    assert np.abs(added[task.stands & ~own]).max() < SAME * motion.skeleton.size
    other = (path(result, "toe.R") - path(motion, "toe.R"))[task.contacts[:, TOES.index("toe.R")]]
    assert len(other) and np.abs(other).max() < SAME * motion.skeleton.size


@pytest.mark.parametrize(
    ("name", "motion", "offset"),
    [
        ("hand.L", "marching", (0.05, 0.1, 0.1)),
        ("hips", "crouching", (0.1, 0.0, -0.08)),
        ("head", "crouching", (0.1, 0.1, -0.05)),
    ],
)
def test_the_movement_begins_and_ends_without_a_jump_of_acceleration(
    name: str, motion: str, offset: tuple[float, float, float]
) -> None:
    task = dragged(name, motion)
    added = steps_of(moved(task, offset), task.motion, name)
    # With the cubic smooth step, it would be half of the largest there.
    assert added[[FRAME - REACH - 1, FRAME + REACH + 1]].max() < 0.12 * added.max()
    # A longer reach is a calmer movement.
    assert steps_of(moved(task, offset, reach=2 * REACH), task.motion, name).max() < 0.5 * added.max()


def test_a_drag_to_where_the_joint_is_changes_nothing() -> None:
    for name in ("hand.L", "hips", "head", "toe.L"):
        task = dragged(name)
        assert moved(task, (0.0, 0.0, 0.0)) is task.motion


def test_joints_that_keep_their_rotations_are_not_turned() -> None:
    motion = marcher()[0]
    fixed = np.zeros(len(motion.skeleton.names), bool)
    fixed[[motion.skeleton.names.index(name) for name in ("upper_arm.L", "forearm.L")]] = True
    joint = motion.skeleton.names.index("hand.L")
    task = make_draggable(motion, joint, fixed)
    result = drag_joint(task, FRAME, path(motion, "hand.L")[FRAME] + [0.05, 0.05, 0.0], REACH)
    assert np.array_equal(result.rotations[:, fixed], motion.rotations[:, fixed])
    assert missed(task, result, (0.05, 0.05, 0.0)) < SAME


def test_frames_that_do_not_exist_and_values_that_are_not_numbers_are_refused() -> None:
    task = dragged("hand.L")
    for frame, reach in ((-1, 5), (180, 5), (5, -1)):
        with pytest.raises(InputError, match="frame"):
            drag_joint(task, frame, np.zeros(3), reach)
    with pytest.raises(InputError, match="finite"):
        drag_joint(task, 5, np.array([0.0, np.nan, 0.0]), 5)
    broken = task.motion.rotations.copy()
    broken[3, 2] = np.nan
    with pytest.raises(InputError, match="The motion whose joint is dragged"):
        make_draggable(replace(task.motion, rotations=broken), task.joint)
