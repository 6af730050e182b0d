# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses relative to the root: those of many motions at once equal those of each alone."""

import numpy as np
import pytest
from motions import in_other_units, turned_and_moved, walker, with_scales_and_scalars

from genmm_addon.core import Facing, Motion
from genmm_addon.core.library.seen_poses import VELOCITY_SECONDS, SeenPoses, in_batches, see_poses
from genmm_addon.core.motion import RootPlan, place_and_heading

PLAN = RootPlan(0, (), Facing.FREE, False)


def seen(*motions: Motion) -> SeenPoses:
    return see_poses(motions, PLAN)


def test_joints_are_where_matrices_and_differences_say() -> None:
    motion = walker(50)
    found = seen(motion)
    places, turns = place_and_heading(motion, PLAN)
    relative = motion.pose()[1].astype(np.float64) - places[:, None] * np.array([1.0, 1.0, 0.0])
    speeds = np.gradient(motion.pose()[1].astype(np.float64), axis=0, edge_order=2)
    columns = np.concatenate((relative, speeds * VELOCITY_SECONDS * motion.frames_per_second), axis=1)
    cosine, sine = np.cos(turns)[:, None], np.sin(turns)[:, None]
    expected = np.stack(
        (
            cosine * columns[..., 0] + sine * columns[..., 1],
            cosine * columns[..., 1] - sine * columns[..., 0],
            columns[..., 2],
        ),
        axis=-1,
    )
    assert pytest.approx(expected.reshape(50, -1) / motion.skeleton.size, abs=1e-5) == found.columns.T
    assert np.cos(found.turns - turns) == pytest.approx(np.ones(50))
    assert found.ground == pytest.approx(places[:, :2] / motion.skeleton.size, abs=1e-6)


def test_several_motions_are_seen_as_each_alone_however_short() -> None:
    motions = [walker(length, seed) for seed, length in enumerate((1, 40, 2, 3, 1))]
    together, alone = seen(*motions), [seen(motion) for motion in motions]
    assert together.columns == pytest.approx(np.concatenate([one.columns for one in alone], axis=1), abs=1e-12)
    assert together.turns == pytest.approx(np.concatenate([one.turns for one in alone]), abs=1e-12)


def test_place_facing_and_units_do_not_matter() -> None:
    motion = walker(40)
    for other in (turned_and_moved(motion, 1.2, (3.0, 1.0, 0.0)), in_other_units(motion, 100.0)):
        assert seen(other).columns == pytest.approx(seen(motion).columns, abs=1e-4)


def test_scaled_joints_are_seen_where_they_are() -> None:
    motion = with_scales_and_scalars(30)
    heights = motion.pose()[1][..., 2] / motion.skeleton.size
    assert pytest.approx(heights, abs=1e-5) == seen(motion).columns[2 : 3 * len(motion.skeleton.names) : 3].T


def test_batches_hold_every_motion_once_in_order() -> None:
    motions = [walker(length) for length in (3000, 3000, 10, 9000, 5)]
    assert [motion for batch in in_batches(motions) for motion in batch] == motions
