# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames from which the motion may continue, and differences between poses."""

import numpy as np
from motions import walker

from genmm_addon.core.features.cells import SEARCHED
from genmm_addon.core.library import index_motions
from genmm_addon.core.live import LiveExamples, prepare_live
from genmm_addon.core.live.candidates import Motions, SearchWeights, candidates_of, nearest_frame
from genmm_addon.core.live.pose import Pose, difference, read_pose
from genmm_addon.core.motion import rotations


def examples_of(frames: int, clips: int = 1) -> LiveExamples:
    return prepare_live(index_motions([walker(frames, seed) for seed in range(clips)]))


def test_of_many_candidates_the_one_that_is_asked_for_is_found() -> None:
    examples = examples_of(3 * SEARCHED + 600)
    candidates = examples.candidates
    assert len(candidates.frames) > SEARCHED and len(candidates.centers) > 1
    for frame in candidates.frames[::97].tolist():
        stands, way = examples.contacts[frame], examples.trajectories[frame]
        found, cost = nearest_frame(examples.moving, candidates, frame, stands, way, SearchWeights(0.06, 0.03))
        assert (found, cost) == (frame, 0.0)


def test_candidates_of_some_motions_are_of_these_alone() -> None:
    examples = examples_of(90, clips=4)
    some = examples.candidates.only(examples.moving, np.array([False, True, False, True]))
    assert set(examples.index.clips[some.frames].tolist()) == {1, 3}
    assert some.offsets[-1] == len(some.frames)


def test_a_foot_in_the_air_is_not_gone_on_from_where_it_stands() -> None:
    examples = examples_of(240)
    stands = (np.arange(240) // 12 % 2 == 0)[:, None]
    motions = Motions(examples.index, examples.trajectories, stands, examples.gathered)
    candidates, frame = candidates_of(motions), 132
    wanted = examples.trajectories[int(candidates.frames[stands[candidates.frames, 0]][0])]
    found = [
        nearest_frame(motions, candidates, frame, stands[frame], wanted, SearchWeights(1e6, 1e6 * weight))[0]
        for weight in (0.0, 9.0)
    ]
    assert stands[found, 0].tolist() == [True, False]


def test_two_differences_of_one_movement_go_the_same_way_round() -> None:
    pose = read_pose(examples_of(60), 20)

    def turned(angle: float) -> Pose:
        by = rotations.from_vector(np.full((len(pose.turns), 3), angle / np.sqrt(3.0)))
        return Pose(np.asarray(rotations.multiply(pose.turns, by)), pose.columns)

    now, before = difference(turned(1.01 * np.pi), pose), difference(turned(0.99 * np.pi), pose)
    assert np.abs(before - now).max() > 3.0
    assert np.abs(difference(turned(0.99 * np.pi), pose, like=now) - now).max() < 0.1
