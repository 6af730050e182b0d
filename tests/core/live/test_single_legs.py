# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs of single frames, bent with plain numbers, compared with those of motions."""

import numpy as np
import pytest
from motions import walker
from test_controller import controller

from genmm_addon.core.feet.two_bone_ik import pose_leg, solve_leg, turn_leg
from genmm_addon.core.live.single import rotations as single
from genmm_addon.core.live.single.legs import bend_for, bend_leg, write_leg
from genmm_addon.core.motion import rotations


def test_single_rotations_are_those_of_arrays() -> None:
    chance = np.random.default_rng(0)
    for _ in range(50):
        quaternions = rotations.normalize(chance.normal(size=(2, 4)))
        vectors = chance.normal(size=(2, 3))
        (one, other), (start, end) = map(tuple, quaternions.tolist()), map(tuple, vectors.tolist())
        matrix = rotations.to_matrix(quaternions[0]) * chance.uniform(0.5, 2.0)
        assert single.multiply(one, other) == pytest.approx(rotations.multiply(*quaternions))
        assert single.rotate(one, start) == pytest.approx(rotations.rotate(quaternions[0], vectors[0]))
        assert single.shortest_turn(start, end) == pytest.approx(rotations.shortest_turn(*vectors))
        assert single.orientation_of(matrix.tolist()) == pytest.approx(
            rotations.from_matrix(rotations.without_scale(matrix))
        )


def test_opposite_directions_and_nothing_give_turns_too() -> None:
    assert single.length_of(single.shortest_turn((0.0, 0.0, 0.0), (0.0, 1.0, 0.0))[1:]) == 0.0
    assert sum(value**2 for value in single.shortest_turn((0.0, 1.0, 0.0), (0.0, -1.0, 0.0))) == pytest.approx(1.0)


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 3.0])
def test_a_leg_is_bent_as_one_of_a_motion_is(share: float) -> None:
    examples = controller().examples
    assert examples.legs.legs
    size, chance = examples.skeleton.size, np.random.default_rng(1)
    hinges = examples.library.standing.knees.hinges
    for frame in range(0, 60, 7):
        pose = walker(60).slice(frame, frame + 1)
        for posed, foot in zip(examples.legs.posed(pose), examples.feet, strict=True):
            move, leg = share * 0.2 * size * chance.normal(size=3), pose_leg(pose, foot)
            hinge = hinges[examples.library.standing.feet.index(foot)]
            solution = solve_leg(leg, move[None], hinge, pose.frames_per_second, size)
            there = turn_leg(pose, leg, solution)
            bent = bend_leg(posed, tuple(move.tolist()), bend_for(posed, tuple(move.tolist())))
            turns = pose.rotations.copy()
            write_leg(turns[0], posed, bent)
            assert turns == pytest.approx(there.rotations, abs=1e-5)
            assert bent.foot == pytest.approx(there.pose()[1][0, foot.joint], abs=1e-4 * size)
