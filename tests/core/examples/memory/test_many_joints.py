# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs of thousands of joints: memory and work grow in proportion to them, not with their square."""

import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from motions import walker

from bench.small import with_joints
from genmm_addon.core import Constraints, InputError, Motion, PoseConstraint, prepare, synthesize
from genmm_addon.core.evaluation.set_measures import build_feature_space
from genmm_addon.core.evaluation.window_features import describe_windows, joint_shares
from genmm_addon.core.examples import VARIABLE
from genmm_addon.core.examples.memory.estimates import filling_needs
from genmm_addon.core.infill import Surroundings, fill_gap, replan
from genmm_addon.core.library import index_motions
from genmm_addon.core.manner.attributes.body import body_of
from genmm_addon.core.motion import Gap, joint_accelerations, piecewise
from genmm_addon.core.transfer import find_symmetry

FRAMES = 90


def walk_of(joints: int) -> Motion:
    """Return a walk of 3 seconds, on the biped with further joints."""
    return with_joints(walker().slice(0, FRAMES), joints)


def filled(walk: Motion) -> None:
    """Fill a gap of 30 frames."""
    fill_gap(index_motions([walk]), Gap(walk.slice(0, 30), walk.slice(60, 90)), frames=31)


def continued(walk: Motion) -> None:
    """Continue the walk by 30 frames."""
    replan(prepare([walk]), Surroundings(before=walk), 30)


def pinned(walk: Motion) -> None:
    """Make 60 frames through two poses."""
    fixed = np.zeros((60, len(walk.skeleton.names)), bool)
    fixed[[10, 40]] = True
    synthesize(prepare([walk]), 60, constraints=Constraints(PoseConstraint(walk.slice(0, 60), fixed, fixed[:, 0])))


def measured(walk: Motion) -> None:
    """Describe the walk as a set of windows."""
    build_feature_space(describe_windows([walk]), joint_shares(walk.skeleton, 0))


def accelerated(walk: Motion) -> None:
    """Measure the accelerations of all joints."""
    joint_accelerations(walk)


def peak(work: Callable[[Motion], None], joints: int, repeats: int = 1) -> int:
    """Return the most bytes that work on so many joints, in a walk repeated so many times, takes."""
    walk = walk_of(joints)
    walk = walk.take(np.tile(np.arange(walk.frames), repeats))
    tracemalloc.start()
    try:
        work(walk)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def with_body(walk: Motion) -> None:
    """Find the limbs that attributes are measured on."""
    body_of(index_motions([walk]))


def mirrored(walk: Motion) -> None:
    """Find left and right."""
    find_symmetry([walk])


def calls(work: Callable[[Motion], None], joints: int) -> int:
    """Return the number of calls of functions that work on so many joints takes."""
    walk, counts = walk_of(joints), Counter[str]()
    sys.setprofile(lambda _frame, event, _argument: counts.update((event,)))
    try:
        work(walk)
    finally:
        sys.setprofile(None)
    return counts["call"] + counts["c_call"]


@pytest.mark.parametrize(("joints", "frames"), [(17, 2000), (65, 600), (300, 600), (1200, 300)])
def test_memory_for_preparing_to_fill_stays_within_the_estimate(joints: int, frames: int) -> None:
    walk = with_joints(walker(), joints)
    walk = walk.take(np.arange(frames) % walk.frames)
    estimate = filling_needs([frames], joints).peak
    tracemalloc.start()
    try:
        index_motions([walk])
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 0.3 * estimate < taken < estimate


def test_examples_that_need_too_much_memory_for_filling_are_refused_first(monkeypatch: pytest.MonkeyPatch) -> None:
    walk = walk_of(2000)
    monkeypatch.setenv(VARIABLE, "30M")
    with pytest.raises(InputError, match=r"90 frames of 2,000 joints; preparing them needs .* 30 MB may be used"):
        index_motions([walk])


@pytest.mark.slow
@pytest.mark.parametrize("work", [filled, continued, pinned, measured])
def test_four_times_the_joints_take_about_four_times_the_memory(work: Callable[[Motion], None]) -> None:
    assert peak(work, 2400) < 5 * peak(work, 600)


@pytest.mark.slow
@pytest.mark.parametrize("work", [filled, with_body, mirrored])
def test_four_times_the_joints_take_at_most_five_times_the_calls(work: Callable[[Motion], None]) -> None:
    assert calls(work, 1200) < 5 * calls(work, 300)


@pytest.mark.slow
def test_poses_of_many_joints_are_computed_in_pieces() -> None:
    # Beyond 209 frames of 5,000 joints, only the results grow: 8 bytes for each joint and frame.
    more = peak(accelerated, 5000, 14) - peak(accelerated, 5000, 8)
    assert more < 2 * 8 * 5000 * 6 * FRAMES


def test_differences_at_pins_are_added_over_the_same_frames_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    walk = walk_of(40)
    fixed = np.zeros((60, 40), bool)
    fixed[30, ::2] = True
    pose = replace(walk, rotations=np.roll(walk.rotations, 7, axis=0)).slice(0, 60)

    def made() -> Motion:
        return synthesize(prepare([walk]), 60, constraints=Constraints(PoseConstraint(pose, fixed, fixed[:, 1]))).motion

    whole = made().rotations
    monkeypatch.setattr(piecewise, "PIECE", 7)
    monkeypatch.setattr(piecewise, "COLUMNS", 1)
    assert made().rotations == pytest.approx(whole, abs=1e-5)
