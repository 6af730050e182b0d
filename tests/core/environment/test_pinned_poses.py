# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses pinned on stairs: the feet that stand, the shortened steps around them, and the path that is kept."""

from collections.abc import Callable

import numpy as np
import pytest
from motions import styled_walks

from genmm_addon.core import Motion, PoseConstraint
from genmm_addon.core.constraints.grounded.pinned import calmest, poses_on_ground
from genmm_addon.core.environment import GroundContacts, Grounded, Surface, make_surface, put_on_ground, standing_of
from genmm_addon.core.environment.ground.soles import flat_level
from genmm_addon.core.environment.ground.steps import FixedPlace, Shifts, shorten_steps
from genmm_addon.core.feet.leg_ik import move_root


@pytest.fixture(scope="module")
def walk() -> Motion:
    return styled_walks()["neutral"].slice(0, 200)


def stairs(motion: Motion, shift: float = 0.0) -> Surface:
    """Return steps 15 cm high and 30 cm deep at human size, in the sample character's direction; shift: along y."""
    unit, up = motion.skeleton.size / 1.75, np.array(motion.skeleton.up)
    triangles = []
    for number in range(61):
        first = -30.0 if number == 0 else 1 + 0.3 * (number - 1)
        last, height = (31.0 if number == 60 else 1 + 0.3 * number), 0.15 * number
        corners = np.array([(-20, -first, height), (-20, -last, height), (20, -last, height), (20, -first, height)])
        triangles += [corners[[0, 1, 2]], corners[[0, 2, 3]]]
    return make_surface(unit * np.array(triangles, np.float64) + np.array([0.0, shift, 0.0]), tuple(up))


@pytest.mark.parametrize("frame", [84, 100, 104])
def test_a_foot_on_the_edge_of_a_tread_stands(walk: Motion, frame: int) -> None:
    """Its joints are beyond the edge, a stair above the ground below them, but its sole is on the tread."""
    standing = standing_of(walk)
    legs = range(len(standing.feet))
    pinned = put_on_ground(walk, stairs(walk), standing, root=0).motion
    stands = int(np.flatnonzero(standing.contacts[frame])[0])
    joint = standing.feet[stands].joint
    place = float(pinned.pose()[1][frame, joint, 1])
    edges = -walk.skeleton.size / 1.75 * (1 + 0.3 * np.arange(60))
    surface = stairs(walk, place - float(edges[edges >= place].min()) - 0.01 * walk.skeleton.size)
    poses = PoseConstraint(pinned, np.ones((200, len(pinned.skeleton.names)), bool), np.ones(200, bool))
    level = flat_level(walk, standing.feet, standing.contacts, surface)
    at, stair, size = np.array([frame]), 0.15 / 1.75 * walk.skeleton.size, walk.skeleton.size
    found = poses_on_ground(poses, at, surface, standing, legs, walk, level)
    assert found is not None
    foot, flat = (surface.to_ground(one.pose()[1][frame, joint]) for one in (pinned, walk))
    below = float(surface.heights(foot[None, :2], foot[2:] + 0.3 * size)[0])
    assert foot[2] - below > stair, "the joint is over the lower tread"
    assert found[1][0, stands] == pytest.approx(foot[2] - (flat[2] - level), abs=0.01 * size)


def shifts_around(motion: Motion, frame: int, lasting: list[bool]) -> Shifts:
    """Return the shifts of four steps of two stairs each, at intervals of ten frames."""
    unit = motion.skeleton.size / 1.75
    frames, travel = np.arange(4) * 10, np.stack((np.zeros(40), -0.06 * unit * np.arange(40)), axis=1)
    surface = stairs(motion)
    places = np.array([0.0, -1.15 * unit]) + travel[frames]
    fixed = FixedPlace(frame, 0.15 * unit, np.array(lasting))
    return shorten_steps(surface, places, frames, travel, 0.0, motion.skeleton.size, fixed)


def test_in_flight_the_step_over_a_pose_is_shortened_on_both_sides_of_it(walk: Motion) -> None:
    """The body is not moved at the pose itself, so its legs need not come from elsewhere."""
    moves = shifts_around(walk, 14, [False] * 4).stances[:, 1]
    assert moves[1] < 0 < moves[2], "both feet come nearer to the pose"
    assert np.interp(14, [10, 20], moves[1:3]) == pytest.approx(0.0, abs=1e-9)
    assert np.all(np.diff(moves) > 0), "every step is shorter"


def test_a_foot_that_stands_in_a_pose_stays(walk: Motion) -> None:
    """The other feet are brought nearer to it."""
    moves = shifts_around(walk, 14, [False, True, False, False]).stances[:, 1]
    assert moves[1] == 0.0
    assert moves[0] < 0 < moves[2]


def jerked(motion: Motion, standing: GroundContacts, by: float) -> Motion:
    """Return the motion with all thighs rotated at one frame."""
    turned = motion.rotations.copy()
    turned[50, [foot.leg[0] for foot in standing.feet]] += by
    return motion.with_channels({**motion.channels(), "rotations": turned})


def test_the_first_calm_way_is_kept_and_others_are_not_made(walk: Motion) -> None:
    """Further ones would take time; if none is calm, the calmest is kept."""
    standing, made = standing_of(walk), []
    surface = make_surface(np.array([[(-9, -9, 0), (9, -9, 0), (0, 9, 0)]], np.float64) * 100, walk.skeleton.up)

    def way(by: float) -> Callable[[], Grounded]:
        def make() -> Grounded:
            made.append(by)
            return Grounded(jerked(walk, standing, by), (f"{by:g}",))

        return make

    kept = calmest([way(0.5), way(0.0), way(0.2)], walk, surface, standing, 0.0)
    assert kept.notes == ("0",)
    assert made == [0.5, 0.0]
    assert calmest([way(0.5), way(0.2), way(0.3)], walk, surface, standing, 0.0).notes == ("0.2",)


def test_a_way_with_feet_in_the_ground_is_not_calm(walk: Motion) -> None:
    """The same knees without feet in the ground are better."""
    standing = standing_of(walk)
    surface = make_surface(np.array([[(-9, -9, 0), (9, -9, 0), (0, 9, 0)]], np.float64) * 100, walk.skeleton.up)
    sunk = move_root(walk, 0, np.tile([0.0, 0.0, -0.05 * walk.skeleton.size], (200, 1)))
    ways = [lambda: Grounded(sunk, ("sunk",)), lambda: Grounded(jerked(walk, standing, 0.2), ("jerked",))]
    assert calmest(ways, walk, surface, standing, 0.0).notes == ("sunk",), "five hundredths are less than a jerk"
    ways.append(lambda: Grounded(walk, ("as it is",)))
    assert calmest(ways, walk, surface, standing, 0.0).notes == ("as it is",)
