# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of a few poses carried onto a motion: poses met, the rest kept, and feet that stand."""

from dataclasses import replace

import numpy as np
import pytest
from motions import turn, walker
from numpy.typing import NDArray

from genmm_addon.core import InputError, Motion, metrics, rotations
from genmm_addon.core.keys import carry_edits, original_times
from genmm_addon.core.keys.moved_keys import matched_keys
from genmm_addon.core.library import IndexedMotions, index_motions

pytestmark = pytest.mark.filterwarnings("error")

UPWARD = np.array([0.0, 0.0, 1.0])


@pytest.fixture(scope="module")
def prepared() -> IndexedMotions:
    return index_motions([walker(241)])


def every_second(motion: Motion) -> NDArray[np.bool_]:
    keyed = np.zeros(motion.rotations.shape[:2], bool)
    keyed[::30] = True
    return keyed


def frames_of(motion: Motion) -> NDArray[np.float64]:
    return np.arange(motion.frames, dtype=np.float64)


def raised(motion: Motion, joint: str, frames: list[int], angle: float) -> Motion:
    own, number = motion.rotations.copy(), motion.skeleton.names.index(joint)
    own[frames, number] = rotations.multiply(own[frames, number], turn(UPWARD, angle).astype(np.float32))
    return replace(motion, rotations=own)


def test_unedited_poses_give_the_same_motion(prepared: IndexedMotions) -> None:
    walk = walker(241)
    same = carry_edits(prepared.standing, walk, walk, every_second(walk), frames_of(walk))
    assert all(np.array_equal(values, walk.channels()[name]) for name, values in same.channels().items())


def test_an_edit_is_met_and_reaches_to_the_neighboring_keys_alone(prepared: IndexedMotions) -> None:
    walk = walker(241)
    edited = raised(walk, "upper_arm.L", [120], 0.5)
    made = carry_edits(prepared.standing, walk, edited, every_second(walk), frames_of(walk))
    arm = walk.skeleton.names.index("upper_arm.L")
    assert np.array_equal(made.rotations[120], edited.rotations[120])
    off = rotations.angle_between(made.rotations, walk.rotations)
    for outside in (slice(0, 91), slice(150, None)):
        assert np.array_equal(made.rotations[outside], walk.rotations[outside])
    assert np.delete(off, arm, axis=1).max() < 1e-4
    assert np.all(off[95:145, arm] > 1e-3) and off[:, arm].max() < 0.5 + 1e-3


@pytest.mark.parametrize("share", [0.05, 0.1])
def test_a_longer_way_keeps_feet_and_accelerations(prepared: IndexedMotions, share: float) -> None:
    walk, keyed = walker(241), every_second(walker(241))
    moved = walk.translations + share * (walk.translations - walk.translations[:1])
    made = carry_edits(prepared.standing, walk, replace(walk, translations=moved), keyed, frames_of(walk))
    assert np.abs(made.translations[keyed[:, 0]] - moved[keyed[:, 0]]).max() < 1e-5
    feet = [foot.joint for foot in prepared.standing.feet]
    base = metrics.ground_base(walk, feet)
    skates = [metrics.foot_skate(motion, feet, base, walk.skeleton.size) for motion in (made, walk)]
    assert skates[0] <= 1.2 * max(skates[1], 1.0)
    assert metrics.acceleration_ratios(made, walk)[1] <= 1.2


def test_a_moved_key_takes_its_moment_with_it() -> None:
    before, now = np.array([0.0, 30.0, 60.0, 90.0]), np.array([0.0, 36.0, 60.0, 90.0])
    shown = original_times(before, now, np.arange(91.0))
    assert shown[36] == pytest.approx(30.0) and shown[60:] == pytest.approx(np.arange(60.0, 91.0))
    assert np.all(np.diff(shown) > 0.0)


def test_several_moved_keys_are_the_same_keys() -> None:
    before, now = np.array([0.0, 10.0, 20.0, 30.0, 40.0, 50.0]), np.array([0.0, 10.0, 22.0, 33.0, 40.0, 50.0])
    old, new = matched_keys(before, now)
    assert np.array_equal(old, before) and np.array_equal(new, now)


def test_keys_that_were_added_or_deleted_are_not_taken_for_others() -> None:
    before = np.array([0.0, 30.0, 60.0, 90.0])
    for now in ([0.0, 30.0, 45.0, 60.0, 90.0], [0.0, 60.0, 90.0]):
        old, new = matched_keys(before, np.array(now))
        assert np.array_equal(old, new)


def test_a_motion_of_other_joints_is_refused(prepared: IndexedMotions) -> None:
    walk = walker(241)
    other = replace(walk, skeleton=replace(walk.skeleton, names=tuple(f"{name}2" for name in walk.skeleton.names)))
    with pytest.raises(InputError, match="other joints"):
        carry_edits(prepared.standing, walk, other, every_second(walk), frames_of(walk))
    with pytest.raises(InputError, match="one row"):
        carry_edits(prepared.standing, walk, walk, every_second(walk)[1:], frames_of(walk))
